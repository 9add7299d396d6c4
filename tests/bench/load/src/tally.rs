//! What was measured: operations, latencies, and the server's CPU time and memory.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::process::{cpu, memory};

/// Counts from the end of the warm-up.
pub struct Tally {
    pid: Option<u32>,
    until: Instant,
    warm_until: Instant,
    started: Option<(Instant, Option<Duration>, Option<u64>)>,
    latencies: Vec<u32>,
}

impl Tally {
    pub fn new(pid: Option<u32>, warm: Duration, seconds: Duration) -> Tally {
        let warm_until = Instant::now() + warm;
        Tally { pid, until: warm_until + seconds, warm_until, started: None, latencies: Vec::new() }
    }

    /// One operation was answered at `now`; whether to go on.
    pub fn done(&mut self, began: Instant, now: Instant) -> bool {
        if self.started.is_some() {
            self.latencies.push(u32::try_from((now - began).as_micros()).unwrap_or(u32::MAX));
        } else if now >= self.warm_until {
            self.started = Some((now, self.pid.and_then(cpu), self.pid.and_then(memory)));
        }
        now < self.until
    }

    pub fn report(mut self) -> Value {
        let end = Instant::now();
        let (start, cpu_before, memory_before) = self.started.unwrap_or((end, None, None));
        let seconds = (end - start).as_secs_f64();
        let count = self.latencies.len();
        self.latencies.sort_unstable();
        let at = |share: f64| self.latencies.get((count as f64 * share) as usize).copied();
        let used = self.pid.and_then(cpu).zip(cpu_before).map(|(after, before)| after.saturating_sub(before));
        json!({
            "operations": count,
            "seconds": seconds,
            "per_second": if seconds > 0.0 { count as f64 / seconds } else { 0.0 },
            "cpu_us": used.filter(|_| count > 0).map(|used| used.as_secs_f64() * 1e6 / count as f64),
            "p50_us": at(0.5),
            "p99_us": at(0.99),
            "memory_kib_before": memory_before,
            "memory_kib_after": self.pid.and_then(memory),
        })
    }
}
