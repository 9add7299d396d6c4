//! Many callers of one client at once, the same for every Rust client: each sum is checked, and one wrong one ends the run.

use std::future::Future;
use std::time::{Duration, Instant};

/// How many call at once, how long before the clock starts, and how long then.
#[derive(Clone, Copy)]
pub struct Plan {
    in_flight: i64,
    warm: Duration,
    seconds: Duration,
}

impl Plan {
    pub fn parse(in_flight: &str, warm: &str, seconds: &str) -> Option<Plan> {
        let time = |text: &str| Duration::try_from_secs_f64(text.parse().ok()?).ok();
        Some(Plan { in_flight: in_flight.parse().ok()?, warm: time(warm)?, seconds: time(seconds)? })
    }
}

/// Calls until the time is over; what was measured, as JSON.
pub async fn run<F, A>(plan: Plan, add: F) -> Result<String, String>
where
    F: Fn(i64, i64) -> A + Clone + Send + 'static,
    A: Future<Output = Result<i64, String>> + Send + 'static,
{
    check(add(1, 2).await?, 1, 2)?;
    let start = Instant::now() + plan.warm;
    let end = start + plan.seconds;
    let tasks: Vec<_> = (0..plan.in_flight)
        .map(|caller| {
            let add = add.clone();
            tokio::spawn(async move {
                let mut latencies = Vec::new();
                for number in caller * 1_000_000.. {
                    let began = Instant::now();
                    if began >= end {
                        break;
                    }
                    check(add(number, 1).await?, number, 1)?;
                    if began >= start {
                        latencies.push(began.elapsed());
                    }
                }
                Ok::<_, String>(latencies)
            })
        })
        .collect();
    tokio::time::sleep(plan.warm).await;
    let cpu = cpu();
    let mut latencies = Vec::new();
    for task in tasks {
        latencies.extend(task.await.map_err(|error| error.to_string())??);
    }
    let (taken, used) = (start.elapsed().as_secs_f64(), cpu_since(cpu));
    latencies.sort_unstable();
    let count = latencies.len();
    let at = |share: usize| latencies.get(count * share / 100).map_or(0.0, |time| time.as_secs_f64() * 1e6);
    Ok(format!(
        r#"{{"per_second":{},"cpu_us":{},"p50_us":{},"p99_us":{}}}"#,
        count as f64 / taken,
        used.as_secs_f64() * 1e6 / count.max(1) as f64,
        at(50),
        at(99)
    ))
}

fn check(sum: i64, a: i64, b: i64) -> Result<(), String> {
    if sum == a + b { Ok(()) } else { Err(format!("{a} + {b} was answered with {sum}")) }
}

fn cpu_since(before: Duration) -> Duration {
    cpu().saturating_sub(before)
}

/// User and system time of this process, in the ticks of 10 ms that the kernel tells.
fn cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> =
        stat.rsplit_once(')').map(|(_, rest)| rest.split_whitespace().collect()).unwrap_or_default();
    let ticks = |at: usize| fields.get(at).and_then(|text| text.parse::<u64>().ok()).unwrap_or_default();
    Duration::from_millis((ticks(11) + ticks(12)) * 10)
}
