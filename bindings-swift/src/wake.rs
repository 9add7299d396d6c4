//! How a Swift task is woken: it awaits a batch, and the queue resolves that.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

use omniport::bridge::Wake;

/// Rung by a queue, awaited by one task.
#[derive(Default)]
pub struct TaskWake {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    rung: bool,
    ended: bool,
    waiting: Option<Waker>,
}

impl TaskWake {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Resolves when the queue has something, or nobody shall wait any more.
    pub async fn rung(&self) {
        poll_fn(|context| {
            let mut state = self.state();
            if state.rung || state.ended {
                return Poll::Ready(());
            }
            state.waiting = Some(context.waker().clone());
            Poll::Pending
        })
        .await;
    }

    /// Whether nobody shall wait any more.
    pub fn has_ended(&self) -> bool {
        self.state().ended
    }

    /// Lets whoever waits go, for good.
    pub fn end(&self) {
        self.change(|state| state.ended = true);
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        change(&mut state);
        let waiting = state.waiting.take();
        drop(state);
        // Not under the lock: the executor may poll on this very thread.
        if let Some(waiting) = waiting {
            waiting.wake();
        }
    }
}

/// The queue's part of it.
pub struct SharedWake(pub Arc<TaskWake>);

impl Wake for SharedWake {
    fn wake(&self) {
        self.0.change(|state| state.rung = true);
    }

    fn clear(&self) {
        self.0.state().rung = false;
    }
}
