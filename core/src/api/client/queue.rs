//! A queue whose reader may be slow: what may be lost is dropped and counted when it is full, what must not be lost is always taken (Y09).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// The end that is written to.
pub(super) struct Sender<T> {
    to: UnboundedSender<T>,
    waiting: Arc<AtomicUsize>,
    bound: usize,
    dropped: Arc<AtomicU64>,
}

/// The end that is read from.
pub(super) struct Receiver<T> {
    from: UnboundedReceiver<T>,
    waiting: Arc<AtomicUsize>,
}

/// A queue of at most `bound` items that may be lost; those are counted in `dropped`.
pub(super) fn queue<T>(bound: usize, dropped: Arc<AtomicU64>) -> (Sender<T>, Receiver<T>) {
    let (to, from) = unbounded_channel();
    let waiting = Arc::<AtomicUsize>::default();
    (Sender { to, waiting: Arc::clone(&waiting), bound, dropped }, Receiver { from, waiting })
}

impl<T> Sender<T> {
    /// Adds an item that may be lost, unless the queue is full.
    pub fn offer(&self, item: T) {
        if self.waiting.load(Ordering::Relaxed) >= self.bound {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        } else {
            self.push(item);
        }
    }

    /// Adds an item that must not be lost.
    pub fn push(&self, item: T) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        // A reader that is gone wants nothing.
        let _ = self.to.send(item);
    }

    /// Whether the reader is gone.
    pub fn is_closed(&self) -> bool {
        self.to.is_closed()
    }
}

impl<T> Receiver<T> {
    /// The next item; `None` when there will be none.
    pub fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<T>> {
        self.from.poll_recv(cx).map(|item| self.taken(item))
    }

    /// [`Receiver::poll_next`] as a future, which may be dropped without loss.
    pub async fn next(&mut self) -> Option<T> {
        let item = self.from.recv().await;
        self.taken(item)
    }

    fn taken(&self, item: Option<T>) -> Option<T> {
        if item.is_some() {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
        }
        item
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_full_queue_loses_what_may_be_lost_and_counts_it() {
        let dropped = Arc::<AtomicU64>::default();
        let (sender, mut receiver) = queue(2, Arc::clone(&dropped));
        (1..=4).for_each(|item| sender.offer(item));
        sender.push(5);
        assert_eq!(dropped.load(Ordering::Relaxed), 2);
        assert_eq!((receiver.next().await, receiver.next().await, receiver.next().await), (Some(1), Some(2), Some(5)));
        sender.offer(6);
        drop(sender);
        assert_eq!((receiver.next().await, receiver.next().await), (Some(6), None));
    }
}
