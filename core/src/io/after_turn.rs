//! A wake that waits until the event loop that gives it has done what it is at.

use std::sync::Arc;

use tokio::runtime::Handle;

use crate::bridge::Wake;

/// Wakes when every task of the event loop that is ready has had its turn, so that a reader on another thread finds the items of all of them.
/// Woken at the first item, it took the loop's core away: one switch of threads for each call, which cost as much as the call itself.
pub struct AfterTurn<W>(Arc<W>);

impl<W: Wake + 'static> AfterTurn<W> {
    /// Wakes by `wake`.
    pub fn new(wake: Arc<W>) -> Self {
        Self(wake)
    }
}

impl<W: Wake + 'static> Wake for AfterTurn<W> {
    fn wake(&self) {
        let ring = Ring(Arc::clone(&self.0));
        match Handle::try_current() {
            // Behind the others that are ready. A loop that ends drops the task, which rings as well.
            Ok(handle) => drop(handle.spawn(async move { drop(ring) })),
            Err(_) => drop(ring),
        }
    }

    fn clear(&self) {
        self.0.clear();
    }
}

/// Wakes when it is dropped.
struct Ring<W: Wake>(Arc<W>);

impl<W: Wake> Drop for Ring<W> {
    fn drop(&mut self) {
        self.0.wake();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::runtime::Builder;

    use super::*;

    #[derive(Default)]
    struct Count(AtomicUsize);
    impl Wake for Count {
        fn wake(&self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    impl Count {
        fn seen(&self) -> usize {
            self.0.load(Ordering::SeqCst)
        }
    }

    #[test]
    fn tasks_that_are_ready_come_before_the_wake() {
        let count = Arc::<Count>::default();
        let wake = Arc::new(AfterTurn::new(Arc::clone(&count)));
        let runtime = Builder::new_current_thread().build().unwrap();
        let seen = runtime.block_on(async {
            let first = tokio::spawn({
                let wake = Arc::clone(&wake);
                async move { wake.wake() }
            });
            let second = tokio::spawn({
                let count = Arc::clone(&count);
                async move { count.seen() }
            });
            first.await.unwrap();
            second.await.unwrap()
        });
        assert_eq!(seen, 0);
        drop(runtime);
        assert_eq!(count.seen(), 1, "an event loop that ends wakes all the same");
    }

    #[test]
    fn without_an_event_loop_it_wakes_at_once() {
        let count = Arc::<Count>::default();
        AfterTurn::new(Arc::clone(&count)).wake();
        assert_eq!(count.seen(), 1);
    }
}
