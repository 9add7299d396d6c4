//! A POST to the MCP endpoint, in either era. The body decides the era; the headers only cross-check.

use std::sync::Arc;

use http::StatusCode;

use super::super::connection::Carrier;
use super::super::host::Principal;
use super::super::serve::Request;
use super::session::Session;
use super::stream::{PostStream, Shape};
use super::{Arrival, Engine, accepted, json, problem, session_id};
use crate::error::{Error, Result};
use crate::model::{Era, Method, Params, Version};
use crate::protocol::http::server;
use crate::protocol::inbound;
use crate::protocol::peer::Peer;
use crate::protocol::sink::Sink;
use crate::time::Now;
use crate::wire::envelope::{self, Message};
use crate::wire::write;

impl Engine {
    /// Serves a POST.
    pub(super) fn post(self: &Arc<Self>, arrival: Arrival, principal: Option<Arc<Principal>>, now: Now) {
        self.timers.saw(now);
        if envelope::is_batch(&arrival.body) {
            return self.post_legacy(arrival, None, principal, now);
        }
        let body = arrival.body.clone();
        match envelope::parse::<Params<'_>>(&body, self.limits()) {
            Err(rejected) => {
                let mut out = Vec::with_capacity(160);
                write::error(&mut out, rejected.id.as_ref(), &rejected.error);
                arrival.respond(json(StatusCode::BAD_REQUEST, out.into()));
                let principal = principal.map(|principal| principal.key());
                let id = session_id(&arrival.parts).ok().flatten();
                // What cannot be read may have been the answer to a question of its session.
                if let Some(session) = id.and_then(|id| self.sessions.find(id, principal.as_deref(), now))
                    && !rejected.reply
                {
                    self.refuse(&session.peer, &*session.peer.sink, rejected);
                }
            }
            Ok(message) if is_modern(&arrival, &message) => self.post_modern(arrival, message, principal, now),
            Ok(message) => self.post_legacy(arrival, Some(message), principal, now),
        }
    }

    fn post_modern(
        self: &Arc<Self>,
        arrival: Arrival,
        message: Message<'_, Params<'_>>,
        principal: Option<Arc<Principal>>,
        now: Now,
    ) {
        let (id, method, params) = match message {
            Message::Request { id, method, params } => (id, method, params),
            // The revision defines no notification on this transport; one is accepted and has no effect.
            Message::Notification { .. } => return arrival.respond(accepted()),
            Message::Response { .. } | Message::Orphan { .. } => {
                return arrival
                    .respond(problem(StatusCode::BAD_REQUEST, &Error::invalid_request("a client sends no responses")));
            }
        };
        if let Err(error) = server::check_standard(&arrival.parts.headers, &method, params.as_ref()) {
            let mut out = Vec::with_capacity(160);
            write::error(&mut out, Some(&id), &error);
            return arrival.respond(json(StatusCode::BAD_REQUEST, out.into()));
        }
        let header = server::single(&arrival.parts.headers, server::VERSION).ok().flatten().map(ToOwned::to_owned);
        let text = arrival.body.clone();
        let mut shape = self.shape(&arrival, Era::Modern);
        if method == Method::Listen.as_str() {
            // Its answer is the stream: without one, the client would wait for nothing.
            shape.streams = super::accepts(&arrival.parts).sse;
            if !shape.streams {
                let error =
                    Error::invalid_request(format!("`{method}` needs an `Accept` that allows text/event-stream"));
                let mut out = Vec::with_capacity(160);
                write::error(&mut out, Some(&id), &error);
                return arrival.respond(json(StatusCode::NOT_ACCEPTABLE, out.into()));
            }
        }
        let stream = PostStream::open(self, &arrival, shape, None);
        let head = Some(Arc::new(arrival.parts));
        let sink: Arc<dyn Sink> = Arc::clone(&stream) as Arc<dyn Sink>;
        let request = Request {
            text: &text,
            id,
            method: &method,
            params,
            peer: None,
            sink,
            head,
            principal,
            header: header.as_deref(),
        };
        self.serve(request, now);
        stream.wait(now);
    }

    fn post_legacy(
        self: &Arc<Self>,
        arrival: Arrival,
        message: Option<Message<'_, Params<'_>>>,
        principal: Option<Arc<Principal>>,
        now: Now,
    ) {
        let is_initialize =
            matches!(&message, Some(Message::Request { method, .. }) if method == Method::Initialize.as_str());
        let found = self.legacy_peer(&arrival, is_initialize, principal.as_ref(), now);
        let (session, peer, header) = match found {
            Ok(found) => found,
            Err((status, error)) => {
                let mut out = Vec::with_capacity(160);
                let id = match &message {
                    Some(Message::Request { id, .. }) => Some(id),
                    _ => None,
                };
                write::error(&mut out, id, &error);
                return arrival.respond(json(status, out.into()));
            }
        };
        let carrier =
            |arrival: Arrival| Carrier { head: Some(Arc::new(arrival.parts)), principal: principal.clone(), header };
        match message {
            Some(message @ (Message::Notification { .. } | Message::Response { .. } | Message::Orphan { .. })) => {
                let text = arrival.body.clone();
                arrival.respond(accepted());
                let sink = Arc::clone(&peer.sink);
                self.handle(&peer, sink, &text, message, &carrier(arrival), now);
            }
            message => {
                let shape =
                    Shape { opens_session: is_initialize && session.is_some(), ..self.shape(&arrival, Era::Legacy) };
                let text = arrival.body.clone();
                if message.is_none() && !self.batch_is_answered(&text) {
                    let sink = Arc::clone(&peer.sink);
                    arrival.respond(accepted());
                    return self.receive(&peer, sink, text, &carrier(arrival), now);
                }
                let stream = PostStream::open(self, &arrival, shape, session.clone());
                let sink: Arc<dyn Sink> = Arc::clone(&stream) as Arc<dyn Sink>;
                match message {
                    Some(message) => self.handle(&peer, sink, &text, message, &carrier(arrival), now),
                    None => self.receive(&peer, sink, text, &carrier(arrival), now),
                }
                // Only a handshake that succeeded makes a session (N34).
                if let Some(session) = session.filter(|session| is_initialize && session.peer.negotiated().is_none()) {
                    self.sessions.remove(&session, "the handshake failed");
                }
                stream.wait(now);
            }
        }
    }

    /// The peer that a legacy POST belongs to: its session's, or one of its own in a stateless server.
    #[allow(clippy::type_complexity)]
    fn legacy_peer(
        self: &Arc<Self>,
        arrival: &Arrival,
        is_initialize: bool,
        principal: Option<&Arc<Principal>>,
        now: Now,
    ) -> Result<(Option<Arc<Session>>, Arc<Peer>, Option<Box<str>>), (StatusCode, Error)> {
        let bad = |error: Error| (StatusCode::BAD_REQUEST, error);
        let header = server::single(&arrival.parts.headers, server::VERSION).map_err(bad)?;
        if let Some(version) = header.filter(|_| !is_initialize)
            && Version::parse(version).is_none()
        {
            return Err(bad(inbound::unsupported_version(version)));
        }
        let header = header.map(Into::into);
        if !self.options.legacy_sessions {
            let peer = Arc::new(Peer::new(None, false, super::stream::nowhere()));
            return Ok((None, peer, header));
        }
        if is_initialize {
            let session = self.sessions.open(self, principal.map(|principal| principal.key()), now);
            return Ok((Some(Arc::clone(&session)), Arc::clone(&session.peer), header));
        }
        match session_id(&arrival.parts).map_err(bad)? {
            None => Err(bad(Error::invalid_request(
                "the header Mcp-Session-Id is missing: `initialize` opens a session, per-request metadata needs none",
            ))),
            Some(id) => {
                let session = self.sessions.find(id, principal.map(|principal| principal.key()).as_deref(), now);
                let session = session.ok_or_else(|| {
                    (StatusCode::NOT_FOUND, Error::invalid_request("Session not found").with_code(-32001))
                })?;
                Ok((Some(Arc::clone(&session)), Arc::clone(&session.peer), header))
            }
        }
    }

    fn shape(&self, arrival: &Arrival, era: Era) -> Shape {
        let accepts = super::accepts(&arrival.parts);
        Shape {
            era,
            streams: accepts.sse && !arrival.options.json_only,
            json: accepts.json,
            opens_session: false,
            stateless: !self.options.legacy_sessions,
        }
    }

    fn batch_is_answered(&self, text: &[u8]) -> bool {
        match envelope::split_batch(text) {
            Ok(messages) => messages.iter().any(|message| self.wants_answer(message.get().as_bytes())),
            Err(_) => true,
        }
    }
}

/// Whether a message claims the modern era, in its body or, for want of a claim there, in its header.
fn is_modern(arrival: &Arrival, message: &Message<'_, Params<'_>>) -> bool {
    let params = match message {
        Message::Request { params, .. } | Message::Notification { params, .. } => params.as_ref(),
        _ => None,
    };
    if params.and_then(|params| params.meta.as_ref()).is_some_and(inbound::claims_modern) {
        return true;
    }
    let header = server::single(&arrival.parts.headers, server::VERSION).ok().flatten();
    header.and_then(Version::parse).is_some_and(|version| version.era() == Era::Modern)
}
