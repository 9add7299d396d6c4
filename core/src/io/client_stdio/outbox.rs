//! What a client has for its server process: lines, and the word that it is to end.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::Notify;

use crate::engine::client::LineSink;

/// What is to be done with the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// End it, and start a new one for the lines that came since.
    Restart,
    /// Write what is left, then end it.
    Close,
    /// It reads so little that too much waits for it.
    Overflow,
}

/// Lines wait here for the pipe, so that whoever sends never does.
pub(super) struct Outbox {
    queue: Mutex<Queue>,
    /// Bytes in the queue; read for each call, without the lock.
    waiting: AtomicUsize,
    most: usize,
    /// There are lines, or an order: for the writer.
    filled: Notify,
    /// There is an order: for who watches over the process.
    ordered: Notify,
}

#[derive(Default)]
struct Queue {
    lines: VecDeque<Bytes>,
    order: Option<Order>,
}

/// What can be written.
pub(super) enum Next {
    /// A line that is too long to be gathered.
    Long(Bytes),
    /// Lines were gathered.
    Gathered,
}

impl Outbox {
    /// An outbox that holds calls back from `queued_bytes` on; at twice as much, answers of ours included, the server is given up.
    pub fn new(queued_bytes: usize) -> Self {
        let (filled, ordered) = (Notify::new(), Notify::new());
        let most = queued_bytes.saturating_mul(2);
        Self { queue: Mutex::default(), waiting: AtomicUsize::new(0), most, filled, ordered }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for lines and adds them, with their ends, to `buffer` until that has `enough` bytes. `None` when the process gets no more.
    pub async fn next(&self, buffer: &mut Vec<u8>, enough: usize) -> Option<Next> {
        loop {
            if let Some(next) = self.try_next(buffer, enough)? {
                return Some(next);
            }
            self.filled.notified().await;
        }
    }

    /// `Some(None)` when there is nothing to write now.
    fn try_next(&self, buffer: &mut Vec<u8>, enough: usize) -> Option<Option<Next>> {
        let mut queue = self.queue();
        if matches!(queue.order, Some(Order::Restart | Order::Overflow)) {
            return None;
        }
        while let Some(line) = queue.lines.pop_front() {
            if line.len() >= enough && buffer.is_empty() {
                self.waiting.fetch_sub(line.len(), Ordering::Relaxed);
                return Some(Some(Next::Long(line)));
            }
            if buffer.len() + line.len() > enough && !buffer.is_empty() {
                queue.lines.push_front(line);
                break;
            }
            self.waiting.fetch_sub(line.len(), Ordering::Relaxed);
            buffer.extend_from_slice(&line);
            buffer.push(b'\n');
        }
        match (buffer.is_empty(), queue.order) {
            (false, _) => Some(Some(Next::Gathered)),
            (true, Some(_)) => None,
            (true, None) => Some(None),
        }
    }

    /// What was ordered and not yet taken.
    pub fn order(&self) -> Option<Order> {
        self.queue().order
    }

    /// Waits for an order, which is not taken.
    pub async fn ordered(&self) -> Order {
        loop {
            if let Some(order) = self.order() {
                return order;
            }
            self.ordered.notified().await;
        }
    }

    /// Takes an order to restart or to give up, so that the lines behind it can be written.
    pub fn obey(&self) {
        let mut queue = self.queue();
        if queue.order != Some(Order::Close) {
            queue.order = None;
        }
    }

    fn give(&self, mut queue: MutexGuard<'_, Queue>, order: Order) {
        if order != Order::Close {
            queue.lines.clear();
            self.waiting.store(0, Ordering::Relaxed);
        }
        // The end is the last word.
        if queue.order != Some(Order::Close) {
            queue.order = Some(order);
        }
        drop(queue);
        self.filled.notify_one();
        self.ordered.notify_one();
    }
}

impl LineSink for Outbox {
    fn send(&self, message: Bytes) {
        let mut queue = self.queue();
        if matches!(queue.order, Some(Order::Close | Order::Overflow)) {
            return;
        }
        let waiting = self.waiting.fetch_add(message.len(), Ordering::Relaxed);
        if waiting > self.most && queue.order.is_none() {
            return self.give(queue, Order::Overflow);
        }
        queue.lines.push_back(message);
        // The writer takes all there is, so it sleeps only before the first one.
        let is_first = queue.lines.len() == 1;
        drop(queue);
        if is_first {
            self.filled.notify_one();
        }
    }

    fn restart(&self) {
        self.give(self.queue(), Order::Restart);
    }

    fn close(&self) {
        self.give(self.queue(), Order::Close);
    }

    fn queued(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }
}
