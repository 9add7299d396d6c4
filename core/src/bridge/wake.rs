//! How a language is woken: once per idle-to-busy edge of what it reads.

use std::sync::atomic::{AtomicBool, Ordering};

/// Wakes the thread that drains a queue. Called from any thread; must not run foreign code.
pub trait Wake: Send + Sync {
    /// There is something in the queue.
    fn wake(&self);

    /// The queue is about to be taken: what woke is put back.
    fn clear(&self) {}
}

/// Wakes a reader unless it was woken already and has not come yet.
pub(super) struct Bell {
    rung: AtomicBool,
    wake: Box<dyn Wake>,
}

impl Bell {
    pub fn new(wake: Box<dyn Wake>) -> Self {
        Self { rung: AtomicBool::new(false), wake }
    }

    /// There is something to take.
    pub fn ring(&self) {
        if !self.rung.swap(true, Ordering::AcqRel) {
            self.wake.wake();
        }
    }

    /// The reader has come. Called before it takes anything: what comes in between rings once more, and is not lost.
    pub fn answered(&self) {
        self.wake.clear();
        self.rung.store(false, Ordering::Release);
    }
}
