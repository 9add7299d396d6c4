//! The other side of the engine: whoever runs handlers. A language drains a queue of these, the Rust API runs them at once.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::value::RawValue;

use super::call::Call;
use crate::error::Error;
use crate::model::Level;
use crate::registry::Slot;

/// Runs handlers. Called without any lock held; must not block.
pub trait Host: Send + Sync {
    /// Runs a handler. It ends with `Engine::complete` or `Engine::fail`, unless it is cancelled.
    fn start(&self, job: Job);

    /// The answer to question `number` of a running call.
    fn answer(&self, call: &Arc<Call>, number: u32, answer: Result<Box<RawValue>, Error>);

    /// Nobody waits for the call any more.
    fn cancel(&self, call: &Arc<Call>, reason: &str);

    /// Something happened that belongs to no call.
    fn event(&self, event: Event);
}

/// A handler to run.
pub struct Job {
    pub call: Arc<Call>,
    pub kind: JobKind,
    pub slot: Slot,
    /// Its input as JSON text; the form depends on the kind.
    pub text: Bytes,
}

/// What sort of handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobKind {
    /// Input: the arguments object.
    Tool,
    /// Input: `{"uri", "variables"}`.
    Resource,
    /// Input: the arguments object.
    Prompt,
    /// Input: `{"argument", "value", "arguments"}`.
    Completion,
    /// Input: `{"kind", "names"}`; output: the array of names that the caller may see.
    Visible,
    /// Input: `{"headers"}`; output: a principal.
    Authenticate,
}

/// What belongs to no call.
#[derive(Debug)]
pub enum Event {
    /// A client's roots changed.
    RootsChanged,
    /// A client subscribed to a resource that nobody else was subscribed to, or the last one is gone.
    Subscription { uri: Box<str>, active: bool },
    /// A call is over; JSON text, see `engine::audit`.
    Audit(String),
    /// A fault worth a line in the log. Never holds arguments, results or header values (security 47, 53).
    Report { level: Level, text: String },
}

/// What a handler tells while it runs.
#[derive(Debug, PartialEq)]
pub enum Notice<'a> {
    Progress { progress: f64, total: Option<f64>, message: Option<&'a str> },
    Log { level: Level, logger: Option<&'a str>, data: &'a str },
}

/// Why a handler did not answer.
#[derive(Debug)]
pub struct Failure {
    pub kind: FailureKind,
    pub message: String,
    pub code: Option<i64>,
    /// JSON text.
    pub data: Option<Box<RawValue>>,
}

/// How a failure is told to the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// A tool's own error, meant for the model: never masked.
    Tool,
    /// A protocol error with the handler's code.
    Protocol,
    /// An exception that nobody meant: its text may be masked.
    Internal,
    /// The thing that was named does not exist after all.
    NotFound,
}

/// Who sends a request, as the host's check found out.
#[derive(Debug)]
pub struct Principal {
    pub subject: Box<str>,
    /// The application that acts for the subject, where it is known.
    pub client: Option<Box<str>>,
    /// The whole principal as JSON text.
    pub text: Box<RawValue>,
}

impl Principal {
    /// What state and sessions are bound to: subject and client, never the token itself (R11).
    pub fn key(&self) -> String {
        match &self.client {
            Some(client) => format!("{}\u{0}{client}", self.subject),
            None => self.subject.to_string(),
        }
    }
}
