//! The other sides of the client: whoever started the calls, and the ways out.

use std::sync::Arc;

use bytes::Bytes;
use http::Request;
use serde_json::value::RawValue;

use crate::error::{Error, Result};
use crate::model::{Level, Method};

/// Names a call to whoever started it.
pub type Token = u64;

/// Whoever started the calls. Called without any lock held and in the order of events; must not block. It may call the engine.
pub trait ClientHost: Send + Sync {
    /// The answer of a call, once; nothing follows for its token, but for an open subscription (see [`Change::Ended`]).
    fn result(&self, token: Token, result: Result<Box<RawValue>>);

    /// The answer of a call by hand that says what input it needs; see [`CallOptions::by_hand`](super::CallOptions::by_hand). Nothing
    /// follows for its token either.
    fn input_required(&self, token: Token, result: Box<RawValue>) {
        self.result(token, Ok(result));
    }

    /// How far a call is: the parameters of `notifications/progress`.
    fn progress(&self, token: Token, params: Box<RawValue>);

    /// The parameters of `notifications/message`, and the call it was sent for where that is known.
    fn log(&self, token: Option<Token>, params: Box<RawValue>);

    /// Something changed at the server.
    fn change(&self, change: Change);

    /// The server asks something; [`ClientEngine::answer`](super::ClientEngine::answer) takes the answer. Only what the client
    /// declared a capability for is asked. `params` is the protocol's own object, `{}` where it was left out.
    fn ask(&self, number: u64, kind: AskKind, params: Box<RawValue>);

    /// The answer to question `number` is no longer wanted.
    fn withdrawn(&self, number: u64);

    /// How the connection is; told at each change.
    fn state(&self, state: ClientState);

    /// The connection is over, and every call has its result.
    fn closed(&self, error: Error);

    /// A fault that harms no call but is worth a line in the log.
    fn report(&self, level: Level, text: String);

    /// A line that the server process wrote to stderr. It comes from the carrier, beside the events of the engine; when the host is
    /// slow, lines are dropped and counted.
    fn stderr(&self, line: &str) {
        let _ = line;
    }
}

/// How a connection is. After its end [`ClientHost::closed`] says why.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClientState {
    /// It is made for the first time.
    Connecting,
    /// Calls are sent at once.
    Ready,
    /// It was lost for the reason given and is made anew; calls wait.
    Recovering { cause: Box<str> },
    /// It was given up for the reason given.
    Failed { cause: Box<str> },
    /// It was closed by its user.
    Closed,
}

impl ClientState {
    /// Its name at the language boundary.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Connecting => "connecting",
            Self::Ready => "ready",
            Self::Recovering { .. } => "recovering",
            Self::Failed { .. } => "failed",
            Self::Closed => "closed",
        }
    }

    /// Why it is so, where there is a reason.
    pub fn cause(&self) -> Option<&str> {
        match self {
            Self::Recovering { cause } | Self::Failed { cause } => Some(cause),
            _ => None,
        }
    }
}

/// What is different in a list of tools: names, each list sorted. Tools are compared by a hash of name, description and schemas.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolsDiff {
    /// Tools that were not there before.
    pub added: Vec<Box<str>>,
    /// Tools that are no longer there.
    pub removed: Vec<Box<str>>,
    /// Tools whose description or schemas are different.
    pub changed: Vec<Box<str>>,
}

/// What a server may ask a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AskKind {
    /// `elicitation/create` with a form.
    Elicit,
    /// `elicitation/create` with a URL.
    ElicitUrl,
    /// `sampling/createMessage`.
    Sample,
    /// `roots/list`.
    Roots,
}

impl AskKind {
    /// Our word for it: the member that names it where a question crosses to a language.
    pub fn word(self) -> &'static str {
        match self {
            Self::Elicit => "elicit",
            Self::ElicitUrl => "elicit_url",
            Self::Sample => "sample",
            Self::Roots => "roots",
        }
    }

    /// The method that asks it.
    pub(super) fn method(self) -> Method {
        match self {
            Self::Elicit | Self::ElicitUrl => Method::Elicit,
            Self::Sample => Method::Sample,
            Self::Roots => Method::ListRoots,
        }
    }
}

/// What changed at the server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// The list of tools. It comes once for all notifications of `refresh_after`. What is different is known when the tools had been
    /// listed before and could be listed again; nothing may be, where only titles or annotations changed.
    Tools(Option<Box<ToolsDiff>>),
    /// The list of resources, or that of templates.
    Resources,
    /// The list of prompts.
    Prompts,
    /// One resource.
    Resource { uri: Box<str> },
    /// Changes may have been missed: the subscription that this call opened was interrupted and is open again. Without a call, the
    /// whole connection was made anew, and every list and resource may have changed.
    Missed { token: Option<Token> },
    /// The subscription that this call opened is over; changes may have been missed since.
    Ended { token: Token },
}

impl Change {
    /// Its name at the language boundary.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Tools(_) => "tools",
            Self::Resources => "resources",
            Self::Prompts => "prompts",
            Self::Resource { .. } => "resource",
            Self::Missed { .. } => "missed",
            Self::Ended { .. } => "ended",
        }
    }
}

/// The way out over a stream of messages. Implementations queue and return; they never block and never call the engine.
pub trait LineSink: Send + Sync {
    /// Queues one message without its line end; there is no line end in it.
    fn send(&self, message: Bytes);

    /// Starts the server anew; what is sent afterwards goes to the new one. One that still runs is ended first, and its end is not
    /// reported. Where there can be no new one, the stream is reported as closed.
    fn restart(&self);

    /// Nothing will be sent any more.
    fn close(&self);

    /// Bytes that wait for a server that does not read. Calls are refused while they are more than `queued_bytes`.
    fn queued(&self) -> usize {
        0
    }
}

/// The way out over HTTP. Implementations queue and return; they never block and never call the engine from here.
///
/// Every request ends in the engine exactly once: with `http_end` or `http_failed`, unless it was aborted.
pub trait RequestSink: Send + Sync {
    /// Starts a request. What comes back is told to the engine under `id`.
    fn start(&self, id: u64, request: Request<Bytes>);

    /// Ends a request whose answer nobody waits for.
    fn abort(&self, id: u64);

    /// No request will be started any more; those under way may end.
    fn close(&self);
}

/// How a client reaches its server.
pub enum Link {
    /// One stream of messages.
    Lines(Arc<dyn LineSink>),
    /// HTTP requests to an absolute URL, each with the user's headers.
    Http { sink: Arc<dyn RequestSink>, url: Box<str>, headers: http::HeaderMap },
}
