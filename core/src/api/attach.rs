//! What the runner keeps for a call that does not end in its first poll. Made when it is first needed.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::task::Waker;

use serde_json::value::RawValue;
use tokio::sync::{oneshot, watch};
use tokio::task::AbortHandle;

use crate::engine::Call;
use crate::error::Result;

/// The extras of one call.
#[derive(Default)]
pub(super) struct Extras {
    /// Who waits for the answer to which question.
    answers: Vec<(u32, oneshot::Sender<Result<Box<RawValue>>>)>,
    /// Wakes the handler's task.
    waker: Option<Waker>,
    abort: Option<AbortHandle>,
    /// Dropped when the call is over.
    over: Option<watch::Sender<()>>,
}

/// Works on the extras. The lock is never held while a future runs or is woken.
pub(super) fn with<R>(call: &Call, work: impl FnOnce(&mut Extras) -> R) -> R {
    let mut attached = call.attached.lock().unwrap_or_else(PoisonError::into_inner);
    let extras = attached.get_or_insert_with(|| Box::new(Extras::default()));
    match extras.downcast_mut() {
        Some(extras) => work(extras),
        // Nobody but this module attaches anything to the calls of this host.
        None => work(&mut Extras::default()),
    }
}

/// Drops the extras of a call that is over: whoever still waits for it learns so.
pub(super) fn clear(call: &Call) {
    let extras = call.attached.lock().unwrap_or_else(PoisonError::into_inner).take();
    drop(extras);
}

/// Stops the task of a call that is over, and tells those who wait.
pub(super) fn stop(call: &Call) {
    let abort = with(call, |extras| extras.abort.take());
    if let Some(abort) = abort {
        abort.abort();
    }
    clear(call);
}

/// Marks that the next flush has something to send, and sees to it that there is one: the question may come from a task
/// of the handler's own, while the handler itself is not polled.
pub(super) fn needs_flush(call: &Call) {
    call.tag.store(1, Ordering::Release);
    let waker = with(call, |extras| extras.waker.clone());
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// Whether there is something to flush; false from then on.
pub(super) fn take_needs_flush(call: &Call) -> bool {
    call.tag.load(Ordering::Acquire) != 0 && call.tag.swap(0, Ordering::AcqRel) != 0
}

impl Extras {
    /// Waits for the answer to a question.
    pub fn expect(&mut self, number: u32) -> oneshot::Receiver<Result<Box<RawValue>>> {
        let (sender, receiver) = oneshot::channel();
        self.answers.push((number, sender));
        receiver
    }

    /// Takes out who waits for the answer to that question.
    pub fn take_waiting(&mut self, number: u32) -> Option<oneshot::Sender<Result<Box<RawValue>>>> {
        let place = self.answers.iter().position(|(waiting, _)| *waiting == number)?;
        Some(self.answers.swap_remove(place).1)
    }

    /// Sets what wakes the handler's task.
    pub fn set_waker(&mut self, waker: &Waker) {
        match &mut self.waker {
            Some(known) => known.clone_from(waker),
            None => self.waker = Some(waker.clone()),
        }
    }

    /// Sets what ends the handler's task.
    pub fn set_abort(&mut self, abort: AbortHandle) {
        self.abort = Some(abort);
    }
}

/// Ends when the call is over: cancelled, timed out or answered.
pub(super) async fn over(call: &Arc<Call>) {
    let receiver = with(call, |extras| match call.is_over() {
        true => None,
        false => Some(extras.over.get_or_insert_with(|| watch::Sender::new(())).subscribe()),
    });
    if let Some(mut receiver) = receiver {
        // Only its sender's end is ever reported.
        while receiver.changed().await.is_ok() {}
    }
}
