//! HTTP requests: a head and a body in, one answer or one event stream out. The same entry serves hyper, tower and ASGI.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http::header::{self, HeaderName, HeaderValue};
use http::request::Parts;
use http::{Method as Verb, Response, StatusCode};

use super::Engine;
use super::host::Principal;
use crate::error::Error;
use crate::protocol::http::headers;
use crate::protocol::http::origin::{Cors, OriginPolicy};
use crate::protocol::http::reply::HttpReply;
use crate::protocol::http::server;
use crate::protocol::sink::Message;
use crate::time::Now;
use crate::wire::write;

mod auth;
mod events;
mod post;
mod session;
mod stream;

pub(super) use events::EventPeers;
pub(super) use session::Sessions;

/// How a server is reached over HTTP.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HttpOptions {
    /// The path of the MCP endpoint; every path that is not one of the others when empty, for servers that route themselves.
    pub path: String,
    /// The paths of the two HTTP+SSE endpoints of 2024-11-05, where they are served: the stream's, and the one to post to.
    pub sse: Option<(String, String)>,
    pub origin: OriginPolicy,
    pub cors: Option<Cors>,
    /// Whether answers are always JSON and never event streams.
    pub json_only: bool,
}

impl HttpOptions {
    /// Options for the usual paths.
    pub fn new(origin: OriginPolicy) -> Self {
        Self {
            path: "/mcp".to_owned(),
            sse: Some(("/sse".to_owned(), "/messages/".to_owned())),
            origin,
            cors: None,
            json_only: false,
        }
    }
}

/// A request that arrived whole.
pub(super) struct Arrival {
    pub options: Arc<HttpOptions>,
    pub parts: Parts,
    pub body: Bytes,
    pub reply: Arc<dyn HttpReply>,
    pub ticket: Arc<Ticket>,
}

/// The prefix that a foreign server mounted this one under; put it in the extensions of the request's head (H12).
#[derive(Clone, Debug, Default)]
pub struct MountPath(pub String);

/// Names an HTTP request to its transport, which says through it that the client went away.
#[derive(Default)]
pub struct Ticket {
    state: Mutex<TicketState>,
}

#[derive(Default)]
struct TicketState {
    gone: bool,
    target: Option<Arc<dyn Leaving>>,
}

/// Something that ends, or goes on without a reader, when the client went away.
pub(super) trait Leaving: Send + Sync {
    fn gone(self: Arc<Self>);
}

impl Ticket {
    /// The client went away before the answer was complete.
    pub fn gone(&self) {
        let target = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.gone = true;
            state.target.take()
        };
        if let Some(target) = target {
            target.gone();
        }
    }

    /// Sets who is told; told at once when the client is gone already.
    pub(super) fn attach(&self, target: Arc<dyn Leaving>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.gone {
            drop(state);
            target.gone();
        } else {
            state.target = Some(target);
        }
    }

    /// Forgets who is told: the answer is complete.
    pub(super) fn release(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).target = None;
    }
}

/// Which endpoint a path is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Endpoint {
    Mcp,
    Events,
    Messages,
}

impl HttpOptions {
    fn endpoint(&self, path: &str) -> Option<Endpoint> {
        let same = |ours: &str| path.trim_end_matches('/') == ours.trim_end_matches('/');
        if !self.path.is_empty() && same(&self.path) {
            return Some(Endpoint::Mcp);
        }
        match &self.sse {
            Some((events, _)) if same(events) => Some(Endpoint::Events),
            Some((_, messages)) if same(messages) => Some(Endpoint::Messages),
            _ => self.path.is_empty().then_some(Endpoint::Mcp),
        }
    }

    /// Adds what every response has.
    fn finish<B>(&self, parts: &Parts, mut response: Response<B>) -> Response<B> {
        if let Some(cors) = &self.cors {
            let origin = parts.headers.get(header::ORIGIN).and_then(|value| value.to_str().ok());
            add_headers(&mut response, cors.response_headers(origin));
        }
        response
    }
}

fn add_headers<B>(response: &mut Response<B>, headers: Vec<(&'static str, std::borrow::Cow<'_, str>)>) {
    for (name, value) in headers {
        if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(&value)) {
            // A preflight has them already, and a browser takes two values for none.
            response.headers_mut().entry(name).or_insert(value);
        }
    }
}

impl Engine {
    /// Looks at a request's head before its body is read: host and origin first, on every route (security 2).
    /// Returns the answer where the head alone decides it.
    pub fn check_http(&self, options: &HttpOptions, parts: &Parts) -> Option<Response<Message>> {
        let (hosts, host_count) = first_two(parts, header::HOST);
        let (origins, origin_count) = first_two(parts, header::ORIGIN);
        let authority = parts.uri.authority().map(|authority| authority.as_str());
        let refused = options.origin.check(&hosts[..host_count], authority, &origins[..origin_count]).err();
        let answer = match refused {
            Some(refusal) => {
                problem(StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::FORBIDDEN), &refusal.error)
            }
            None => self.check_allowed(options, parts)?,
        };
        Some(options.finish(parts, answer))
    }

    fn check_allowed(&self, options: &HttpOptions, parts: &Parts) -> Option<Response<Message>> {
        let Some(endpoint) = options.endpoint(parts.uri.path()) else {
            return Some(problem(StatusCode::NOT_FOUND, &Error::invalid_request("there is nothing at this path")));
        };
        if parts.method == Verb::OPTIONS
            && let Some(cors) = &options.cors
        {
            let text = |name| parts.headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
            let mut response = Response::new(Message::default());
            *response.status_mut() = StatusCode::NO_CONTENT;
            let requested = text(header::ACCESS_CONTROL_REQUEST_HEADERS);
            add_headers(&mut response, cors.preflight_headers(text(header::ORIGIN), requested));
            return Some(response);
        }
        let allowed: &[Verb] = match endpoint {
            Endpoint::Mcp if self.options.legacy_sessions => &[Verb::POST, Verb::GET, Verb::DELETE],
            Endpoint::Mcp | Endpoint::Messages => &[Verb::POST],
            Endpoint::Events => &[Verb::GET],
        };
        if !allowed.contains(&parts.method) {
            let mut response = problem(
                StatusCode::METHOD_NOT_ALLOWED,
                &Error::invalid_request(format!("{} is not offered at this path", parts.method)),
            );
            let names = allowed.iter().map(Verb::as_str).collect::<Vec<_>>().join(", ");
            if let Ok(value) = HeaderValue::from_str(&names) {
                response.headers_mut().insert(header::ALLOW, value);
            }
            return Some(response);
        }
        if self.is_draining() {
            let mut response = problem(StatusCode::SERVICE_UNAVAILABLE, &Error::internal("the server is stopping"));
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            return Some(response);
        }
        self.check_negotiation(parts)
    }

    /// Media types and the announced length of a body.
    fn check_negotiation(&self, parts: &Parts) -> Option<Response<Message>> {
        let text = |name| parts.headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        let accepts = accepts(parts);
        if parts.method == Verb::GET && !accepts.sse {
            return Some(problem(
                StatusCode::NOT_ACCEPTABLE,
                &Error::invalid_request("`Accept` must allow text/event-stream"),
            ));
        }
        if parts.method != Verb::POST {
            return None;
        }
        if !headers::is_json(text(header::CONTENT_TYPE)) {
            let error = Error::invalid_request("`Content-Type` must be application/json");
            return Some(problem(StatusCode::UNSUPPORTED_MEDIA_TYPE, &error));
        }
        if text(header::CONTENT_ENCODING).is_some_and(|coding| !coding.eq_ignore_ascii_case("identity")) {
            // A body that grows when it is read would pass every limit (security 18).
            let error = Error::invalid_request("`Content-Encoding` is not taken: send the body as it is");
            return Some(problem(StatusCode::UNSUPPORTED_MEDIA_TYPE, &error));
        }
        if !accepts.json && !accepts.sse {
            let error = Error::invalid_request("`Accept` must allow application/json or text/event-stream");
            return Some(problem(StatusCode::NOT_ACCEPTABLE, &error));
        }
        let length = text(header::CONTENT_LENGTH).and_then(|value| value.parse::<u64>().ok());
        let limit = self.limits().message_bytes;
        length.filter(|length| *length > limit as u64).map(|_| self.body_too_large())
    }

    /// The answer to a body over the limit.
    pub fn body_too_large(&self) -> Response<Message> {
        let limit = self.limits().message_bytes;
        let error = Error::invalid_request(Error::limit("message_bytes", limit, "the request body").message());
        let mut response = problem(StatusCode::PAYLOAD_TOO_LARGE, &error);
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        response
    }

    /// A whole request. [`Engine::check_http`] let its head pass. The answer goes to `reply`, now or later.
    pub fn http(
        self: &Arc<Self>,
        options: &Arc<HttpOptions>,
        parts: Parts,
        body: Bytes,
        reply: Arc<dyn HttpReply>,
        now: Now,
    ) -> Arc<Ticket> {
        let ticket = Arc::<Ticket>::default();
        let principal = parts.extensions.get::<Arc<Principal>>().cloned();
        let arrival = Arrival { options: Arc::clone(options), parts, body, reply, ticket: Arc::clone(&ticket) };
        if self.options.auth && principal.is_none() {
            self.authenticate(arrival, now);
        } else {
            self.admit(arrival, principal, now);
        }
        ticket
    }

    /// A request whose sender is known, as far as this server asks.
    fn admit(self: &Arc<Self>, arrival: Arrival, principal: Option<Arc<Principal>>, now: Now) {
        match (arrival.options.endpoint(arrival.parts.uri.path()), &arrival.parts.method) {
            (Some(Endpoint::Events), _) => self.open_events(arrival, principal, now),
            (Some(Endpoint::Messages), _) => self.post_to_events(&arrival, principal, now),
            (_, &Verb::GET) => self.open_session_stream(&arrival, principal.as_deref(), now),
            (_, &Verb::DELETE) => self.end_session(&arrival, principal.as_deref(), now),
            _ => self.post(arrival, principal, now),
        }
    }
}

impl Arrival {
    /// Answers and is done.
    fn respond(&self, response: Response<Message>) {
        self.ticket.release();
        self.reply.respond(self.options.finish(&self.parts, response));
    }
}

/// The first two values of a header, and how many of them there are; more than one is refused anyway. What is no text matches nothing.
fn first_two(parts: &Parts, name: header::HeaderName) -> ([&str; 2], usize) {
    let mut found = ([""; 2], 0);
    for value in parts.headers.get_all(name).iter().take(2) {
        found.0[found.1] = value.to_str().unwrap_or("\u{0}");
        found.1 += 1;
    }
    found
}

/// What the client can read; several `Accept` lines are one list.
fn accepts(parts: &Parts) -> headers::Accepts {
    let mut lines = parts.headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    match (lines.next(), lines.next()) {
        (first, None) => headers::accepts(first),
        (first, second) => {
            let all: Vec<_> = first.into_iter().chain(second).chain(lines).collect();
            headers::accepts(Some(&all.join(",")))
        }
    }
}

/// An answer that says what is wrong, as a JSON-RPC error without an id.
fn problem(status: StatusCode, error: &Error) -> Response<Message> {
    let mut out = Vec::with_capacity(160);
    write::error(&mut out, None, error);
    json(status, out.into())
}

/// A JSON answer.
fn json(status: StatusCode, message: Message) -> Response<Message> {
    let mut response = Response::new(message);
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// An answer without a body.
fn accepted() -> Response<Message> {
    let mut response = Response::new(Message::default());
    *response.status_mut() = StatusCode::ACCEPTED;
    response
}

/// The head of an event stream: nobody on the way may hold it back (E08, Y27).
fn event_stream() -> Response<()> {
    let mut response = Response::new(());
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}

/// The session that a request names.
fn session_id(parts: &Parts) -> Result<Option<&str>, Error> {
    server::single(&parts.headers, server::SESSION)
}
