//! Deadlines: who wants to be told when. Nothing here reads a clock.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
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
    state: Mutex<Deadlines>,
    /// The time of the latest event, in nanoseconds: what happens without an event of its own counts as then.
    latest: AtomicU64,
    earlier: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

#[derive(Default)]
struct Deadlines {
    waiting: BTreeMap<TimerKey, Weak<dyn Timed>>,
    count: u64,
    /// When the next [`Timers::run`] comes at the latest. Deadlines behind it wake nobody: a server that answers one call at a
    /// time would otherwise wake its timer thread for each of them.
    told: Option<Duration>,
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

    /// False when somebody is told already; there is one at most.
    pub fn on_earlier(&self, wake: Box<dyn Fn() + Send + Sync>) -> bool {
        self.earlier.set(wake).is_ok()
    }

    /// Sets a deadline. Whoever set it takes it back when it is no longer wanted: nothing may pile up (N26).
    pub fn set(&self, at: Duration, timed: Weak<dyn Timed>) -> TimerKey {
        let mut state = self.state();
        state.count += 1;
        let key = (at, state.count);
        state.waiting.insert(key, timed);
        let is_earlier = state.told.is_none_or(|told| at < told);
        if is_earlier {
            state.told = Some(at);
        }
        drop(state);
        if is_earlier && let Some(wake) = self.earlier.get() {
            wake();
        }
        key
    }

    pub fn clear(&self, key: TimerKey) {
        self.state().waiting.remove(&key);
    }

    /// Runs what is due; returns the next deadline.
    pub fn run(&self, engine: &Arc<Engine>, now: Now) -> Option<Duration> {
        self.saw(now);
        loop {
            let timed = {
                let mut state = self.state();
                let next = state.waiting.first_key_value().map(|(key, _)| key.0);
                if next.is_none_or(|at| at > now.monotonic) {
                    state.told = next;
                    return next;
                }
                state.waiting.pop_first()?.1
            };
            let Some(strong) = timed.upgrade() else { continue };
            if let Some(again) = strong.due(engine, now) {
                self.set(again, timed);
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, Deadlines> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
