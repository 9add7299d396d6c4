//! Who waits for which answer. Answers have a way of their own: no notification is ever before them in a queue (Y09).

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use rustc_hash::FxHashMap;
use serde_json::value::RawValue;

use crate::engine::client::Token;
use crate::error::Result;

/// Every call that is not over, by its token.
pub(super) struct Waiters {
    slots: Mutex<FxHashMap<Token, Slot>>,
    bound: usize,
    dropped: Arc<AtomicU64>,
}

/// A call between its start and the moment its answer is taken. The carrier's thread may be the first to know of it.
#[derive(Default)]
struct Slot {
    who: Who,
    progress: VecDeque<Box<RawValue>>,
    answer: Option<Result<Box<RawValue>>>,
}

#[derive(Default)]
enum Who {
    /// Whoever started the call has not come back yet.
    #[default]
    Unknown,
    Waits {
        waker: Waker,
        wants_progress: bool,
    },
    /// The answer will be dropped.
    Gone,
}

impl Waiters {
    /// Keeps at most `bound` reports of progress for each call; older ones are dropped and counted.
    pub fn new(bound: usize, dropped: Arc<AtomicU64>) -> Self {
        Self { slots: Mutex::default(), bound, dropped }
    }

    fn slots(&self) -> MutexGuard<'_, FxHashMap<Token, Slot>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the answer of a call if it is there, and what progress came before it, if that is wanted.
    pub fn poll(
        &self,
        token: Token,
        cx: &mut Context<'_>,
        progress: Option<&mut VecDeque<Box<RawValue>>>,
    ) -> Poll<Result<Box<RawValue>>> {
        let mut slots = self.slots();
        let slot = slots.entry(token).or_default();
        let wants_progress = progress.is_some();
        match progress {
            Some(progress) => std::mem::swap(progress, &mut slot.progress),
            None => slot.progress.clear(),
        }
        if let Some(answer) = slot.answer.take() {
            slots.remove(&token);
            return Poll::Ready(answer);
        }
        match &mut slot.who {
            Who::Waits { waker, .. } => waker.clone_from(cx.waker()),
            who => *who = Who::Waits { waker: cx.waker().clone(), wants_progress },
        }
        Poll::Pending
    }

    /// Nobody waits any more; false when the answer was there already.
    pub fn abandon(&self, token: Token) -> bool {
        let mut slots = self.slots();
        let known = slots.remove(&token);
        let waits = known.is_none_or(|slot| slot.answer.is_none());
        if waits {
            slots.insert(token, Slot { who: Who::Gone, ..Slot::default() });
        }
        waits
    }

    /// The answer of a call came.
    pub fn answer(&self, token: Token, answer: Result<Box<RawValue>>) {
        let mut slots = self.slots();
        let slot = slots.entry(token).or_default();
        if matches!(slot.who, Who::Gone) {
            slots.remove(&token);
            return;
        }
        slot.answer = Some(answer);
        wake(slots, token);
    }

    /// A call got further.
    pub fn progress(&self, token: Token, params: Box<RawValue>) {
        let mut slots = self.slots();
        let slot = slots.entry(token).or_default();
        if matches!(slot.who, Who::Gone | Who::Waits { wants_progress: false, .. }) {
            return;
        }
        if slot.progress.len() >= self.bound {
            slot.progress.pop_front();
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
        slot.progress.push_back(params);
        wake(slots, token);
    }
}

/// Wakes whoever waits, without the lock.
fn wake(slots: MutexGuard<'_, FxHashMap<Token, Slot>>, token: Token) {
    let waker = match slots.get(&token).map(|slot| &slot.who) {
        Some(Who::Waits { waker, .. }) => Some(waker.clone()),
        _ => None,
    };
    drop(slots);
    if let Some(waker) = waker {
        waker.wake();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiters() -> Waiters {
        Waiters::new(2, Arc::default())
    }

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    fn poll(waiters: &Waiters, progress: Option<&mut VecDeque<Box<RawValue>>>) -> Poll<Result<Box<RawValue>>> {
        waiters.poll(7, &mut Context::from_waker(Waker::noop()), progress)
    }

    #[test]
    fn what_comes_before_somebody_waits_is_kept() {
        let waiters = waiters();
        (1..=3).for_each(|n| waiters.progress(7, raw(&n.to_string())));
        waiters.answer(7, Ok(raw("{}")));
        let mut progress = VecDeque::new();
        assert!(poll(&waiters, Some(&mut progress)).is_ready());
        assert_eq!(progress.iter().map(|raw| raw.get()).collect::<Vec<_>>(), ["2", "3"]);
        assert_eq!(waiters.dropped.load(Ordering::Relaxed), 1);
        assert!(waiters.slots().is_empty());
    }

    #[test]
    fn the_answer_of_an_abandoned_call_is_dropped() {
        let waiters = waiters();
        assert!(poll(&waiters, None).is_pending());
        assert!(waiters.abandon(7));
        waiters.progress(7, raw("1"));
        waiters.answer(7, Ok(raw("{}")));
        assert!(waiters.slots().is_empty());
        waiters.answer(7, Ok(raw("{}")));
        assert!(!waiters.abandon(7) && waiters.slots().is_empty());
    }

    #[test]
    fn progress_that_nobody_wants_is_not_kept() {
        let waiters = waiters();
        waiters.progress(7, raw("1"));
        assert!(poll(&waiters, None).is_pending());
        waiters.progress(7, raw("2"));
        assert!(waiters.slots()[&7].progress.is_empty());
    }
}
