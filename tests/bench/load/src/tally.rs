//! What was measured: operations, latencies, and the server's CPU time and memory.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::process::{cpu, memory};

/// Counts from the end of the warm-up, which begins with the first answer: a server may take its time to start.
pub struct Tally {
    pid: Option<u32>,
    warm: Duration,
    seconds: Duration,
    first: Option<Instant>,
    start: Option<Start>,
    latencies: Vec<u32>,
}

/// How things were when the clock started.
struct Start {
    at: Instant,
    cpu: Option<Duration>,
    memory: Option<u64>,
}

impl Tally {
    pub fn new(pid: Option<u32>, warm: Duration, seconds: Duration) -> Tally {
        Tally { pid, warm, seconds, first: None, start: None, latencies: Vec::new() }
    }

    /// One operation was answered at `now`; whether to go on.
    pub fn done(&mut self, began: Instant, now: Instant) -> bool {
        if let Some(start) = &self.start {
            self.latencies.push(u32::try_from((now - began).as_micros()).unwrap_or(u32::MAX));
            return now < start.at + self.seconds;
        }
        if now >= *self.first.get_or_insert(now) + self.warm {
            self.start = Some(Start { at: now, cpu: self.pid.and_then(cpu), memory: self.pid.and_then(memory) });
        }
        true
    }

    pub fn report(mut self) -> Value {
        let end = Instant::now();
        let start = self.start.take().unwrap_or(Start { at: end, cpu: None, memory: None });
        let seconds = (end - start.at).as_secs_f64();
        let count = self.latencies.len();
        self.latencies.sort_unstable();
        let at = |share: f64| self.latencies.get((count as f64 * share) as usize).copied();
        let used = self.pid.and_then(cpu).zip(start.cpu).map(|(after, before)| after.saturating_sub(before));
        json!({
            "operations": count,
            "seconds": seconds,
            "per_second": if seconds > 0.0 { count as f64 / seconds } else { 0.0 },
            "cpu_us": used.filter(|_| count > 0).map(|used| used.as_secs_f64() * 1e6 / count as f64),
            "p50_us": at(0.5),
            "p99_us": at(0.99),
            "memory_kib_before": start.memory,
            "memory_kib_after": self.pid.and_then(memory),
        })
    }
}
