//! The answer to one POST: JSON when only the answer comes, an event stream as soon as something else comes before it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use bytes::Bytes;
use http::header::HeaderValue;
use http::request::Parts;
use http::{Response, StatusCode};

use super::super::timers::{Timed, TimerKey};
use super::session::Session;
use super::{Arrival, Engine, HttpOptions, Leaving, Ticket, event_stream, json};
use crate::model::Era;
use crate::protocol::http::reply::HttpReply;
use crate::protocol::http::server;
use crate::protocol::peer::Running;
use crate::protocol::sink::{Frame, Message, Sink};
use crate::time::Now;
use crate::wire::sse;

/// What the answer may look like.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub era: Era,
    /// Whether it may be an event stream.
    pub streams: bool,
    /// Whether it may be JSON.
    pub json: bool,
    /// Whether it opens a session and must name it.
    pub opens_session: bool,
    /// Whether a client that goes away takes its request back, as in the modern era.
    pub stateless: bool,
}

/// The answer to one POST.
pub(super) struct PostStream {
    engine: Arc<Engine>,
    shape: Shape,
    /// Headers that every response of this request has.
    extra: Vec<(http::HeaderName, HeaderValue)>,
    session: Option<Arc<Session>>,
    reply: Arc<dyn HttpReply>,
    ticket: Arc<Ticket>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    phase: Phase,
    timer: Option<TimerKey>,
    running: Vec<Weak<dyn Running>>,
    /// When the last bytes were written.
    wrote: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Waiting,
    Streaming,
    /// Streaming in a session that keeps the events: number of the stream.
    Kept(u64),
    Over,
}

impl PostStream {
    pub fn open(engine: &Arc<Engine>, arrival: &Arrival, shape: Shape, session: Option<Arc<Session>>) -> Arc<Self> {
        let stream = Arc::new(Self {
            engine: Arc::clone(engine),
            shape,
            extra: extra_headers(&arrival.options, &arrival.parts),
            session,
            reply: Arc::clone(&arrival.reply),
            ticket: Arc::clone(&arrival.ticket),
            state: Mutex::default(),
        });
        arrival.ticket.attach(Arc::clone(&stream) as Arc<dyn Leaving>);
        stream
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer was not there at once: from now on the connection must show signs of life (X06).
    pub fn wait(self: &Arc<Self>, now: Now) {
        let mut state = self.state();
        if state.phase != Phase::Over && self.shape.streams && state.timer.is_none() {
            let weak: Weak<dyn Timed> = Arc::downgrade(&(Arc::clone(self) as Arc<dyn Timed>));
            state.timer = Some(self.engine.timers.set(now.monotonic + self.engine.limits().keep_alive, weak));
        }
    }

    fn dress<B>(&self, mut response: Response<B>) -> Response<B> {
        for (name, value) in &self.extra {
            response.headers_mut().append(name, value.clone());
        }
        if self.shape.opens_session
            && let Some(session) = &self.session
            && let Ok(value) = HeaderValue::from_str(session.id())
        {
            response.headers_mut().insert(server::SESSION, value);
        }
        response
    }

    /// Makes the answer an event stream. Legacy sessions keep its events, and start with one that only carries an id, so that a client
    /// can ask for the rest from the beginning on (SEP-1699).
    fn begin(&self, state: &mut State) {
        self.reply.open(self.dress(event_stream()));
        state.phase = match &self.session {
            Some(session) => Phase::Kept(session.keep_stream(&self.reply, self.engine.limits())),
            None => Phase::Streaming,
        };
    }

    fn event(&self, state: &mut State, message: &Message) {
        state.wrote = true;
        match (state.phase, &self.session) {
            (Phase::Kept(number), Some(session)) => session.send_on(number, message, self.engine.limits()),
            _ => {
                let mut out = Vec::with_capacity(message.len() + 32);
                event_of(&mut out, None, message);
                self.reply.write(out.into());
            }
        }
    }

    fn end(&self, state: &mut State) {
        if let Some(key) = state.timer.take() {
            self.engine.timers.clear(key);
        }
        state.running.clear();
        match (state.phase, &self.session) {
            (Phase::Kept(number), Some(session)) => session.end_stream(number),
            (Phase::Streaming, _) => self.reply.close(),
            _ => {}
        }
        state.phase = Phase::Over;
        self.ticket.release();
    }
}

impl Sink for PostStream {
    fn send(&self, frame: Frame) {
        let mut state = self.state();
        match (state.phase, frame) {
            (Phase::Over, _) => {}
            // A client that takes no event stream gets the answer and nothing else (N47).
            (Phase::Waiting, Frame::Notification(_) | Frame::Request(_)) if !self.shape.streams => {}
            (phase, Frame::Notification(message) | Frame::Request(message)) => {
                if phase == Phase::Waiting {
                    self.begin(&mut state);
                }
                self.event(&mut state, &message);
            }
            (Phase::Waiting, Frame::Response { message, error, id }) if self.shape.json || !self.shape.streams => {
                let status = match (&id, error) {
                    // The body as a whole was refused, and no request in it: that is the transport's to say.
                    (None, Some(_)) => StatusCode::BAD_REQUEST,
                    _ => server::status(self.shape.era, error),
                };
                let mut response = json(status, message);
                response = if error.is_some() && self.shape.opens_session { response } else { self.dress(response) };
                self.reply.respond(response);
                self.end(&mut state);
            }
            (phase, Frame::Response { message, .. }) => {
                if phase == Phase::Waiting {
                    self.begin(&mut state);
                }
                self.event(&mut state, &message);
                self.end(&mut state);
            }
        }
    }

    fn is_congested(&self) -> bool {
        self.reply.queued() > self.engine.limits().queued_bytes
    }

    fn carries_requests(&self) -> bool {
        self.shape.streams && self.session.is_some()
    }

    fn runs(&self, running: &Arc<dyn Running>) {
        self.state().running.push(Arc::downgrade(running));
    }

    fn withdrawn(&self) {
        let mut state = self.state();
        if state.phase == Phase::Waiting {
            // The request was cancelled by a message of its own: this one is owed an end, and no JSON-RPC answer.
            self.reply.respond(self.dress(super::accepted()));
        }
        self.end(&mut state);
    }

    fn close_early(&self) {
        let mut state = self.state();
        let Some(session) = self.session.as_ref().filter(|session| self.shape.streams && session.polls()) else {
            return;
        };
        if state.phase == Phase::Waiting {
            self.begin(&mut state);
        }
        if let Phase::Kept(number) = state.phase {
            session.pause_stream(number);
        }
    }
}

impl Timed for PostStream {
    /// Nothing was written for a while: a comment keeps the connection open.
    fn due(self: Arc<Self>, engine: &Arc<Engine>, now: Now) -> Option<Duration> {
        let mut state = self.state();
        if state.phase == Phase::Over {
            return None;
        }
        if state.phase == Phase::Waiting {
            self.begin(&mut state);
        }
        if !std::mem::take(&mut state.wrote) {
            match (state.phase, &self.session) {
                (Phase::Kept(number), Some(session)) => session.comment_on(number),
                _ => self.reply.write(keep_alive()),
            }
        }
        let weak: Weak<dyn Timed> = Arc::downgrade(&(Arc::clone(&self) as Arc<dyn Timed>));
        state.timer = Some(engine.timers.set(now.monotonic + engine.limits().keep_alive, weak));
        None
    }
}

impl Leaving for PostStream {
    /// A modern client that goes away takes its request back; a legacy one may come back for the rest.
    fn gone(self: Arc<Self>) {
        let running: Vec<_> = {
            let mut state = self.state();
            if self.shape.era == Era::Legacy && !self.shape.stateless {
                if let (Phase::Kept(number), Some(session)) = (state.phase, &self.session) {
                    session.detach(number, &self.reply);
                }
                return;
            }
            let running = state.running.iter().filter_map(Weak::upgrade).collect();
            self.end(&mut state);
            running
        };
        for running in running {
            running.cancel("the client went away");
        }
    }
}

/// The comment that keeps an idle stream open.
pub(super) fn keep_alive() -> Bytes {
    Bytes::from_static(b": keep-alive\n\n")
}

/// Writes one message as an event.
pub(super) fn event_of(out: &mut Vec<u8>, id: Option<&str>, message: &Message) {
    match message.shared.is_empty() && message.tail.is_empty() {
        true => sse::event(out, id, Some("message"), &message.head),
        false => {
            let mut all = Vec::with_capacity(message.len());
            message.append_to(&mut all);
            sse::event(out, id, Some("message"), &all);
        }
    }
}

fn extra_headers(options: &HttpOptions, parts: &Parts) -> Vec<(http::HeaderName, HeaderValue)> {
    if options.cors.is_none() {
        return Vec::new();
    }
    let dressed = options.finish(parts, Response::new(()));
    dressed.headers().iter().map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// A sink for peers that have no way for messages of their own.
pub(super) fn nowhere() -> Arc<dyn Sink> {
    struct Nowhere;
    impl Sink for Nowhere {
        fn send(&self, _: Frame) {}
        fn carries_requests(&self) -> bool {
            false
        }
    }
    Arc::new(Nowhere)
}
