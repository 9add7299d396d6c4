//! What clients tell a language, by whoever reads it: one inbox for each event loop and each waiting thread, for all clients they use.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use super::wake::{Bell, Wake};

/// What a client tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Part {
    /// The answer of call `token`; text: its result.
    Result,
    /// The failure of call `token`; text: the error with every fact.
    Error,
    /// The answer of call `token`, whose rounds of input its caller drives: it says what input it needs.
    Input,
    /// How far call `token` is; text: the parameters of the notification.
    Progress,
    /// A log message, of call `token` where that is not 0; text: the parameters of the notification.
    Log,
    /// The server asks; `token` is the number to answer, text `{kind: params}`.
    Asked,
    /// Question `token` needs no answer any more.
    Withdrawn,
    /// Something changed at the server; text `{"kind", "uri"?, "added"?, "removed"?, "changed"?}`. `token` is the call that opened the
    /// subscription where it is about one (`missed`, `ended`), else 0.
    Change,
    /// How the connection is; text `{"state", "cause"?}`.
    State,
    /// A line of the server's stderr, as plain text.
    Stderr,
    /// A fault worth a log line; `token` is its level, the text is plain.
    Report,
    /// The connection is over, and every call has its result; text: the error that ended it.
    Closed,
}

impl Part {
    /// Whether it may wait behind everything else: nobody's call depends on it (Y09).
    fn can_wait(self) -> bool {
        matches!(self, Self::Log | Self::Change | Self::Stderr | Self::Report)
    }
}

/// One thing that a client told.
#[derive(Debug)]
pub struct Told {
    /// The number of the client.
    pub client: u64,
    /// What it is; it says what `token` and `text` are.
    pub part: Part,
    /// The call or the question that it is about.
    pub token: u64,
    /// JSON or plain text.
    pub text: Bytes,
}

/// What was told and not yet taken. Answers overtake what can wait.
pub struct Inbox {
    lanes: Mutex<Lanes>,
    bell: Bell,
}

#[derive(Default)]
struct Lanes {
    urgent: VecDeque<Told>,
    patient: VecDeque<Told>,
}

impl Inbox {
    /// An empty inbox that wakes its reader by `wake`, once per idle-to-busy edge.
    pub fn new(wake: Box<dyn Wake>) -> Self {
        Self { lanes: Mutex::default(), bell: Bell::new(wake) }
    }

    fn lanes(&self) -> MutexGuard<'_, Lanes> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds something, and wakes the reader if it has nothing else to do.
    pub fn push(&self, told: Told) {
        let mut lanes = self.lanes();
        match told.part.can_wait() {
            true => lanes.patient.push_back(told),
            false => lanes.urgent.push_back(told),
        }
        drop(lanes);
        self.bell.ring();
    }

    /// Takes at most `most` things. Never blocks.
    pub fn take(&self, most: usize) -> Vec<Told> {
        self.bell.answered();
        let mut lanes = self.lanes();
        let urgent = lanes.urgent.len().min(most);
        let patient = lanes.patient.len().min(most - urgent);
        let Lanes { urgent: first, patient: second } = &mut *lanes;
        let batch = first.drain(..urgent).chain(second.drain(..patient)).collect();
        let more = !first.is_empty() || !second.is_empty();
        drop(lanes);
        if more {
            self.bell.ring();
        }
        batch
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

    fn told(part: Part, token: u64) -> Told {
        Told { client: 1, part, token, text: Bytes::new() }
    }

    #[test]
    fn answers_overtake_what_can_wait() {
        // Y09: a hundred thousand log messages, then the answer.
        let wakes = Arc::new(AtomicUsize::new(0));
        let inbox = Inbox::new(Box::new(Count(Arc::clone(&wakes))));
        for token in 0..100_000 {
            inbox.push(told(Part::Log, token));
        }
        inbox.push(told(Part::Progress, 7));
        inbox.push(told(Part::Result, 7));
        assert_eq!(wakes.load(Ordering::Relaxed), 1);
        let batch = inbox.take(4);
        let parts: Vec<_> = batch.iter().map(|told| (told.part, told.token)).collect();
        assert_eq!(parts, [(Part::Progress, 7), (Part::Result, 7), (Part::Log, 0), (Part::Log, 1)]);
        assert_eq!(wakes.load(Ordering::Relaxed), 2, "what is left wakes again");
    }
}
