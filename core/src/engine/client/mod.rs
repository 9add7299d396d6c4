//! A client as a function of events: what a server sends comes in, requests and results go out.
//!
//! | file | holds |
//! |---|---|
//! | `connect` | from the first question to an agreed revision |
//! | `recover` | a connection that was lost, and is made anew |
//! | `repeat` | requests that are sent again |
//! | `renew` | what is told a server again after its connection was made anew |
//! | `pulse` | whether a silent server is there |
//! | `operation` | what a client can do, and what that is in each era |
//! | `call` | a call, its requests, its result |
//! | `clock` | the time of a call |
//! | `pages` | listings, which come in pages |
//! | `cache` | results that may be kept for a while |
//! | `changes` | changes that the server tells, gathered |
//! | `state` | what is under way, what is due when |
//! | `request` | what the parameters of a request carry besides the caller's own |
//! | `receive` | messages of the server |
//! | `input` | what the server asks, in either era |
//! | `tools` | what is known of the server's tools |
//! | `output` | structured results against the output schemas of tools |
//! | `mirror` | tool arguments that HTTP headers repeat |
//! | `watch` | the client's own subscription to changes of lists |
//! | `subscribe` | subscriptions, which outlive their answer |
//! | `http_link` | requests of the HTTP carriers |
//! | `http_answer` | what comes back on them |
//! | `general` | the stream of a legacy session for what belongs to no request |
//! | `resume` | event streams that ended too early |
//!
//! All state is behind one lock. An event changes it and queues effects; whoever came first runs them, in order and without the
//! lock, so that the host and the ways out may call the engine.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use http::{HeaderMap, StatusCode};
use serde_json::value::RawValue;

use crate::error::Error;
use crate::model::{Level, Version};
use crate::time::Now;

mod cache;
mod call;
mod changes;
mod clock;
mod connect;
mod general;
mod host;
mod http_answer;
mod http_link;
mod input;
mod mirror;
mod operation;
mod options;
mod output;
mod pages;
mod pulse;
mod receive;
mod recover;
mod renew;
mod repeat;
mod request;
mod resume;
mod state;
mod subscribe;
mod tools;
mod watch;

pub use host::{AskKind, Change, ClientHost, ClientState, LineSink, Link, RequestSink, Token, ToolsDiff};
pub use operation::Operation;
pub use options::{CallOptions, ClientOptions, EraChoice};
pub use receive::LARGE;
pub use tools::tool_hash;

use state::{Effect, Phase, State};

/// One connection of a client.
pub struct ClientEngine {
    host: Arc<dyn ClientHost>,
    out: Out,
    state: Mutex<State>,
    earlier: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

/// The ways out.
enum Out {
    Lines(Arc<dyn LineSink>),
    Http(Arc<dyn RequestSink>),
}

impl ClientEngine {
    /// A client that is not connected yet.
    pub fn new(options: ClientOptions, link: Link, host: Arc<dyn ClientHost>) -> Arc<Self> {
        let (out, http) = match link {
            Link::Lines(sink) => (Out::Lines(sink), None),
            Link::Http { sink, url, headers } => (Out::Http(sink), Some(http_link::Http::new(url, headers))),
        };
        Arc::new(Self { host, out, state: Mutex::new(State::new(options, http)), earlier: OnceLock::new() })
    }

    /// The way out is there: finds out what the server speaks. The result of the returned token says with whom and how:
    /// `{"server": {...} | null, "capabilities": {...}, "protocol_version": text, "instructions": text | null}`.
    /// Calls that were started before are sent then.
    pub fn connect(&self, now: Now) -> Token {
        self.act(|state| state.connect(now))
    }

    /// Starts a call. `params` is the JSON text of the protocol's parameters without what the engine adds; its result, an error
    /// included, goes to the host.
    pub fn start(&self, operation: Operation, params: &str, options: CallOptions, now: Now) -> Token {
        let queued = match &self.out {
            Out::Lines(sink) => sink.queued(),
            Out::Http(_) => 0,
        };
        self.act(|state| match queued > state.options.limits.queued_bytes {
            true => state.refuse_queued(),
            false => state.start(operation, params, options, now),
        })
    }

    /// Takes a call back: it fails with `Cancelled` at once, and the server is told. A token that is over is ignored.
    pub fn cancel(&self, token: Token, reason: &str) {
        self.act(|state| state.cancel(token, reason));
    }

    /// The roots are different now. A legacy server is told; a modern one asks when it wants to know.
    pub fn roots_changed(&self) {
        self.act(State::roots_changed);
    }

    /// The answer to what the server asked: `{"result": {...}}` or `{"error": {"kind", "message", "code"?, "data"?}}`, where `kind` is a
    /// word of [`ErrorKind`](crate::error::ErrorKind), whose code the server reads unless `code` is another. A number that is over is
    /// ignored.
    pub fn answer(&self, number: u64, text: &str, now: Now) {
        // A form is checked without the lock: its schema is the server's, and may take long.
        let Some(question) = self.lock().question(number) else { return };
        let answer = question.read(text);
        self.act(|state| state.answer(number, answer, now));
    }

    /// One message came in over a stream, without its line end. What is no message is reported and never answered (W02).
    pub fn receive(&self, text: &[u8], now: Now) {
        self.act(|state| state.receive(text, None, now));
    }

    /// [`ClientEngine::receive`] of a message whose buffer is not needed any more. Worth it from [`LARGE`] bytes on: the result is then
    /// not held twice.
    pub fn receive_whole(&self, text: Vec<u8>, now: Now) {
        self.act(|state| state.receive_whole(text, None, now));
    }

    /// A message was longer than `message_bytes` and was skipped.
    pub fn receive_too_long(&self, now: Now) {
        self.act(|state| state.received_too_long(now));
    }

    /// The stream ended, for the reason that `error` says with every fact known (exit code, last lines of stderr).
    pub fn lost(&self, error: Error, now: Now) {
        self.act(|state| state.lost(error, now));
    }

    /// The server cannot be reached at all, and to try again would not help: no process, no address.
    pub fn fail(&self, error: Error) {
        self.act(|state| state.end(error));
    }

    /// The head of an answer arrived.
    pub fn http_head(&self, id: u64, status: StatusCode, headers: &HeaderMap, now: Now) {
        self.act(|state| state.http_head(id, status, headers, now));
    }

    /// A part of the body of an answer arrived.
    pub fn http_chunk(&self, id: u64, chunk: &[u8], now: Now) {
        self.act(|state| state.http_chunk(id, chunk, now));
    }

    /// An answer is complete.
    pub fn http_end(&self, id: u64, now: Now) {
        self.act(|state| state.http_end(id, now));
    }

    /// A request broke off.
    pub fn http_failed(&self, id: u64, error: Error, now: Now) {
        self.act(|state| state.http_failed(id, error, now));
    }

    /// Tells the engine the time. Returns when it wants to be told again.
    pub fn tick(&self, now: Now) -> Option<Duration> {
        self.act(|state| state.tick(now));
        let mut state = self.lock();
        state.promised = state.next_due();
        state.promised
    }

    /// Sets what is called when [`ClientEngine::tick`] must come earlier than it was last told.
    pub fn on_earlier_tick(&self, wake: impl Fn() + Send + Sync + 'static) {
        let _ = self.earlier.set(Box::new(wake));
    }

    /// The host wants to hear of changes of lists: a modern server that tells them is subscribed to, now and with each connection. A
    /// legacy one tells them unasked.
    pub fn watch_changes(&self, now: Now) {
        self.act(|state| state.watch_changes(now));
    }

    /// Ends the connection: every call fails, and the server is told where it can be.
    pub fn close(&self) {
        self.act(State::close);
    }

    /// Whether the connection is over.
    pub fn is_closed(&self) -> bool {
        matches!(self.lock().phase, Phase::Closed(_))
    }

    /// The revision that is spoken, once the connection is made. Worth to be remembered: see [`ClientOptions::known`].
    pub fn version(&self) -> Option<Version> {
        self.lock().version()
    }

    /// What the result of [`ClientEngine::connect`] said.
    pub fn server(&self) -> Option<Box<RawValue>> {
        self.lock().server.clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state, then runs what came of it unless that is being done already.
    fn act<R>(&self, change: impl FnOnce(&mut State) -> R) -> R {
        let mut state = self.lock();
        let result = change(&mut state);
        let due = state.next_due();
        let earlier = due.is_some_and(|due| state.promised.is_none_or(|promised| due < promised));
        if earlier {
            state.promised = due;
        }
        if !state.running && !state.effects.is_empty() {
            state.running = true;
            drop(state);
            let runner = Runner(self);
            while runner.turn() {}
        } else {
            drop(state);
        }
        if earlier && let Some(wake) = self.earlier.get() {
            wake();
        }
        result
    }

    fn run(&self, effect: Effect) {
        match (effect, &self.out) {
            (Effect::Line(message), Out::Lines(sink)) => sink.send(message),
            (Effect::Restart, Out::Lines(sink)) => sink.restart(),
            (Effect::Close, Out::Lines(sink)) => sink.close(),
            (Effect::Request(id, request), Out::Http(sink)) => sink.start(id, *request),
            (Effect::Abort(id), Out::Http(sink)) => sink.abort(id),
            (Effect::Close, Out::Http(sink)) => sink.close(),
            (Effect::Result(token, result), _) => self.host.result(token, result),
            (Effect::InputRequired(token, result), _) => self.host.input_required(token, result),
            (Effect::Checked(token, result, tool), _) => {
                let report = |text| self.host.report(Level::Warning, text);
                self.host.result(token, tool.checked(result, report));
            }
            (Effect::Progress(token, params), _) => self.host.progress(token, params),
            (Effect::Log(token, params), _) => self.host.log(token, params),
            (Effect::Change(change), _) => self.host.change(change),
            (Effect::Ask(number, kind, params), _) => self.host.ask(number, kind, params),
            (Effect::Withdrawn(number), _) => self.host.withdrawn(number),
            (Effect::State(state), _) => self.host.state(state),
            (Effect::Closed(error), _) => self.host.closed(error),
            (Effect::Report(level, text), _) => self.host.report(level, text),
            // The state makes only the effects of its own carrier.
            (Effect::Line(_) | Effect::Restart | Effect::Request(..) | Effect::Abort(_), _) => {}
        }
    }
}

/// Whoever runs effects; a panic of the host must not leave the engine waiting for it for ever.
struct Runner<'a>(&'a ClientEngine);

impl Runner<'_> {
    /// Runs what is queued; false when nothing was.
    fn turn(&self) -> bool {
        let effects = {
            let mut state = self.0.lock();
            let effects = std::mem::take(&mut state.effects);
            state.running = !effects.is_empty();
            effects
        };
        let any = !effects.is_empty();
        for effect in effects {
            self.0.run(effect);
        }
        any
    }
}

impl Drop for Runner<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().running = false;
        }
    }
}
