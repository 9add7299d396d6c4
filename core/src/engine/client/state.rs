//! Calls: from their start over the requests that they need to their one result.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use rustc_hash::FxHashMap;
use serde_json::value::RawValue;

use super::connect::Connecting;
use super::host::{AskKind, Change, Token};
use super::http_link::Http;
use super::input::{Ask, Input};
use super::operation::{Operation, Plan};
use super::options::{CallOptions, ClientOptions};
use super::request;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{ClientCapabilities, Era, Level, Method, Version, params};
use crate::time::Now;
use crate::wire::{RequestId, raw, write};

/// What an event leads to.
pub(super) enum Effect {
    Line(Bytes),
    Restart,
    Request(u64, Box<Request<Bytes>>),
    Abort(u64),
    Close,
    Result(Token, Result<Box<RawValue>>),
    Progress(Token, Box<RawValue>),
    Log(Option<Token>, Box<RawValue>),
    Change(Change),
    Ask(u64, AskKind, Box<RawValue>),
    Withdrawn(u64),
    Closed(Error),
    Report(Level, String),
}

/// How far the connection is.
pub(super) enum Phase {
    Idle,
    Connecting(Connecting),
    Ready(Version),
    Closed(Error),
}

/// What waits for the answer to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Discover,
    Initialize,
    Call(Token),
}

/// A request without an answer.
pub(super) struct Sent {
    pub purpose: Purpose,
    /// The HTTP request that carries it.
    pub exchange: Option<u64>,
}

/// What a deadline is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Timer {
    Probe,
    Connect,
    Call(Token),
}

/// One call.
pub(super) struct Call {
    pub operation: Operation,
    pub params: Box<RawValue>,
    pub plan: Plan,
    timeout: Duration,
    total: Duration,
    /// When it is over, whatever progress there is.
    ends: Duration,
    due: Option<Duration>,
    /// The id of its open request.
    pub id: Option<u64>,
    pub rounds: u32,
    pub input: Option<Input>,
    /// Its answer was given, and it goes on telling changes.
    pub open: bool,
}

pub(super) struct State {
    pub options: Arc<ClientOptions>,
    pub capabilities: ClientCapabilities,
    pub phase: Phase,
    pub server: Option<Box<RawValue>>,
    /// Present when the carrier is HTTP.
    pub http: Option<Http>,
    /// In the order of their start.
    pub calls: BTreeMap<Token, Call>,
    pub sent: FxHashMap<u64, Sent>,
    pub asks: FxHashMap<u64, Ask>,
    /// The level that modern requests carry.
    pub level: Option<Level>,
    timers: BTreeSet<(Duration, Timer)>,
    last_token: Token,
    pub last_id: u64,
    pub last_ask: u64,
    pub effects: Vec<Effect>,
    /// Somebody runs effects.
    pub running: bool,
    /// When the next tick was said to come.
    pub promised: Option<Duration>,
}

impl State {
    pub fn new(options: ClientOptions, http: Option<Http>) -> Self {
        let declared = serde_json::from_str::<&RawValue>(&options.capabilities).ok();
        let capabilities = declared.and_then(|raw| ClientCapabilities::parse(raw).ok()).unwrap_or_default();
        Self {
            options: Arc::new(options),
            capabilities,
            phase: Phase::Idle,
            server: None,
            http,
            calls: BTreeMap::new(),
            sent: FxHashMap::default(),
            asks: FxHashMap::default(),
            level: None,
            timers: BTreeSet::new(),
            last_token: 0,
            last_id: 0,
            last_ask: 0,
            effects: Vec::new(),
            running: false,
            promised: None,
        }
    }

    pub fn version(&self) -> Option<Version> {
        match self.phase {
            Phase::Ready(version) => Some(version),
            _ => None,
        }
    }

    pub fn next_token(&mut self) -> Token {
        self.last_token += 1;
        self.last_token
    }

    pub fn report(&mut self, level: Level, text: String) {
        self.effects.push(Effect::Report(level, text));
    }

    pub fn start(&mut self, operation: Operation, text: &str, options: CallOptions, now: Now) -> Token {
        let token = self.next_token();
        let text = if text.trim().is_empty() { "{}" } else { text };
        let params = match RawValue::from_string(text.to_owned()) {
            Ok(params) if raw::is_object(&params) => params,
            _ => {
                let error =
                    Error::invalid_params(format!("the parameters of `{}` must be an object", operation.as_str()));
                self.effects.push(Effect::Result(token, Err(error)));
                return token;
            }
        };
        let limits = &self.options.limits;
        let call = Call {
            operation,
            params,
            plan: Plan::Nothing,
            timeout: options.timeout.unwrap_or(limits.call_for),
            total: options.total.unwrap_or(limits.call_total),
            ends: Duration::MAX,
            due: None,
            id: None,
            rounds: 0,
            input: None,
            open: false,
        };
        match &self.phase {
            Phase::Closed(error) => {
                let error = closed_again(error);
                self.effects.push(Effect::Result(token, Err(error)));
            }
            Phase::Ready(_) => {
                self.calls.insert(token, call);
                self.dispatch(token, now);
            }
            Phase::Idle | Phase::Connecting(_) => {
                self.calls.insert(token, call);
            }
        }
        token
    }

    /// Does a call that waited for the connection, or comes after it.
    pub fn dispatch(&mut self, token: Token, now: Now) {
        let Some(version) = self.version() else { return };
        let Some(call) = self.calls.get_mut(&token) else { return };
        call.plan = call.operation.plan(version.era());
        call.ends = now.monotonic.saturating_add(call.total);
        let outcome = match call.plan {
            Plan::Request(method) | Plan::Empty(method) if !method.reaches_server(version) => {
                Err(Error::method_not_found(call.operation.as_str()))
            }
            Plan::Request(_) | Plan::Empty(_) | Plan::Open | Plan::OpenOne => {
                self.arm(token, now);
                self.issue(token, now);
                return;
            }
            Plan::KeepLevel => self.keep_level(token),
            Plan::CloseOne => self.close_one(token),
            Plan::Nothing => Self::acknowledged_without_request(call),
        };
        self.finish(token, outcome);
    }

    /// Sends the request of a call, or its next one.
    pub fn issue(&mut self, token: Token, now: Now) {
        let Some(version) = self.version() else { return };
        let id = self.next_id();
        let Some(call) = self.calls.get_mut(&token) else { return };
        call.id = Some(id);
        call.rounds += 1;
        let input = call.input.take();
        let method = match call.plan {
            Plan::Request(method) | Plan::Empty(method) => method,
            _ => Method::Listen,
        };
        let mut out = Vec::with_capacity(call.params.get().len() + 512);
        write::request_with(&mut out, &RequestId::Int(id.into()), method.as_str(), |out| {
            let meta = request::Meta { progress: Some(id), version, options: &self.options, level: self.level };
            match call.plan {
                Plan::OpenOne => super::subscribe::write_one(out, &call.params, &meta),
                Plan::Empty(Method::Discover) => request::write(out, "{}", &meta, None),
                _ => request::write(out, call.params.get(), &meta, input.as_ref()),
            }
        });
        let name = match method.row().name_field {
            Some(field) if self.http.is_some() => request::name(&call.params, field),
            _ => None,
        };
        self.sent.insert(id, Sent { purpose: Purpose::Call(token), exchange: None });
        self.send_request(id, version, method, name.as_deref(), out, now);
    }

    pub fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    /// Sends a request over whatever carries it.
    pub fn send_request(
        &mut self,
        id: u64,
        version: Version,
        method: Method,
        name: Option<&str>,
        message: Vec<u8>,
        now: Now,
    ) {
        match &mut self.http {
            None => self.send_line(message),
            Some(_) => self.post_request(id, version, method, name, message, now),
        }
    }

    /// Sends a notification, or an answer of ours.
    pub fn send_notice(&mut self, message: Vec<u8>) {
        match &mut self.http {
            None => self.send_line(message),
            Some(_) => self.post_notice(message),
        }
    }

    fn send_line(&mut self, message: Vec<u8>) {
        let line = match raw::one_line(&message) {
            std::borrow::Cow::Borrowed(_) => message.into(),
            std::borrow::Cow::Owned(line) => line.into(),
        };
        self.effects.push(Effect::Line(line));
    }

    /// The answer to request `id` came; one to nothing that is open is dropped (W11, X03).
    pub fn answered(&mut self, id: u64, outcome: Result<&RawValue>, status: Option<u16>, now: Now) {
        let Some(sent) = self.sent.remove(&id) else { return };
        match sent.purpose {
            Purpose::Discover => self.discovered(outcome, status, now),
            Purpose::Initialize => self.initialized(outcome, status, now),
            Purpose::Call(token) => match outcome {
                Ok(result) => self.call_answered(token, result, now),
                Err(error) => self.finish(token, Err(error)),
            },
        }
    }

    fn call_answered(&mut self, token: Token, result: &RawValue, now: Now) {
        let Some(call) = self.calls.get_mut(&token) else { return };
        call.id = None;
        let plan = call.plan;
        let is_modern = self.version().is_some_and(|version| version.era() == Era::Modern);
        if !raw::is_object(result) {
            return self.finish(token, Err(invalid("the result is no object")));
        }
        if is_modern {
            let kind = raw::get(result, "resultType").ok().flatten().map(|kind| params::text(kind, "resultType"));
            match kind {
                None => {}
                Some(Ok(kind)) if kind == "complete" => {}
                Some(Ok(kind)) if kind == "input_required" => return self.input_required(token, result, now),
                // The revision forbids to guess what an unknown kind means (W17).
                Some(_) => return self.finish(token, Err(invalid("the result is of an unknown type"))),
            }
        }
        let answer = match plan {
            Plan::Empty(_) => empty(),
            _ => result.to_owned(),
        };
        self.finish(token, Ok(answer));
    }

    /// Ends a call: it leaves everything that knows it, and its host is told.
    pub fn finish(&mut self, token: Token, outcome: Result<Box<RawValue>>) {
        let Some(call) = self.forget(token) else { return };
        self.effects.push(match call.open {
            true => Effect::Change(Change::Ended { token }),
            false => Effect::Result(token, outcome),
        });
    }

    /// Takes a call out of everything that knows it.
    pub fn forget(&mut self, token: Token) -> Option<Call> {
        let call = self.calls.remove(&token)?;
        if let Some(due) = call.due {
            self.timers.remove(&(due, Timer::Call(token)));
        }
        if let Some(sent) = call.id.and_then(|id| self.sent.remove(&id))
            && let Some(exchange) = sent.exchange
        {
            self.abort(exchange);
        }
        self.withdraw_asks(|ask| ask.is_of(token));
        Some(call)
    }

    pub fn cancel(&mut self, token: Token, reason: &str) {
        self.tell_cancelled(token, reason);
        if let Some(call) = self.forget(token)
            && !call.open
        {
            let error = Error::new(ErrorKind::Cancelled, format!("the call was cancelled: {reason}"));
            self.effects.push(Effect::Result(token, Err(error)));
        }
    }

    /// Tells the server that an answer is no longer wanted. Over modern HTTP the end of the request says so.
    fn tell_cancelled(&mut self, token: Token, reason: &str) {
        let (Some(version), Some(id)) = (self.version(), self.calls.get(&token).and_then(|call| call.id)) else {
            return;
        };
        if self.http.is_some() && version.era() == Era::Modern {
            return;
        }
        let mut out = Vec::with_capacity(128);
        write::notification_with(&mut out, Method::Cancelled.as_str(), |out| {
            out.push(b'{');
            write::key(out, "requestId");
            RequestId::Int(id.into()).write(out);
            write::member_string(out, "reason", reason);
            write::close(out);
        });
        self.send_notice(out);
    }

    /// Starts the time of a call anew, within its total.
    pub fn arm(&mut self, token: Token, now: Now) {
        let Some(call) = self.calls.get_mut(&token) else { return };
        if let Some(due) = call.due.take() {
            self.timers.remove(&(due, Timer::Call(token)));
        }
        if call.open {
            return;
        }
        let due = now.monotonic.saturating_add(call.timeout).min(call.ends);
        call.due = Some(due);
        self.timers.insert((due, Timer::Call(token)));
    }

    /// Takes the time limit of a call away.
    pub fn disarm(&mut self, token: Token) {
        if let Some(due) = self.calls.get_mut(&token).and_then(|call| call.due.take()) {
            self.timers.remove(&(due, Timer::Call(token)));
        }
    }

    pub fn set_timer(&mut self, at: Duration, timer: Timer) {
        self.timers.insert((at, timer));
    }

    /// Takes back the timers of the connection's making.
    pub fn clear_connect_timers(&mut self) {
        self.timers.retain(|(_, timer)| matches!(timer, Timer::Call(_)));
    }

    pub fn next_due(&self) -> Option<Duration> {
        self.timers.first().map(|(at, _)| *at)
    }

    pub fn tick(&mut self, now: Now) {
        while let Some((at, timer)) = self.timers.first().copied().filter(|(at, _)| *at <= now.monotonic) {
            self.timers.remove(&(at, timer));
            match timer {
                Timer::Probe => self.probe_silent(now),
                Timer::Connect => self.connect_timed_out(),
                Timer::Call(token) => self.call_due(token, now),
            }
        }
    }

    fn call_due(&mut self, token: Token, now: Now) {
        let Some(call) = self.calls.get_mut(&token) else { return };
        call.due = None;
        let (timeout, total, over) = (call.timeout, call.total, call.ends <= now.monotonic);
        // While somebody thinks about a question of the server, the server is not late.
        if !over && !self.asks.is_empty() {
            return self.arm(token, now);
        }
        let text = match over {
            true => format!("no answer within {} s in all", total.as_secs_f64()),
            false => format!("no answer within {} s", timeout.as_secs_f64()),
        };
        self.tell_cancelled(token, &text);
        let error = Error::new(ErrorKind::Timeout, text).with("operation", self.calls[&token].operation.as_str());
        self.finish(token, Err(error));
    }

    /// The connection is over: everything fails with what is known about that, at once (W23).
    pub fn end(&mut self, error: Error) {
        if matches!(self.phase, Phase::Closed(_)) {
            return;
        }
        let connecting = match std::mem::replace(&mut self.phase, Phase::Closed(closed_again(&error))) {
            Phase::Connecting(connecting) => Some(connecting.token),
            _ => None,
        };
        self.timers.clear();
        self.sent.clear();
        self.withdraw_asks(|_| true);
        if let Some(token) = connecting {
            self.effects.push(Effect::Result(token, Err(copy(&error))));
        }
        for (token, call) in std::mem::take(&mut self.calls) {
            self.effects.push(match call.open {
                true => Effect::Change(Change::Ended { token }),
                false => Effect::Result(token, Err(closed_again(&error))),
            });
        }
        self.end_http();
        self.effects.push(Effect::Close);
        self.effects.push(Effect::Closed(error));
    }
}

/// The empty result.
pub(super) fn empty() -> Box<RawValue> {
    RawValue::from_string("{}".to_owned()).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// A result that breaks the protocol.
pub(super) fn invalid(what: &str) -> Error {
    Error::new(ErrorKind::InvalidRequest, format!("the server broke the protocol: {what}"))
}

/// The same failure for one more call, as `Closed`.
fn closed_again(error: &Error) -> Error {
    facts_of(error, Error::new(ErrorKind::Closed, error.message()))
}

fn copy(error: &Error) -> Error {
    let copy = facts_of(error, Error::new(error.kind(), error.message()).with_code(error.code()));
    match error.data() {
        Some(data) => copy.with_data(data.to_owned()),
        None => copy,
    }
}

fn facts_of(error: &Error, copy: Error) -> Error {
    error.context().iter().fold(copy, |copy, (name, value)| copy.with(name, value))
}
