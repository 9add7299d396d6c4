//! The two endpoints of 2024-11-05: an event stream for everything to the client, and an address to post to.
//! See <https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse>.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use bytes::Bytes;
use http::{Response, StatusCode};
use rustc_hash::FxHashMap;

use super::super::connection::Carrier;
use super::super::host::Principal;
use super::super::timers::{Timed, TimerKey};
use super::stream::{event_of, keep_alive};
use super::{Arrival, Engine, Leaving, MountPath, event_stream, problem};
use crate::entropy;
use crate::error::Error;
use crate::protocol::http::reply::HttpReply;
use crate::protocol::peer::Peer;
use crate::protocol::sink::{Frame, Message, Sink};
use crate::time::Now;
use crate::wire::sse;

/// All clients of the two endpoints, by session id.
#[derive(Default)]
pub(in crate::engine) struct EventPeers(Mutex<FxHashMap<Box<str>, Arc<EventPeer>>>);

impl EventPeers {
    fn lock(&self) -> MutexGuard<'_, FxHashMap<Box<str>, Arc<EventPeer>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends all of them.
    pub fn close_all(&self, reason: &str) {
        let all = std::mem::take(&mut *self.lock());
        for peer in all.into_values() {
            peer.close(reason);
        }
    }
}

/// The stream of one client.
struct EventSink {
    reply: Arc<dyn HttpReply>,
    queued_bytes: usize,
}

impl Sink for EventSink {
    fn send(&self, frame: Frame) {
        let message = frame.into_message();
        let mut out = Vec::with_capacity(message.len() + 32);
        event_of(&mut out, None, &message);
        self.reply.write(out.into());
    }

    fn is_congested(&self) -> bool {
        self.reply.queued() > self.queued_bytes
    }
}

/// One client of the two endpoints.
pub(super) struct EventPeer {
    pub peer: Arc<Peer>,
    pub principal: Option<String>,
    reply: Arc<dyn HttpReply>,
    engine: Arc<Engine>,
    timer: Mutex<Option<TimerKey>>,
}

impl EventPeer {
    fn arm(self: &Arc<Self>, now: Now) {
        let weak: Weak<dyn Timed> = Arc::downgrade(&(Arc::clone(self) as Arc<dyn Timed>));
        let key = self.engine.timers.set(now.monotonic + self.engine.limits().keep_alive, weak);
        *self.timer.lock().unwrap_or_else(PoisonError::into_inner) = Some(key);
    }

    /// Ends the stream and everything that runs for it.
    pub fn close(&self, reason: &str) {
        if let Some(key) = self.timer.lock().unwrap_or_else(PoisonError::into_inner).take() {
            self.engine.timers.clear(key);
        }
        self.peer.close(reason);
        self.reply.close();
    }
}

impl Timed for EventPeer {
    fn due(self: Arc<Self>, _: &Arc<Engine>, now: Now) -> Option<Duration> {
        self.reply.write(keep_alive());
        self.arm(now);
        None
    }
}

impl Leaving for EventPeer {
    fn gone(self: Arc<Self>) {
        self.engine.event_peers.lock().remove(self.peer.session_id.as_deref().unwrap_or_default());
        self.close("the client went away");
    }
}

impl Engine {
    /// A GET: the stream opens, and its first event says where to post to.
    pub(super) fn open_events(self: &Arc<Self>, arrival: Arrival, principal: Option<Arc<Principal>>, now: Now) {
        let Some((_, messages)) = &arrival.options.sse else { return };
        let limit = self.limits().sessions;
        if self.event_peers.lock().len() >= limit {
            let error = Error::limit("sessions", limit, "the number of open streams");
            return arrival.respond(problem(StatusCode::SERVICE_UNAVAILABLE, &error));
        }
        let id: Box<str> = entropy::name(&*self.entropy).into();
        let mount = arrival.parts.extensions.get::<MountPath>().map(|mount| mount.0.as_str()).unwrap_or_default();
        let mut first = Vec::with_capacity(128);
        let address = format!("{}{messages}?session_id={id}", mount.trim_end_matches('/'));
        sse::event(&mut first, None, Some("endpoint"), address.as_bytes());
        arrival.reply.open(arrival.options.finish(&arrival.parts, event_stream()));
        arrival.reply.write(first.into());
        let sink = EventSink { reply: Arc::clone(&arrival.reply), queued_bytes: self.limits().queued_bytes };
        let peer = Arc::new(EventPeer {
            peer: Arc::new(Peer::new(Some(id), true, Arc::new(sink))),
            principal: principal.map(|principal| principal.key()),
            reply: Arc::clone(&arrival.reply),
            engine: Arc::clone(self),
            timer: Mutex::new(None),
        });
        let id = peer.peer.session_id.clone().unwrap_or_default();
        self.event_peers.lock().insert(id, Arc::clone(&peer));
        peer.arm(now);
        arrival.ticket.attach(peer);
    }

    /// A POST: the message is served on the stream; this answer says only that it arrived.
    pub(super) fn post_to_events(self: &Arc<Self>, arrival: &Arrival, principal: Option<Arc<Principal>>, now: Now) {
        let id = query(arrival.parts.uri.query().unwrap_or_default(), "session_id").unwrap_or_default();
        let key = principal.as_ref().map(|principal| principal.key());
        let Some(peer) = self.event_peers.lock().get(id).filter(|peer| peer.principal == key).cloned() else {
            return arrival.respond(problem(
                StatusCode::NOT_FOUND,
                &Error::invalid_request("Session not found").with_code(-32001),
            ));
        };
        let mut response = Response::new(Message { shared: Bytes::from_static(b"Accepted"), ..Message::default() });
        *response.status_mut() = StatusCode::ACCEPTED;
        let carrier = Carrier { head: Some(Arc::new(arrival.parts.clone())), principal, header: None };
        arrival.respond(response);
        self.receive(&peer.peer, Arc::clone(&peer.peer.sink), arrival.body.clone(), &carrier, now);
    }
}

/// The value of a query parameter; ours need no decoding.
fn query<'q>(query: &'q str, name: &str) -> Option<&'q str> {
    query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
}
