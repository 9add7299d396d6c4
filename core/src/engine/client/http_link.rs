//! The HTTP carriers of all revisions: one POST per request with the answer in it (Streamable HTTP), the legacy session with its
//! general stream, and the single event stream of 2024-11-05.

use bytes::Bytes;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use http::{Method as Verb, StatusCode};
use rustc_hash::FxHashMap;

use super::state::{Effect, Phase, Purpose, State};
use crate::error::{Error, ErrorKind};
use crate::limits::Limits;
use crate::model::{Era, Level, Method, Version};
use crate::protocol::http::client::{self, Head, Reader};
use crate::protocol::http::{headers, server};
use crate::schema::xheader;
use crate::time::Now;
use crate::wire::envelope::{self, Message};
use crate::wire::{Object, sse};

/// Bytes that are looked at of an answer that failed, or that nobody reads.
const FAILURE_BYTES: usize = 64 << 10;

/// Where a client posts to, and what is under way there.
pub(super) struct Http {
    url: Box<str>,
    headers: HeaderMap,
    session: Option<HeaderValue>,
    /// The address that the event stream of 2024-11-05 named; answers then come on that stream.
    post_to: Option<String>,
    exchanges: FxHashMap<u64, Exchange>,
    last: u64,
    /// What the arguments of tools are mirrored into, of those tools that have such arguments.
    pub mirrors: FxHashMap<Box<str>, xheader::HeaderMap>,
}

/// A request on its way, and what its head repeats of it.
pub(super) struct Post {
    pub id: u64,
    pub version: Version,
    pub method: Method,
    /// `Mcp-Name`, modern requests only.
    pub name: Option<String>,
    /// `Mcp-Param-*`, modern calls only.
    pub mirrored: Vec<(Box<str>, String)>,
}

impl Post {
    pub fn new(id: u64, version: Version, method: Method) -> Self {
        Self { id, version, method, name: None, mirrored: Vec::new() }
    }
}

/// One HTTP request.
struct Exchange {
    kind: Kind,
    reader: Reader,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Carries the request of that id.
    Request(u64),
    /// Carries `notifications/initialized`.
    Initialized,
    /// Carries a notification, or an answer of ours.
    Notice,
    /// The general stream of a legacy session.
    General,
    /// The event stream of 2024-11-05.
    Events,
    /// The end of a session.
    Delete,
}

impl Http {
    pub fn new(url: Box<str>, headers: HeaderMap) -> Self {
        Self {
            url,
            headers,
            session: None,
            post_to: None,
            exchanges: FxHashMap::default(),
            last: 0,
            mirrors: FxHashMap::default(),
        }
    }
}

impl State {
    /// Posts a request; its head says what its body says where the revision wants that.
    pub fn post_request(&mut self, post: Post, body: Vec<u8>, now: Now) {
        let Post { id, version, method, name, mirrored } = post;
        let head = Head {
            // Before the handshake has agreed on a revision there is none to name.
            version: (method != Method::Initialize).then(|| version.as_str()),
            method: (version.era() == Era::Modern).then(|| method.as_str()),
            name: name.as_deref(),
            mirrored: &mirrored,
            ..Head::default()
        };
        match self.start_http(Kind::Request(id), Verb::POST, &head, body) {
            Ok(exchange) => {
                if let Some(sent) = self.sent.get_mut(&id) {
                    sent.exchange = Some(exchange);
                }
            }
            Err(error) => self.answered(id, Err(error), None, now),
        }
    }

    pub fn post_notice(&mut self, body: Vec<u8>) {
        let version = self.version();
        let head = Head { version: version.map(Version::as_str), ..Head::default() };
        if let Err(error) = self.start_http(Kind::Notice, Verb::POST, &head, body) {
            self.report(Level::Error, error.to_string());
        }
    }

    pub fn post_initialized(&mut self, version: Version, body: Vec<u8>) {
        let head = Head { version: Some(version.as_str()), ..Head::default() };
        if let Err(error) = self.start_http(Kind::Initialized, Verb::POST, &head, body) {
            self.end(error);
        }
    }

    /// Opens the stream for what belongs to no request. Servers without one say so, and that harms nobody (H06).
    pub fn open_general_stream(&mut self, version: Version) {
        if self.http.as_ref().is_none_or(|http| http.post_to.is_some()) {
            return;
        }
        let head = Head { version: Some(version.as_str()), ..Head::default() };
        if let Err(error) = self.start_http(Kind::General, Verb::GET, &head, Vec::new()) {
            self.report(Level::Error, error.to_string());
        }
    }

    /// Opens the event stream of 2024-11-05.
    pub fn open_events(&mut self) {
        if let Err(error) = self.start_http(Kind::Events, Verb::GET, &Head::default(), Vec::new()) {
            self.end(error);
        }
    }

    pub fn start_http(&mut self, kind: Kind, verb: Verb, head: &Head<'_>, body: Vec<u8>) -> Result<u64, Error> {
        let Some(http) = &mut self.http else { return Err(Error::internal("there is no HTTP carrier")) };
        let head = Head { session: http.session.as_ref(), user: Some(&http.headers), ..*head };
        let url = match &http.post_to {
            Some(url) if verb == Verb::POST => url,
            _ => &*http.url,
        };
        let request = head.request(verb, url, Bytes::from(body))?;
        http.last += 1;
        http.exchanges.insert(http.last, Exchange { kind, reader: Reader::default() });
        self.effects.push(Effect::Request(http.last, Box::new(request)));
        Ok(http.last)
    }

    /// Ends an exchange whose answer nobody waits for.
    pub fn abort(&mut self, exchange: u64) {
        let known = self.http.as_mut().and_then(|http| http.exchanges.remove(&exchange));
        if known.is_some() {
            self.effects.push(Effect::Abort(exchange));
        }
    }

    /// Ends everything that is under way, and the session.
    pub fn end_http(&mut self) {
        let Some(http) = &mut self.http else { return };
        let under_way: Vec<_> = http.exchanges.keys().copied().collect();
        let has_session = http.session.is_some();
        for exchange in under_way {
            self.abort(exchange);
        }
        if has_session {
            // A server that does not want to be told answers 405; either way the session is forgotten here.
            let _ = self.start_http(Kind::Delete, Verb::DELETE, &Head::default(), Vec::new());
        }
    }

    fn exchange(&mut self, id: u64) -> Option<&mut Exchange> {
        self.http.as_mut()?.exchanges.get_mut(&id)
    }

    pub fn http_head(&mut self, id: u64, status: StatusCode, all: &HeaderMap, now: Now) {
        let options = std::sync::Arc::clone(&self.options);
        let events_only = self.http.as_ref().is_some_and(|http| http.post_to.is_some());
        let Some(exchange) = self.exchange(id) else { return };
        let kind = exchange.kind;
        match kind {
            // What the body of an accepted message says does not matter (H03).
            Kind::Request(_) if events_only && status.is_success() => {}
            Kind::Request(_) => exchange.reader = Reader::open(status, all, &options.limits),
            Kind::Events => match is_stream(status, all) {
                true => exchange.reader = Reader::open(status, all, &options.limits),
                false => {
                    let error = client::failure(status, None, b"");
                    self.abort(id);
                    self.end(error);
                }
            },
            Kind::General if is_stream(status, all) => exchange.reader = Reader::open(status, all, &options.limits),
            Kind::General => {
                self.abort(id);
                if status.is_success() {
                    self.report(
                        Level::Debug,
                        "the server answered GET with something that is no event stream".to_owned(),
                    );
                }
            }
            Kind::Initialized => {
                if !status.is_success() {
                    let text = format!("the server answered `notifications/initialized` with HTTP status {status}");
                    self.report(Level::Warning, text);
                }
                self.confirmed(now);
            }
            Kind::Notice if !status.is_success() => {
                self.report(Level::Warning, format!("the server answered a notification with HTTP status {status}"));
            }
            Kind::Notice | Kind::Delete => {}
        }
        if let Kind::Request(request) = kind
            && status.is_success()
            && self.sent.get(&request).is_some_and(|sent| sent.purpose == Purpose::Initialize)
            && let Some(http) = &mut self.http
        {
            http.session = all.get(HeaderName::from_static(server::SESSION)).cloned();
        }
    }

    pub fn http_chunk(&mut self, id: u64, chunk: &[u8], now: Now) {
        let limits = self.options.limits.clone();
        let Some(exchange) = self.exchange(id) else { return };
        let kind = exchange.kind;
        // It is put back below unless the exchange ends meanwhile.
        let mut reader = std::mem::take(&mut exchange.reader);
        if let Err(error) = self.read(kind, &mut reader, chunk, &limits, now) {
            self.abort(id);
            return self.broken(kind, error, now);
        }
        let enough = match &reader {
            Reader::Failure { body, .. } => body.len() >= FAILURE_BYTES,
            Reader::Ignore(bytes) => *bytes >= FAILURE_BYTES,
            Reader::Json(_) | Reader::Events(_) => false,
        };
        if let Some(exchange) = self.exchange(id) {
            exchange.reader = reader;
            if enough {
                // The rest would change nothing, and may have no end (security 18).
                self.http_end(id, now);
                self.effects.push(Effect::Abort(id));
            }
        }
    }

    fn read(
        &mut self,
        kind: Kind,
        reader: &mut Reader,
        mut chunk: &[u8],
        limits: &Limits,
        now: Now,
    ) -> Result<(), Error> {
        match reader {
            Reader::Json(body) => client::append(body, chunk, limits),
            Reader::Failure { body, .. } => {
                let room = FAILURE_BYTES.saturating_sub(body.len());
                body.extend_from_slice(&chunk[..chunk.len().min(room)]);
                Ok(())
            }
            Reader::Ignore(bytes) => {
                *bytes += chunk.len();
                Ok(())
            }
            Reader::Events(decoder) => {
                while let Some(event) = decoder.next(&mut chunk)? {
                    self.event(kind, &event, now);
                }
                Ok(())
            }
        }
    }

    fn event(&mut self, kind: Kind, event: &sse::Event<'_>, now: Now) {
        match (event.name, kind) {
            ("endpoint", Kind::Events) => self.endpoint(event.data, now),
            // An event without data only carries an id (N13).
            ("message", _) if !event.data.is_empty() => {
                let of = match kind {
                    Kind::Request(id) => Some(id),
                    _ => None,
                };
                self.receive(event.data, of, now);
            }
            _ => {}
        }
    }

    /// The event stream of 2024-11-05 says where to post to.
    fn endpoint(&mut self, data: &[u8], now: Now) {
        let Some(http) = &mut self.http else { return };
        if http.post_to.is_some() {
            return;
        }
        match client::resolve_endpoint(&http.url, &String::from_utf8_lossy(data)) {
            Ok(url) => {
                http.post_to = Some(url);
                self.send_initialize(now);
            }
            Err(error) => self.end(error),
        }
    }

    pub fn http_end(&mut self, id: u64, now: Now) {
        let Some(exchange) = self.http.as_mut().and_then(|http| http.exchanges.remove(&id)) else { return };
        let Exchange { kind, reader } = exchange;
        match (kind, reader) {
            (Kind::Request(request), Reader::Json(body)) => {
                self.receive(&body, Some(request), now);
                self.unanswered(request, "the body of the answer holds no answer", now);
            }
            (Kind::Request(request), Reader::Failure { .. }) if self.is_resumed(request) => {
                self.unanswered(request, "the event stream ended before the answer, and cannot be resumed", now);
            }
            (Kind::Request(request), Reader::Failure { status, retry_after, body }) => {
                let error = self.error_of(status, retry_after.as_deref(), &body);
                self.answered(request, Err(error), Some(status.as_u16()), now);
            }
            // It must not wait for its time limit (E07).
            (Kind::Request(request), Reader::Events(stream)) if !self.resumes(request, Some(&stream), now) => {
                self.unanswered(request, "the event stream ended before the answer", now);
            }
            (Kind::Events, _) => self.end(Error::new(ErrorKind::Closed, "the server ended the event stream")),
            _ => {}
        }
    }

    fn unanswered(&mut self, request: u64, why: &str, now: Now) {
        self.answered(request, Err(Error::new(ErrorKind::Closed, why).retryable()), None, now);
    }

    /// The error that a failed answer holds: the server's own where the body is one.
    fn error_of(&self, status: StatusCode, retry_after: Option<&str>, body: &[u8]) -> Error {
        match envelope::parse::<Object<'_>>(body, &self.options.limits) {
            Ok(Message::Response { outcome: Err(error), .. } | Message::Orphan { error }) => {
                Error::from(error).with("status", status.as_u16())
            }
            _ => client::failure(status, retry_after, body),
        }
    }

    pub fn http_failed(&mut self, id: u64, error: Error, now: Now) {
        let Some(exchange) = self.http.as_mut().and_then(|http| http.exchanges.remove(&id)) else { return };
        let resumes = match (exchange.kind, &exchange.reader) {
            (Kind::Request(request), Reader::Events(stream)) => self.resumes(request, Some(stream), now),
            (Kind::Request(request), _) if self.is_resumed(request) => self.resumes(request, None, now),
            _ => false,
        };
        if !resumes {
            self.broken(exchange.kind, error, now);
        }
    }

    fn broken(&mut self, kind: Kind, error: Error, now: Now) {
        match kind {
            Kind::Request(request) => self.answered(request, Err(error), None, now),
            Kind::Events => self.end(error),
            Kind::Initialized if matches!(self.phase, Phase::Connecting(_)) => self.end(error),
            Kind::General | Kind::Notice | Kind::Initialized => self.report(Level::Warning, error.to_string()),
            Kind::Delete => {}
        }
    }
}

fn is_stream(status: StatusCode, all: &HeaderMap) -> bool {
    let kind = all.get(http::header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    status.is_success() && headers::is_event_stream(kind)
}
