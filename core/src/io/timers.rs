//! Tells an engine the time when it wants to be told: one thread per engine, started with its first deadline.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use super::clock;
use crate::engine::Engine;

/// Has the engine ticked from now on, until it is dropped. Further calls for the same engine change nothing.
pub fn drive(engine: &Arc<Engine>) {
    let alarm = Arc::new(Alarm::default());
    let guard = StopOnDrop { alarm: Arc::clone(&alarm), engine: Arc::downgrade(engine) };
    let accepted = engine.on_earlier_tick(move || guard.ring());
    // Deadlines may have been set before anybody drove the engine.
    if accepted && engine.tick(clock::now()).is_some() {
        alarm.ring(&Arc::downgrade(engine));
    }
}

/// What the thread sleeps on.
#[derive(Default)]
struct Alarm {
    state: Mutex<State>,
    rang: Condvar,
}

#[derive(Default)]
struct State {
    started: bool,
    rung: bool,
    stopped: bool,
}

/// Lives in the engine, so that the thread ends with it.
struct StopOnDrop {
    alarm: Arc<Alarm>,
    engine: Weak<Engine>,
}

impl StopOnDrop {
    fn ring(&self) {
        self.alarm.ring(&self.engine);
    }
}

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.alarm.state().stopped = true;
        self.alarm.rang.notify_one();
    }
}

impl Alarm {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ring(self: &Arc<Self>, engine: &Weak<Engine>) {
        let mut state = self.state();
        state.rung = true;
        if !state.started {
            let (alarm, engine) = (Arc::clone(self), Weak::clone(engine));
            let thread = std::thread::Builder::new().name("omniport-timers".into());
            // Without a thread to spare, the next ring tries again.
            state.started = thread.spawn(move || alarm.run(&engine)).is_ok();
        }
        drop(state);
        self.rang.notify_one();
    }

    fn run(&self, engine: &Weak<Engine>) {
        loop {
            let Some(next) = engine.upgrade().map(|engine| engine.tick(clock::now())) else { return };
            if !self.sleep_until(next) {
                return;
            }
        }
    }

    /// Sleeps until that time or until the alarm rings; false when the engine is gone.
    fn sleep_until(&self, at: Option<Duration>) -> bool {
        let mut state = self.state();
        loop {
            if state.stopped {
                return false;
            }
            if std::mem::take(&mut state.rung) {
                return true;
            }
            state = match at {
                None => self.rang.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(at) => {
                    let left = at.saturating_sub(clock::now().monotonic);
                    if left.is_zero() {
                        return true;
                    }
                    self.rang.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}
