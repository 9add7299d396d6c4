//! What a client knows of its connection: how far it is, what is under way, what is due when.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use rustc_hash::FxHashMap;
use serde_json::value::RawValue;

use super::cache::{Cache, Topic};
use super::call::{Call, Waiter};
use super::changes::Changes;
use super::connect::Connecting;
use super::general::General;
use super::host::{AskKind, Change, ClientState, Token};
use super::http_link::{Http, Post};
use super::input::Asked;
use super::options::ClientOptions;
use super::pulse::Pulse;
use super::recover::Recovery;
use super::renew::Kept;
use super::resume::Resume;
use super::tools::{Tool, Tools};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{ClientCapabilities, Level, Version};
use crate::time::Now;
use crate::wire::raw;

/// What an event leads to.
pub(super) enum Effect {
    Line(Bytes),
    Restart,
    Request(u64, Box<Request<Bytes>>),
    Abort(u64),
    Close,
    Result(Token, Result<Box<RawValue>>),
    InputRequired(Token, Box<RawValue>),
    /// The result of a tool, which its output schema is held against: not under the lock, since that may take long.
    Checked(Token, Box<RawValue>, Arc<Tool>),
    Progress(Token, Box<RawValue>),
    Log(Option<Token>, Box<RawValue>),
    Change(Change),
    Ask(u64, AskKind, Box<RawValue>),
    Withdrawn(u64),
    State(ClientState),
    Closed(Error),
    Report(Level, String),
}

/// How far the connection is.
pub(super) enum Phase {
    Idle,
    Connecting(Connecting),
    /// It was lost, and the next attempt to make it anew waits for its time.
    Lost,
    Ready(Version),
    Closed(Error),
}

impl Phase {
    /// The revision that is spoken, once the connection is made.
    pub fn version(&self) -> Option<Version> {
        match self {
            Self::Ready(version) => Some(*version),
            _ => None,
        }
    }
}

/// What waits for the answer to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Discover,
    Initialize,
    Call(Token),
    /// Whether the server is there.
    Ping,
    /// What an earlier connection had: a subscription, the log level.
    Renew,
}

impl Purpose {
    /// The call that it is for, if any.
    pub fn call(self) -> Option<Token> {
        match self {
            Self::Call(token) => Some(token),
            _ => None,
        }
    }
}

/// A request without an answer.
pub(super) struct Sent {
    pub purpose: Purpose,
    /// The HTTP request that carries it.
    pub exchange: Option<u64>,
    /// Where its event stream is taken up again.
    pub resume: Option<Resume>,
}

impl Sent {
    pub fn new(purpose: Purpose) -> Self {
        Self { purpose, exchange: None, resume: None }
    }
}

/// What a deadline is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Timer {
    Probe,
    Connect,
    /// The next attempt to make a lost connection anew.
    Recover,
    Call(Token),
    /// The event stream of that request is asked for again.
    Resume(u64),
    /// The request of that call is sent again.
    Repeat(Token),
    /// The general stream of a legacy session is opened again.
    General,
    /// Whether the server was silent for too long.
    Pulse,
    /// Changes of a list were gathered.
    Changed(Topic),
    /// The host's answer to that question of a legacy server.
    Ask(u64),
}

pub(super) struct State {
    pub options: Arc<ClientOptions>,
    /// What the options declare.
    pub declared: ClientCapabilities,
    /// What the revision that is spoken has of that.
    pub capabilities: ClientCapabilities,
    pub phase: Phase,
    pub recovery: Recovery,
    pub pulse: Pulse,
    pub kept: Kept,
    pub general: General,
    /// The host wants to hear of changes of lists.
    pub watches: bool,
    pub server: Option<Box<RawValue>>,
    /// Present when the carrier is HTTP.
    pub http: Option<Http>,
    /// In the order of their start.
    pub calls: BTreeMap<Token, Call>,
    pub sent: FxHashMap<u64, Sent>,
    pub asks: FxHashMap<u64, Asked>,
    pub tools: Tools,
    pub cache: Cache,
    pub changes: Changes,
    /// The level of log messages that was asked for; modern requests carry it, legacy sessions are told once.
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
        let recovery = Recovery::new(options.known);
        let watches = options.watch_changes;
        Self {
            cache: Cache::new(options.limits.cache_bytes),
            changes: Changes::default(),
            options: Arc::new(options),
            declared: capabilities,
            capabilities,
            phase: Phase::Idle,
            recovery,
            pulse: Pulse::default(),
            kept: Kept::default(),
            general: General::default(),
            watches,
            server: None,
            http,
            calls: BTreeMap::new(),
            sent: FxHashMap::default(),
            asks: FxHashMap::default(),
            tools: Tools::default(),
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

    /// The revision that is spoken, or was until the connection was lost.
    pub fn version(&self) -> Option<Version> {
        match self.phase {
            Phase::Ready(version) => Some(version),
            Phase::Connecting(_) | Phase::Lost => self.recovery.spoken(),
            Phase::Idle | Phase::Closed(_) => None,
        }
    }

    pub fn next_token(&mut self) -> Token {
        self.last_token += 1;
        self.last_token
    }

    pub fn report(&mut self, level: Level, text: String) {
        self.effects.push(Effect::Report(level, text));
    }

    pub fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    /// Sends a request over whatever carries it.
    pub fn send_request(&mut self, post: Post, message: Vec<u8>, now: Now) {
        match &mut self.http {
            None => self.send_line(message),
            Some(_) => self.post_request(post, message, now),
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

    pub fn clear_timer(&mut self, at: Duration, timer: Timer) {
        self.timers.remove(&(at, timer));
    }

    pub fn set_timer(&mut self, at: Duration, timer: Timer) {
        self.timers.insert((at, timer));
    }

    /// Takes back the timers of the connection's making.
    pub fn clear_connect_timers(&mut self) {
        self.timers.retain(|(_, timer)| !matches!(timer, Timer::Probe | Timer::Connect));
    }

    pub fn next_due(&self) -> Option<Duration> {
        self.timers.first().map(|(at, _)| *at)
    }

    pub fn tick(&mut self, now: Now) {
        while let Some((at, timer)) = self.timers.first().copied().filter(|(at, _)| *at <= now.monotonic) {
            self.timers.remove(&(at, timer));
            match timer {
                Timer::Probe => self.probe_silent(now),
                Timer::Connect => self.connect_timed_out(now),
                Timer::Recover => self.attempt(now),
                Timer::Call(token) => self.call_due(token, now),
                Timer::Resume(request) => self.resume(request, now),
                Timer::Repeat(token) => self.repeat(token, now),
                Timer::General => self.open_general_stream(),
                Timer::Pulse => self.feel(now),
                Timer::Changed(topic) => self.gathered(topic, now),
                Timer::Ask(number) => self.ask_due(number),
            }
        }
    }

    /// The connection is given up.
    pub fn end(&mut self, error: Error) {
        let cause = error.to_string().into();
        self.end_as(ClientState::Failed { cause }, error);
    }

    /// The user wants no more of it.
    pub fn close(&mut self) {
        self.end_as(ClientState::Closed, Error::new(ErrorKind::Closed, "the client was closed"));
    }

    /// The connection is over: everything fails with what is known about that, at once (W23).
    fn end_as(&mut self, state: ClientState, error: Error) {
        if matches!(self.phase, Phase::Closed(_)) {
            return;
        }
        let version = self.version();
        let connecting = match std::mem::replace(&mut self.phase, Phase::Closed(copy(&error))) {
            Phase::Connecting(connecting) => connecting.opened,
            _ => None,
        };
        self.effects.push(Effect::State(state));
        self.timers.clear();
        self.sent.clear();
        self.withdraw_asks(|_| true);
        if let Some(token) = connecting {
            self.effects.push(Effect::Result(token, Err(copy(&error))));
        }
        for (token, call) in std::mem::take(&mut self.calls) {
            match call.waiter {
                Waiter::Host if call.open => self.effects.push(Effect::Change(Change::Ended { token })),
                Waiter::Host => self.effects.push(Effect::Result(token, Err(closed_again(&error)))),
                Waiter::Refresh(_) | Waiter::Watch | Waiter::Calls(_) => {}
            }
        }
        self.end_http(version);
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
pub(super) fn closed_again(error: &Error) -> Error {
    facts_of(error, Error::new(ErrorKind::Closed, error.message()))
}

/// The same failure once more.
pub(super) fn copy(error: &Error) -> Error {
    let copy = facts_of(error, Error::new(error.kind(), error.message()).with_code(error.code()));
    match error.data() {
        Some(data) => copy.with_data(data.to_owned()),
        None => copy,
    }
}

fn facts_of(error: &Error, copy: Error) -> Error {
    error.context().iter().fold(copy, |copy, (name, value)| copy.with(name, value))
}
