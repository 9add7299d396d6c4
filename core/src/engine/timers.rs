//! Deadlines: who wants to be told when. Nothing here reads a clock.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;

use super::Engine;
use crate::time::Now;

/// Something that happens at a time.
pub(super) trait Timed: Send + Sync {
    /// Its time came. Returns when to be told again.
    fn due(self: Arc<Self>, engine: &Arc<Engine>, now: Now) -> Option<Duration>;
}

/// Names a deadline, to take it back.
pub(super) type TimerKey = (Duration, u64);

#[derive(Default)]
pub(super) struct Timers {
    state: Mutex<(BTreeMap<TimerKey, Weak<dyn Timed>>, u64)>,
    /// The time of the latest event, in nanoseconds: what happens without an event of its own counts as then.
    latest: AtomicU64,
    earlier: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl Timers {
    /// An event happened.
    pub fn saw(&self, now: Now) {
        self.latest.fetch_max(u64::try_from(now.monotonic.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// The time of the latest event.
    pub fn latest(&self) -> Duration {
        Duration::from_nanos(self.latest.load(Ordering::Relaxed))
    }

    pub fn on_earlier(&self, wake: Box<dyn Fn() + Send + Sync>) {
        let _ = self.earlier.set(wake);
    }

    /// Sets a deadline. Whoever set it takes it back when it is no longer wanted: nothing may pile up (N26).
    pub fn set(&self, at: Duration, timed: Weak<dyn Timed>) -> TimerKey {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.1 += 1;
        let key = (at, state.1);
        let is_first = state.0.first_key_value().is_none_or(|(first, _)| key < *first);
        state.0.insert(key, timed);
        drop(state);
        if is_first && let Some(wake) = self.earlier.get() {
            wake();
        }
        key
    }

    pub fn clear(&self, key: TimerKey) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).0.remove(&key);
    }

    /// Runs what is due; returns the next deadline.
    pub fn run(&self, engine: &Arc<Engine>, now: Now) -> Option<Duration> {
        self.saw(now);
        loop {
            let timed = {
                let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                let (key, _) = state.0.first_key_value()?;
                if key.0 > now.monotonic {
                    return Some(key.0);
                }
                state.0.pop_first()?.1
            };
            let Some(strong) = timed.upgrade() else { continue };
            if let Some(again) = strong.due(engine, now) {
                self.set(again, timed);
            }
        }
    }
}
