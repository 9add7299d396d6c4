//! Events for a language, taken in batches. The language is woken once per idle-to-busy edge.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;

use super::wake::{Bell, Wake};

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ItemKind {
    /// Run a tool; text: its arguments.
    Call,
    /// Read a resource; text: `{"uri", "variables"}`.
    Read,
    /// Get a prompt; text: its arguments.
    Get,
    /// Complete an argument; text: `{"argument", "value", "arguments"}`.
    Complete,
    /// What may the caller see; text: `{"kind", "names"}`.
    Visible,
    /// Who is this; text: `{"headers"}`.
    Authenticate,
    /// The answer to question `slot` of call `token`; text: `{"result"}` or `{"error"}`.
    Answer,
    /// Call `token` is over for its caller; text: the reason.
    Cancel,
    /// Something a client told; text: `{"event", ...}`.
    Event,
    /// A finished call, for the audit.
    Audit,
    /// A fault worth a log line; slot: its level.
    Report,
    /// Part `slot` of the answer to the foreign server's request `token`.
    Http,
    /// Nothing will follow. An item and not a flag: a flag that is read only when the queue is empty loses wake-ups.
    End,
}

/// One event for the language.
#[derive(Debug)]
pub struct Item {
    pub kind: ItemKind,
    pub token: u64,
    pub slot: u32,
    pub text: Bytes,
}

/// The queue.
pub struct Queue {
    items: Mutex<VecDeque<Item>>,
    filled: Condvar,
    bell: Bell,
}

impl Queue {
    /// An empty queue that wakes its language by `wake`.
    pub fn new(wake: Box<dyn Wake>) -> Self {
        Self { items: Mutex::default(), filled: Condvar::new(), bell: Bell::new(wake) }
    }

    fn items(&self) -> MutexGuard<'_, VecDeque<Item>> {
        self.items.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an item, and wakes the language if it has nothing else to do.
    pub fn push(&self, item: Item) {
        self.items().push_back(item);
        self.filled.notify_one();
        self.bell.ring();
    }

    /// Takes at most `most` items. Never blocks.
    pub fn take(&self, most: usize) -> Vec<Item> {
        self.bell.answered();
        let mut items = self.items();
        let count = items.len().min(most);
        let batch = items.drain(..count).collect();
        let more = !items.is_empty();
        drop(items);
        if more {
            self.bell.ring();
        }
        batch
    }

    /// The same, but waits for the first item.
    pub fn wait(&self, most: usize, patience: Duration) -> Vec<Item> {
        let items = self.items();
        let (items, _) = self
            .filled
            .wait_timeout_while(items, patience, |items| items.is_empty())
            .unwrap_or_else(PoisonError::into_inner);
        drop(items);
        self.take(most)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    struct Count(Arc<AtomicUsize>);
    impl Wake for Count {
        fn wake(&self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn item(token: u64) -> Item {
        Item { kind: ItemKind::Call, token, slot: 0, text: Bytes::new() }
    }

    #[test]
    fn the_language_is_woken_once_per_edge() {
        let wakes = Arc::new(AtomicUsize::new(0));
        let queue = Queue::new(Box::new(Count(Arc::clone(&wakes))));
        for token in 0..3 {
            queue.push(item(token));
        }
        assert_eq!(wakes.load(Ordering::Relaxed), 1);
        assert_eq!(queue.take(2).len(), 2);
        assert_eq!(wakes.load(Ordering::Relaxed), 2, "what is left wakes again");
        assert_eq!(queue.take(2).len(), 1);
        queue.push(item(3));
        assert_eq!(wakes.load(Ordering::Relaxed), 3);
    }

    #[test]
    fn no_item_is_lost_between_threads() {
        let queue = Arc::new(Queue::new(Box::new(Count(Arc::default()))));
        let producer = {
            let queue = Arc::clone(&queue);
            std::thread::spawn(move || (0..10_000).for_each(|token| queue.push(item(token))))
        };
        let mut seen = 0;
        while seen < 10_000 {
            for got in queue.wait(64, Duration::from_secs(10)) {
                assert_eq!(got.token, seen);
                seen += 1;
            }
        }
        assert!(producer.join().is_ok());
    }
}
