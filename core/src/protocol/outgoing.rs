//! Requests that we sent and whose answers we wait for: ids, deadlines, late answers.

use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxHashMap;
use serde_json::value::RawValue;

use super::sink::Sink;
use crate::error::{Error, ErrorKind};
use crate::model::Method;
use crate::wire::{RequestId, write};

/// Whoever waits for an answer.
pub trait Asker: Send + Sync {
    /// The peer answered question `number`.
    fn answered(self: Arc<Self>, number: u32, answer: Result<&RawValue, Error>);

    /// The way the question went out, while it is open.
    fn way(&self) -> Option<Arc<dyn Sink>> {
        None
    }
}

/// A question that is not answered yet.
pub struct Question {
    pub asker: Arc<dyn Asker>,
    pub number: u32,
    pub deadline: Duration,
}

impl Question {
    /// Tells the asker that no answer will come.
    pub fn give_up(self, reason: &str) {
        self.asker.answered(self.number, Err(Error::new(ErrorKind::Closed, format!("no answer will come: {reason}"))));
    }

    /// Tells the asker that the answer took too long.
    pub fn time_out(self) {
        self.asker.answered(self.number, Err(Error::new(ErrorKind::Timeout, "the client did not answer in time")));
    }
}

/// The message that takes a question back, to the peer that was asked.
/// See <https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/cancellation>.
pub fn cancellation(id: &RequestId, reason: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(128);
    write::notification_with(&mut out, Method::Cancelled.as_str(), |out| {
        out.extend_from_slice(b"{\"requestId\":");
        id.write(out);
        out.extend_from_slice(b",\"reason\":");
        write::string(out, reason);
        out.push(b'}');
    });
    out
}

/// The questions of one peer, by the id they were sent under.
#[derive(Default)]
pub struct Outgoing {
    last: i128,
    /// Whether somebody already watches the deadlines.
    pub watched: bool,
    waiting: FxHashMap<RequestId, Question>,
}

impl Outgoing {
    /// Takes the next id for a question.
    pub fn register(&mut self, question: Question) -> RequestId {
        self.last += 1;
        let id = RequestId::Int(self.last);
        self.waiting.insert(id.clone(), question);
        id
    }

    /// The question that an answer belongs to; none for a late or foreign answer.
    pub fn take(&mut self, id: &RequestId) -> Option<Question> {
        self.waiting.remove(id)
    }

    /// Takes back all questions of one asker, with their ids: its call is over.
    pub fn take_of(&mut self, asker: &Arc<dyn Asker>) -> Vec<RequestId> {
        let ids: Vec<_> = self
            .waiting
            .iter()
            .filter(|(_, question)| Arc::ptr_eq(&question.asker, asker))
            .map(|(id, _)| id.clone())
            .collect();
        for id in &ids {
            self.waiting.remove(id);
        }
        ids
    }

    /// The questions whose time is up.
    pub fn take_due(&mut self, now: Duration) -> Vec<(RequestId, Question)> {
        let due: Vec<_> =
            self.waiting.iter().filter(|(_, question)| question.deadline <= now).map(|(id, _)| id.clone()).collect();
        due.into_iter().filter_map(|id| self.waiting.remove(&id).map(|question| (id, question))).collect()
    }

    /// The next deadline.
    pub fn next_due(&self) -> Option<Duration> {
        self.waiting.values().map(|question| question.deadline).min()
    }

    /// All questions.
    pub fn take_all(&mut self) -> Vec<Question> {
        std::mem::take(&mut self.waiting).into_values().collect()
    }
}
