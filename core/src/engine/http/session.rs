//! Legacy sessions: found by an unguessable id and bound to their principal, with streams whose events are kept for a while.
//! See <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management>.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use bytes::Bytes;
use http::{Response, StatusCode};
use rustc_hash::FxHashMap;

use super::super::host::Principal;
use super::super::timers::{Timed, TimerKey};
use super::stream::{event_of, keep_alive};
use super::{Arrival, Engine, Leaving, event_stream, problem, session_id};
use crate::entropy;
use crate::error::Error;
use crate::limits::Limits;
use crate::protocol::http::reply::HttpReply;
use crate::protocol::http::server;
use crate::protocol::legacy::replay::{Replay, event_id, parse_event_id};
use crate::protocol::peer::Peer;
use crate::protocol::sink::{Frame, Message, Sink};
use crate::time::Now;
use crate::wire::sse;

/// The stream for what belongs to no request.
const GENERAL: u64 = 0;
/// How many ended streams a session keeps, for clients that lost the end.
const ENDED_STREAMS: usize = 4;
/// How long a polling client should wait before it comes back.
const POLL_AFTER: Duration = Duration::from_millis(500);

/// All sessions of a server, by id.
#[derive(Default)]
pub(in crate::engine) struct Sessions {
    all: Mutex<FxHashMap<Box<str>, Arc<Session>>>,
}

/// One session.
pub(in crate::engine) struct Session {
    pub peer: Arc<Peer>,
    /// Whose session it is (security 9).
    principal: Option<String>,
    last_used: AtomicU64,
    streams: Mutex<Streams>,
    queued_bytes: usize,
    replay_events: usize,
    /// Ends the session when it was idle for long.
    timer: Mutex<Option<TimerKey>>,
}

#[derive(Default)]
struct Streams {
    last: u64,
    all: BTreeMap<u64, Stream>,
}

#[derive(Default)]
struct Stream {
    replay: Replay,
    /// The number of the first event that no reader got.
    unread: u64,
    live: Option<Arc<dyn HttpReply>>,
    ended: bool,
    keep_alive: Option<Arc<KeepAlive>>,
}

/// Writes a comment on a session's stream when it is due.
struct KeepAlive {
    session: Weak<Session>,
    stream: u64,
    timer: Mutex<Option<TimerKey>>,
}

/// The way for messages of the session that belong to no request.
struct SessionSink(OnceLock<Weak<Session>>);

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, FxHashMap<Box<str>, Arc<Session>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a session; the one that was idle the longest makes room where there are too many (security 10).
    pub fn open(&self, engine: &Arc<Engine>, principal: Option<String>, now: Now) -> Arc<Session> {
        let limits = engine.limits();
        let id: Box<str> = entropy::name(&*engine.entropy).into();
        let sink = Arc::new(SessionSink(OnceLock::new()));
        let peer = Arc::new(Peer::new(Some(id.clone()), true, Arc::clone(&sink) as Arc<dyn Sink>));
        let session = Arc::new(Session {
            peer,
            principal,
            last_used: AtomicU64::new(now.monotonic.as_millis() as u64),
            streams: Mutex::default(),
            queued_bytes: limits.queued_bytes,
            replay_events: limits.replay_events,
            timer: Mutex::new(None),
        });
        let _ = sink.0.set(Arc::downgrade(&session));
        let weak: Weak<dyn Timed> = Arc::downgrade(&(Arc::clone(&session) as Arc<dyn Timed>));
        *session.timer() = Some(engine.timers.set(now.monotonic + limits.session_idle, weak));
        let surplus: Vec<_> = {
            let mut all = self.lock();
            all.insert(id, Arc::clone(&session));
            let total = all.len().checked_sub(limits.sessions + 1).map(|_| oldest(all.values(), &session));
            let own = session.principal.as_ref().and_then(|_| {
                let same = || all.values().filter(|other| other.principal == session.principal);
                (same().count() > limits.sessions_per_principal).then(|| oldest(same(), &session))
            });
            [total, own].into_iter().flatten().flatten().collect()
        };
        for old in surplus {
            engine.sessions.remove_with(engine, &old, "there are too many sessions (limit `sessions`)");
        }
        session
    }

    /// The session of that id, if it is the principal's.
    pub fn find(&self, id: &str, principal: Option<&str>, now: Now) -> Option<Arc<Session>> {
        let session = self.lock().get(id).cloned()?;
        if session.principal.as_deref() != principal {
            return None;
        }
        session.last_used.store(now.monotonic.as_millis() as u64, Ordering::Relaxed);
        Some(session)
    }

    /// Ends a session: what runs is cancelled, its streams close.
    pub fn remove(&self, session: &Arc<Session>, reason: &str) {
        self.lock().remove(session.id());
        session.close(reason);
    }

    fn remove_with(&self, engine: &Engine, session: &Arc<Session>, reason: &str) {
        if let Some(key) = session.timer().take() {
            engine.timers.clear(key);
        }
        self.remove(session, reason);
    }

    /// Ends the general streams of all sessions; their requests go on.
    pub fn close_streams(&self) {
        let all: Vec<_> = self.lock().values().cloned().collect();
        for session in all {
            session.close_stream(GENERAL);
        }
    }
}

fn oldest<'s>(sessions: impl Iterator<Item = &'s Arc<Session>>, but: &Arc<Session>) -> Option<Arc<Session>> {
    let others = sessions.filter(|session| !Arc::ptr_eq(session, but));
    others.min_by_key(|session| session.last_used.load(Ordering::Relaxed)).cloned()
}

impl Session {
    pub fn id(&self) -> &str {
        self.peer.session_id.as_deref().unwrap_or_default()
    }

    fn timer(&self) -> MutexGuard<'_, Option<TimerKey>> {
        self.timer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn streams(&self) -> MutexGuard<'_, Streams> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether its client knows streams that end early.
    pub fn polls(&self) -> bool {
        self.peer.negotiated().is_some_and(|negotiated| negotiated.version.has_stream_polling())
    }

    /// A new stream with a reader, whose events are kept.
    pub fn keep_stream(&self, reply: &Arc<dyn HttpReply>, limits: &Limits) -> u64 {
        let polls = self.polls();
        let mut streams = self.streams();
        streams.last += 1;
        let number = streams.last;
        let mut stream = Stream { live: Some(Arc::clone(reply)), ..Stream::default() };
        if polls {
            stream.send(number, &Message::default(), limits.replay_events, limits.queued_bytes);
        }
        streams.all.insert(number, stream);
        number
    }

    pub fn send_on(&self, number: u64, message: &Message, limits: &Limits) {
        if let Some(stream) = self.streams().all.get_mut(&number) {
            stream.send(number, message, limits.replay_events, limits.queued_bytes);
        }
    }

    pub fn comment_on(&self, number: u64) {
        if let Some(live) = self.streams().all.get(&number).and_then(|stream| stream.live.as_ref()) {
            live.write(keep_alive());
        }
    }

    /// The last event was sent: the reader may go, and come back for a while.
    pub fn end_stream(&self, number: u64) {
        let mut streams = self.streams();
        if let Some(stream) = streams.all.get_mut(&number) {
            stream.ended = true;
            if let Some(live) = stream.live.take() {
                live.close();
            }
        }
        let ended: Vec<_> = streams.all.iter().filter(|(_, stream)| stream.ended).map(|(number, _)| *number).collect();
        for number in ended.iter().take(ended.len().saturating_sub(ENDED_STREAMS)) {
            streams.all.remove(number);
        }
    }

    /// Sends the reader away for a moment; what comes meanwhile waits for it.
    pub fn pause_stream(&self, number: u64) {
        let live = self.streams().all.get_mut(&number).and_then(|stream| stream.live.take());
        if let Some(live) = live {
            let mut out = Vec::new();
            sse::retry(&mut out, POLL_AFTER);
            live.write(out.into());
            live.close();
        }
    }

    /// The reader went away by itself.
    pub fn detach(&self, number: u64, reply: &Arc<dyn HttpReply>) {
        if let Some(stream) = self.streams().all.get_mut(&number)
            && stream.live.as_ref().is_some_and(|live| Arc::ptr_eq(live, reply))
        {
            stream.live = None;
            stream.keep_alive = None;
        }
    }

    fn close_stream(&self, number: u64) {
        let live = self.streams().all.get_mut(&number).and_then(|stream| stream.live.take());
        if let Some(live) = live {
            live.close();
        }
    }

    fn close(&self, reason: &str) {
        self.peer.close(reason);
        let streams = std::mem::take(&mut self.streams().all);
        for stream in streams.into_values() {
            if let Some(live) = stream.live {
                live.close();
            }
        }
    }

    fn is_busy(&self) -> bool {
        !self.peer.state().in_flight.is_empty() || self.streams().all.values().any(|stream| stream.live.is_some())
    }
}

impl Stream {
    /// Keeps an event and writes it where there is a reader. Without a message it is the event that only carries an id.
    fn send(&mut self, number: u64, message: &Message, events: usize, bytes: usize) {
        let mut data = Vec::with_capacity(message.len());
        message.append_to(&mut data);
        let data = Bytes::from(data);
        let event = self.replay.keep(data.clone(), events, bytes);
        if let Some(live) = &self.live {
            live.write(encode(number, event, &data));
            self.unread = event + 1;
        }
    }
}

fn encode(stream: u64, event: u64, data: &Bytes) -> Bytes {
    let mut out = Vec::with_capacity(data.len() + 48);
    let id = event_id(stream, event);
    match data.is_empty() {
        // A reader of `message` events must not try to parse this one (N13).
        true => sse::event(&mut out, Some(&id), None, b""),
        false => event_of(&mut out, Some(&id), &Message { shared: data.clone(), ..Message::default() }),
    }
    out.into()
}

impl Sink for SessionSink {
    fn send(&self, frame: Frame) {
        let Some(session) = self.0.get().and_then(Weak::upgrade) else { return };
        let message = frame.into_message();
        let (events, bytes) = (session.replay_events, session.queued_bytes);
        session.streams().all.entry(GENERAL).or_default().send(GENERAL, &message, events, bytes);
    }

    fn is_congested(&self) -> bool {
        let Some(session) = self.0.get().and_then(Weak::upgrade) else { return true };
        let streams = session.streams();
        let live = streams.all.get(&GENERAL).and_then(|stream| stream.live.as_ref());
        live.is_some_and(|live| live.queued() > session.queued_bytes)
    }
}

impl Timed for Session {
    /// Ends a session that nobody used for a while; one with an open stream or a running request is in use (H07).
    fn due(self: Arc<Self>, engine: &Arc<Engine>, now: Now) -> Option<Duration> {
        let idle = engine.limits().session_idle;
        let used = Duration::from_millis(self.last_used.load(Ordering::Relaxed));
        let ends = if self.is_busy() { now.monotonic + idle } else { used + idle };
        if ends > now.monotonic {
            let weak: Weak<dyn Timed> = Arc::downgrade(&(Arc::clone(&self) as Arc<dyn Timed>));
            *self.timer() = Some(engine.timers.set(ends, weak));
            return None;
        }
        *self.timer() = None;
        engine.sessions.remove(&self, "the session was idle for too long (limit `session_idle`)");
        None
    }
}

impl Timed for KeepAlive {
    fn due(self: Arc<Self>, engine: &Arc<Engine>, now: Now) -> Option<Duration> {
        let session = self.session.upgrade()?;
        session.comment_on(self.stream);
        let weak: Weak<dyn Timed> = Arc::downgrade(&(Arc::clone(&self) as Arc<dyn Timed>));
        let key = engine.timers.set(now.monotonic + engine.limits().keep_alive, weak);
        *self.timer.lock().unwrap_or_else(PoisonError::into_inner) = Some(key);
        None
    }
}

/// The reader of a session's stream, to its transport.
struct Reader {
    session: Weak<Session>,
    stream: u64,
    reply: Arc<dyn HttpReply>,
}

impl Leaving for Reader {
    fn gone(self: Arc<Self>) {
        if let Some(session) = self.session.upgrade() {
            session.detach(self.stream, &self.reply);
        }
    }
}

impl Engine {
    /// A GET to the MCP endpoint: the general stream of a session, or the rest of one that broke off.
    pub(super) fn open_session_stream(self: &Arc<Self>, arrival: &Arrival, principal: Option<&Principal>, now: Now) {
        let session = match self.session_of(arrival, principal, now) {
            Ok(session) => session,
            Err((status, error)) => return arrival.respond(problem(status, &error)),
        };
        let last = match server::single(&arrival.parts.headers, server::LAST_EVENT) {
            Ok(last) => last,
            Err(error) => return arrival.respond(problem(StatusCode::BAD_REQUEST, &error)),
        };
        match self.attach(&session, last, arrival, now) {
            Ok(()) => {}
            Err((status, error)) => arrival.respond(problem(status, &error)),
        }
    }

    fn attach(
        self: &Arc<Self>,
        session: &Arc<Session>,
        last: Option<&str>,
        arrival: &Arrival,
        now: Now,
    ) -> Result<(), (StatusCode, Error)> {
        let unknown =
            || (StatusCode::BAD_REQUEST, Error::invalid_request("Last-Event-ID names no event that is still kept"));
        let (number, after) = match last {
            None => (GENERAL, None),
            Some(id) => parse_event_id(id).map(|(stream, event)| (stream, Some(event))).ok_or_else(unknown)?,
        };
        let mut streams = session.streams();
        if last.is_none() {
            streams.all.entry(GENERAL).or_default();
        }
        let stream = streams.all.get_mut(&number).ok_or_else(unknown)?;
        // Two readers would steal each other's events (N38). One that resumes takes over: its predecessor may be half open.
        if last.is_none() && stream.live.is_some() {
            return Err((StatusCode::CONFLICT, Error::invalid_request("the session has an open stream already")));
        }
        let rest: Vec<_> = match after {
            Some(event) => {
                stream.replay.after(event).ok_or_else(unknown)?.map(|(event, data)| (event, data.clone())).collect()
            }
            None => match stream.unread.checked_sub(1) {
                Some(read) => {
                    stream.replay.after(read).map(|rest| rest.map(|(event, data)| (event, data.clone())).collect())
                }
                None => Some(stream.replay.all().map(|(event, data)| (event, data.clone())).collect()),
            }
            .unwrap_or_default(),
        };
        if let Some(former) = stream.live.take() {
            former.close();
        }
        let reply = &arrival.reply;
        reply.open(arrival.options.finish(&arrival.parts, with_session(event_stream(), session)));
        for (event, data) in rest {
            reply.write(encode(number, event, &data));
            stream.unread = event + 1;
        }
        if stream.ended {
            arrival.ticket.release();
            reply.close();
            return Ok(());
        }
        stream.live = Some(Arc::clone(reply));
        let keeper = Arc::new(KeepAlive { session: Arc::downgrade(session), stream: number, timer: Mutex::new(None) });
        let weak: Weak<dyn Timed> = Arc::downgrade(&(Arc::clone(&keeper) as Arc<dyn Timed>));
        self.timers.set(now.monotonic + self.limits().keep_alive, weak);
        stream.keep_alive = Some(keeper);
        drop(streams);
        arrival.ticket.attach(Arc::new(Reader {
            session: Arc::downgrade(session),
            stream: number,
            reply: Arc::clone(reply),
        }));
        Ok(())
    }

    /// A DELETE: the client ends its session.
    pub(super) fn end_session(self: &Arc<Self>, arrival: &Arrival, principal: Option<&Principal>, now: Now) {
        match self.session_of(arrival, principal, now) {
            Ok(session) => {
                self.sessions.remove_with(self, &session, "the client ended the session");
                arrival.respond(Response::new(Message::default()));
            }
            Err((status, error)) => arrival.respond(problem(status, &error)),
        }
    }

    fn session_of(
        &self,
        arrival: &Arrival,
        principal: Option<&Principal>,
        now: Now,
    ) -> Result<Arc<Session>, (StatusCode, Error)> {
        let bad = |error| (StatusCode::BAD_REQUEST, error);
        let missing = || bad(Error::invalid_request("the header Mcp-Session-Id is missing"));
        let id = session_id(&arrival.parts).map_err(bad)?.ok_or_else(missing)?;
        let key = principal.map(Principal::key);
        let unknown = || (StatusCode::NOT_FOUND, Error::invalid_request("Session not found").with_code(-32001));
        self.sessions.find(id, key.as_deref(), now).ok_or_else(unknown)
    }
}

fn with_session<B>(mut response: Response<B>, session: &Session) -> Response<B> {
    if let Ok(value) = http::HeaderValue::from_str(session.id()) {
        response.headers_mut().insert(server::SESSION, value);
    }
    response
}
