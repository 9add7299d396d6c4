//! The HTTP carriers of all revisions: one POST per request with the answer in it (Streamable HTTP), the legacy session with its
//! general stream, and the single event stream of 2024-11-05. Here are their requests; `http_answer` reads what comes back.

use std::hash::{DefaultHasher, Hash, Hasher};

use bytes::Bytes;
use http::Method as Verb;
use http::header::{HeaderMap, HeaderValue};
use rustc_hash::{FxHashMap, FxHashSet};

use super::state::{Effect, State};
use crate::error::Error;
use crate::model::{Era, Level, Method, Version};
use crate::protocol::http::client::{self, Head, Reader};
use crate::time::Now;

/// Events that are remembered, at least.
const SEEN: usize = 512;

/// Where a client posts to, and what is under way there.
pub(super) struct Http {
    url: Box<str>,
    headers: HeaderMap,
    session: Option<HeaderValue>,
    /// The address that the event stream of 2024-11-05 named; answers then come on that stream.
    post_to: Option<String>,
    pub exchanges: FxHashMap<u64, Exchange>,
    last: u64,
    /// What a request carries now.
    carried: Carried,
    sessions: u32,
    pub seen: Seen,
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
    /// What its caller adds.
    pub headers: HeaderMap,
}

impl Post {
    pub fn new(id: u64, version: Version, method: Method) -> Self {
        Self { id, version, method, name: None, mirrored: Vec::new(), headers: HeaderMap::new() }
    }
}

/// One HTTP request.
pub(super) struct Exchange {
    pub kind: Kind,
    pub reader: Reader,
    pub carried: Carried,
    /// The last event of its stream that had an id, see [`Seen::mark`].
    pub event: Option<u64>,
}

/// The session that a request carried, by its number: an id may come again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Carried {
    Nothing,
    Session(u32),
}

/// The last events of one session that had ids, in two halves of which the older is forgotten as a whole.
#[derive(Default)]
pub(super) struct Seen {
    newer: FxHashSet<u64>,
    older: FxHashSet<u64>,
}

impl Seen {
    /// What stands for an event. Its text counts too: some servers number each stream from one again.
    pub fn mark(parts: impl Hash) -> u64 {
        let mut hasher = DefaultHasher::new();
        parts.hash(&mut hasher);
        hasher.finish()
    }

    /// True when the event is new.
    pub fn insert(&mut self, mark: u64) -> bool {
        if self.older.contains(&mark) || !self.newer.insert(mark) {
            return false;
        }
        if self.newer.len() >= SEEN {
            self.older = std::mem::take(&mut self.newer);
        }
        true
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

impl Kind {
    /// Whether it is of no use without the session.
    fn is_of_session(self) -> bool {
        matches!(self, Self::Initialized | Self::General | Self::Events)
    }
}

impl Http {
    pub fn new(url: Box<str>, headers: HeaderMap) -> Self {
        Self {
            url,
            headers: client::user_headers(headers),
            session: None,
            post_to: None,
            exchanges: FxHashMap::default(),
            last: 0,
            carried: Carried::Nothing,
            sessions: 0,
            seen: Seen::default(),
        }
    }

    /// Whether requests are answered on the event stream of 2024-11-05.
    pub fn has_endpoint(&self) -> bool {
        self.post_to.is_some()
    }

    /// Where requests are posted to from now on.
    ///
    /// # Errors
    /// `Refused` for another origin (E09).
    pub fn set_endpoint(&mut self, named: &[u8]) -> Result<(), Error> {
        self.post_to = Some(client::resolve_endpoint(&self.url, &String::from_utf8_lossy(named))?);
        Ok(())
    }

    /// The server answered the handshake, maybe with a session.
    pub fn begin_session(&mut self, session: Option<HeaderValue>) {
        self.carried = Carried::Nothing;
        if session.is_some() {
            self.sessions += 1;
            self.carried = Carried::Session(self.sessions);
        }
        self.session = session;
    }

    /// What a request carries now.
    pub fn carries(&self) -> Carried {
        self.carried
    }
}

impl State {
    /// Posts a request; its head says what its body says where the revision wants that.
    pub fn post_request(&mut self, post: Post, body: Vec<u8>, now: Now) {
        let Post { id, version, method, name, mirrored, headers } = post;
        let head = Head {
            // Before the handshake has agreed on a revision there is none to name.
            version: (method != Method::Initialize).then(|| version.as_str()),
            method: (version.era() == Era::Modern).then(|| method.as_str()),
            name: name.as_deref(),
            mirrored: &mirrored,
            call: Some(&headers),
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

    pub fn post_initialized(&mut self, version: Version, body: Vec<u8>, now: Now) {
        let head = Head { version: Some(version.as_str()), ..Head::default() };
        if let Err(error) = self.start_http(Kind::Initialized, Verb::POST, &head, body) {
            self.connect_failed(error, now);
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
        let exchange = Exchange { kind, reader: Reader::default(), carried: http.carried, event: None };
        http.exchanges.insert(http.last, exchange);
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

    /// Ends everything that is under way, and the session, which spoke that revision.
    pub fn end_http(&mut self, version: Option<Version>) {
        let Some(http) = &mut self.http else { return };
        let under_way: Vec<_> = http.exchanges.keys().copied().collect();
        let has_session = http.session.is_some();
        for exchange in under_way {
            self.abort(exchange);
        }
        if has_session {
            // A server that does not want to be told answers 405; either way the session is forgotten here.
            let head = Head { version: version.map(Version::as_str), ..Head::default() };
            let _ = self.start_http(Kind::Delete, Verb::DELETE, &head, Vec::new());
        }
    }

    pub fn exchange(&mut self, id: u64) -> Option<&mut Exchange> {
        self.http.as_mut()?.exchanges.get_mut(&id)
    }

    /// Takes an exchange that is over.
    pub fn take_exchange(&mut self, id: u64) -> Option<Exchange> {
        self.http.as_mut()?.exchanges.remove(&id)
    }

    /// The session is over, and what belongs to it; requests under way still may be answered.
    pub fn drop_session(&mut self) {
        let Some(http) = &mut self.http else { return };
        http.session = None;
        http.carried = Carried::Nothing;
        http.seen = Seen::default();
        http.post_to = None;
        let over = http.exchanges.iter().filter(|(_, exchange)| exchange.kind.is_of_session()).map(|(id, _)| *id);
        for id in over.collect::<Vec<_>>() {
            self.abort(id);
        }
        self.forget_general_stream();
    }

    /// Everything is over that is under way.
    pub fn reset_http(&mut self) {
        let under_way = self.http.iter().flat_map(|http| http.exchanges.keys()).copied();
        for id in under_way.collect::<Vec<_>>() {
            self.abort(id);
        }
        self.drop_session();
    }
}
