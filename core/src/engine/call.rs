//! One run of a handler: from the request that started it, over the rounds of its questions, to its answer.
//! A call outlives a request: in the modern era it waits, parked, for the request that brings its answers.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use serde_json::value::RawValue;

use super::guard::Permit;
use super::host::{Job, JobKind, Notice, Principal};
use super::http::Arrival;
use super::timers::{Timed, TimerKey};
use super::visible::Seen;
use super::{Engine, Failure, FailureKind};
use crate::error::Error;
use crate::protocol::exchange::Exchange;
use crate::protocol::modern::input::{Continuation, Digest, Question};
use crate::protocol::peer::Running;
use crate::registry::Slot;
use crate::registry::listing::CacheHint;
use crate::registry::tool::Tool;
use crate::time::Now;
use crate::wire::write;

/// A running handler.
pub struct Call {
    pub(super) engine: Arc<Engine>,
    pub(super) work: Work,
    pub(super) origin: Origin,
    pub(super) started: Now,
    over: AtomicBool,
    /// Free for the host: what it knows the call by.
    pub tag: AtomicU64,
    /// Free for the host: what it keeps for the call.
    pub attached: Mutex<Option<Box<dyn Any + Send>>>,
    state: Mutex<State>,
}

/// What is being done.
pub(super) enum Work {
    Tool { tool: Arc<Tool> },
    Resource { hint: CacheHint, slot: Slot },
    Prompt { name: Box<str>, slot: Slot },
    Completion { slot: Slot },
    Visible(Mutex<Option<Box<Seen>>>),
    Authenticate(Mutex<Option<Box<Arrival>>>),
}

/// Where the request came from; the same for all its rounds.
#[derive(Clone, Default)]
pub(super) struct Origin {
    /// The whole message, for what a handler may ask about its request.
    pub message: Bytes,
    /// The handler's input.
    pub input: Bytes,
    /// Name or URI.
    pub target: Box<str>,
    pub head: Option<Arc<::http::request::Parts>>,
    pub principal: Option<Arc<Principal>>,
}

#[derive(Default)]
pub(super) struct State {
    /// The open request; none while the call is parked or after its end.
    pub exchange: Option<Exchange>,
    /// Answers that earlier rounds brought, in order; consumed as the handler asks again.
    pub log: Vec<(Digest, Box<RawValue>)>,
    pub log_used: Vec<bool>,
    /// Questions of an earlier round that are still without an answer: to ask them again is no change of way.
    pub expected: Vec<Digest>,
    /// Answers that came without a sealed question, by key.
    pub given: BTreeMap<String, Box<RawValue>>,
    /// All questions of this run, by number.
    pub questions: Vec<Asked>,
    /// Numbers of questions that the next flush sends out.
    pub unsent: Vec<u32>,
    pub steps: BTreeMap<Box<str>, Box<RawValue>>,
    /// Whether the run continues an earlier one.
    pub resumed: bool,
    /// Names the round the call is parked in.
    pub parked_as: Option<Continuation>,
    pub timer: Option<TimerKey>,
    pub permit: Option<Permit>,
}

pub(super) struct Asked {
    pub key: Box<str>,
    pub question: Arc<Question>,
    pub answered: bool,
}

impl Call {
    pub(super) fn new(
        engine: Arc<Engine>,
        work: Work,
        origin: Origin,
        exchange: Option<Exchange>,
        now: Now,
    ) -> Arc<Self> {
        Arc::new(Self {
            engine,
            work,
            origin,
            started: now,
            over: AtomicBool::new(false),
            tag: AtomicU64::new(0),
            attached: Mutex::new(None),
            state: Mutex::new(State { exchange, ..State::default() }),
        })
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the call is answered, cancelled or failed.
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// Ends the call; true for the one caller that may act on it.
    pub(super) fn finish(&self) -> bool {
        !self.over.swap(true, Ordering::AcqRel)
    }

    /// Gives the call to the host.
    pub(super) fn start(self: &Arc<Self>) {
        let (kind, slot) = match &self.work {
            Work::Tool { tool } => (JobKind::Tool, tool.slot),
            Work::Resource { slot, .. } => (JobKind::Resource, *slot),
            Work::Prompt { slot, .. } => (JobKind::Prompt, *slot),
            Work::Completion { slot } => (JobKind::Completion, *slot),
            Work::Visible(_) => (JobKind::Visible, 0),
            Work::Authenticate(_) => (JobKind::Authenticate, 0),
        };
        self.engine.host.start(Job { call: Arc::clone(self), kind, slot, text: self.origin.input.clone() });
    }

    /// How long the handler may take, if that is limited.
    pub(super) fn time_limit(&self) -> Option<Duration> {
        match &self.work {
            Work::Tool { tool } => tool.options.timeout.or(self.engine.options.timeout),
            _ => self.engine.options.timeout,
        }
    }

    /// Ends the call at a time, unless it ends before.
    pub(super) fn limit_to(self: &Arc<Self>, time: Duration, now: Now) {
        let weak: std::sync::Weak<dyn Timed> = Arc::downgrade(&(Arc::clone(self) as Arc<dyn Timed>));
        let key = self.engine.timers.set(now.monotonic + time, weak);
        self.state().timer = Some(key);
    }

    /// Takes the call out of everything that knows it, and gives back what it held.
    pub(super) fn leave(self: &Arc<Self>) -> Option<Exchange> {
        let (exchange, timer, permit, waits) = {
            let mut state = self.state();
            let waits = state.questions.iter().any(|asked| !asked.answered);
            (state.exchange.take(), state.timer.take(), state.permit.take(), waits)
        };
        if let Some(key) = timer {
            self.engine.timers.clear(key);
        }
        drop(permit);
        if let Some(exchange) = &exchange
            && let Some(peer) = &exchange.peer
        {
            peer.state().in_flight.remove(&exchange.id);
        }
        if let Some(exchange) = exchange.as_ref().filter(|_| waits) {
            // Before the answer: the questions went out on the stream that ends with it.
            let asker: Arc<dyn crate::protocol::outgoing::Asker> = self.clone();
            self.engine.withdraw_questions(exchange, &asker, "the call that asked is over");
        }
        exchange
    }

    /// Tells the client how far the call is, or something about it; nothing after its end (X03).
    pub fn notice(&self, notice: Notice<'_>) {
        let mut state = self.state();
        let Some(exchange) = &mut state.exchange else { return };
        match notice {
            Notice::Progress { progress, total, message } => exchange.report_progress(progress, total, message),
            Notice::Log { level, logger, data } => exchange.log(level, logger, data),
        }
    }

    /// The head of the HTTP request that it came with.
    pub fn head(&self) -> Option<&::http::request::Parts> {
        self.origin.head.as_deref()
    }

    /// Whether the call has questions that no flush has sent yet.
    pub fn has_unsent(&self) -> bool {
        !self.state().unsent.is_empty()
    }

    /// Ends the event stream of the call early, where its client can poll for the rest (SEP-1699).
    pub fn close_stream(&self) {
        let state = self.state();
        if let Some(exchange) = &state.exchange {
            exchange.sink.close_early();
        }
    }

    /// The kept result of a step, as JSON text.
    pub fn step(&self, name: &str) -> Option<Box<RawValue>> {
        self.state().steps.get(name).cloned()
    }

    /// Keeps the result of a step: a replay will not run it again.
    pub fn keep_step(&self, name: &str, value: Box<RawValue>) {
        self.state().steps.insert(name.into(), value);
    }
}

impl Running for Call {
    fn cancel(self: Arc<Self>, reason: &str) {
        if !self.finish() {
            return;
        }
        if let Some(mut exchange) = self.leave() {
            exchange.end();
            exchange.sink.withdrawn();
        }
        self.engine.audit(&self, "cancelled");
        self.engine.host.cancel(&self, reason);
    }
}

impl Timed for Call {
    fn due(self: Arc<Self>, engine: &Arc<Engine>, now: Now) -> Option<Duration> {
        self.state().timer = None;
        let limit = match &self.work {
            Work::Tool { tool } => tool.options.timeout,
            _ => None,
        };
        let limit = limit.or(engine.options.timeout).unwrap_or_default();
        let failure = Failure {
            kind: FailureKind::Tool,
            message: format!("the call took longer than its time limit ({} s)", limit.as_secs_f64()),
            code: None,
            data: None,
        };
        let parked_as = self.state().parked_as.take();
        match parked_as {
            Some(continuation) => {
                engine.parked().remove(&continuation);
                if self.finish() {
                    self.leave();
                    engine.audit(&self, "expired");
                }
            }
            None => engine.fail(&self, failure, now),
        }
        engine.host.cancel(&self, "its time is up");
        None
    }
}

/// The error of a thing that does not exist, or that the caller may not see: both look the same (security 57).
pub(super) fn not_found(work: &Work, target: &str, code: i64) -> Error {
    match work {
        Work::Tool { .. } => Error::invalid_params(format!("Unknown tool: {target}")),
        Work::Prompt { .. } => Error::invalid_params(format!("Unknown prompt: {target}")),
        _ => resource_not_found(target, code),
    }
}

/// The error of a resource that does not exist; `data` names it, as the specification shows.
pub(super) fn resource_not_found(uri: &str, code: i64) -> Error {
    let error = Error::invalid_params(format!("Resource not found: {uri}")).with_code(code);
    let mut data = b"{\"uri\":".to_vec();
    write::string(&mut data, uri);
    data.push(b'}');
    match String::from_utf8(data).ok().and_then(|text| RawValue::from_string(text).ok()) {
        Some(data) => error.with_data(data),
        None => error,
    }
}
