//! What comes back over HTTP: heads, bodies and event streams, and what their end means to whoever waits.

use std::sync::Arc;

use http::header::{HeaderMap, HeaderName};
use http::{Method as Verb, StatusCode};

use super::http_link::{Carried, Exchange, Kind, Seen};
use super::receive::LARGE;
use super::state::{Effect, Phase, Purpose, State};
use crate::error::{Error, ErrorKind};
use crate::limits::Limits;
use crate::model::{Era, Level};
use crate::protocol::http::client::{self, Reader};
use crate::protocol::http::server;
use crate::time::Now;
use crate::wire::envelope::{self, Message};
use crate::wire::{Object, sse};

/// Bytes that are looked at of an answer that failed, or that nobody reads.
const FAILURE_BYTES: usize = 64 << 10;

impl State {
    pub fn http_head(&mut self, id: u64, status: StatusCode, all: &HeaderMap, now: Now) {
        self.pulse.heard(now);
        if status == StatusCode::NOT_FOUND && self.session_refused(id, now) {
            return;
        }
        let options = Arc::clone(&self.options);
        let events_only = self.http.as_ref().is_some_and(|http| http.has_endpoint());
        let Some(exchange) = self.exchange(id) else { return };
        let kind = exchange.kind;
        match kind {
            // What the body of an accepted message says does not matter (H03).
            Kind::Request(_) if events_only && status.is_success() => {}
            Kind::Request(_) => exchange.reader = Reader::open(status, all, &options.limits),
            Kind::Events if client::is_stream(status, all) => {
                exchange.reader = Reader::open(status, all, &options.limits);
            }
            Kind::Events => {
                self.abort(id);
                self.events_refused(status, now);
            }
            Kind::General => match self.general_head(status, all, now) {
                true => {
                    if let Some(exchange) = self.exchange(id) {
                        exchange.reader = Reader::open(status, all, &options.limits);
                    }
                }
                false => self.abort(id),
            },
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
            http.begin_session(all.get(HeaderName::from_static(server::SESSION)).cloned());
        }
    }

    /// A 404 for what carried a session: the server does not know it any more, and has not done what was asked. The request is sent
    /// once more, in a new session; a second 404 is its answer. One that is late concerns the session it carried only (H01).
    fn session_refused(&mut self, id: u64, now: Now) -> bool {
        let Some(exchange) = self.exchange(id) else { return false };
        let (kind, carried) = (exchange.kind, exchange.carried);
        if carried == Carried::Nothing || !self.options.recover {
            return false;
        }
        let is_current = self.is_of_now(carried);
        let is_refused = match kind {
            Kind::General => self.had_general_stream() && is_current,
            Kind::Request(request) if self.is_resumed(request) => {
                self.cut_off(request, now);
                true
            }
            Kind::Request(request) => match self.sent.get(&request).map(|sent| sent.purpose) {
                Some(Purpose::Call(token)) if self.hold_refused(token) => self.unsend(request).is_some(),
                Some(Purpose::Ping) => self.unsend(request).is_none(),
                _ => false,
            },
            Kind::Initialized | Kind::Notice | Kind::Events | Kind::Delete => false,
        };
        if is_refused {
            self.abort(id);
            match self.phase {
                Phase::Ready(_) if is_current => {
                    self.lose_session("the server no longer knows the session (HTTP status 404)".to_owned(), now);
                }
                Phase::Ready(_) => self.send_held(now),
                _ => {}
            }
        }
        is_refused
    }

    pub fn http_chunk(&mut self, id: u64, chunk: &[u8], now: Now) {
        self.pulse.heard(now);
        let options = Arc::clone(&self.options);
        let Some(exchange) = self.exchange(id) else { return };
        let kind = exchange.kind;
        // It is put back below unless the exchange ends meanwhile.
        let mut reader = std::mem::take(&mut exchange.reader);
        if let Err(error) = self.read(id, kind, &mut reader, chunk, &options.limits, now) {
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
        id: u64,
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
                    if !self.is_news(id, kind, &event) {
                        continue;
                    }
                    match kind {
                        Kind::Request(request) if event.name == "message" && event.data.len() >= LARGE => {
                            let data = decoder.take_data();
                            self.receive_whole(data, Some(request), now);
                        }
                        _ => self.event(kind, &event, now),
                    }
                }
                Ok(())
            }
        }
    }

    /// Whether an event was not seen before. A server that is asked for the rest of a stream may send more than that.
    fn is_news(&mut self, exchange: u64, kind: Kind, event: &sse::Event<'_>) -> bool {
        let Some(id) = event.id else { return true };
        if self.version().is_some_and(|version| version.era() == Era::Modern) {
            return true;
        }
        let Some(http) = &mut self.http else { return true };
        let Some(exchange) = http.exchanges.get_mut(&exchange) else { return true };
        // An event without an id of its own has that of the one before.
        let own = Seen::mark(id);
        exchange.event.replace(own) == Some(own) || http.seen.insert(Seen::mark((kind, id, event.data)))
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

    pub fn http_end(&mut self, id: u64, now: Now) {
        let Some(exchange) = self.take_exchange(id) else { return };
        let Exchange { kind, reader, carried, .. } = exchange;
        match (kind, reader) {
            (Kind::Request(request), Reader::Json(body)) => {
                self.receive_whole(body, Some(request), now);
                let error = Error::new(ErrorKind::Closed, "the body of the answer holds no answer").retryable();
                self.answered(request, Err(error), None, now);
            }
            (Kind::Request(request), Reader::Failure { .. }) if self.is_resumed(request) => {
                self.unanswered(request, "the event stream ended before the answer, and cannot be resumed", now);
            }
            (Kind::Request(request), Reader::Failure { status, retry_after, body }) => {
                let error = self.error_of(status, retry_after.as_deref(), &body);
                self.answered(request, Err(error), Some(status.as_u16()), now);
            }
            // It must not wait for its time limit (E07).
            (Kind::Request(request), Reader::Events(stream))
                if !(self.is_of_now(carried) && self.resumes(request, Some(&stream), now)) =>
            {
                self.unanswered(request, "the event stream ended before the answer", now);
            }
            (Kind::Events, _) => {
                self.events_ended(Error::new(ErrorKind::Closed, "the server ended the event stream"), now);
            }
            (Kind::General, reader) => self.general_ended(&reader, None, now),
            _ => {}
        }
    }

    /// Whether a stream is one of the session that there is now: only there can it be taken up.
    fn is_of_now(&self, carried: Carried) -> bool {
        self.http.as_ref().is_some_and(|http| http.carries() == carried)
    }

    fn unanswered(&mut self, request: u64, why: &str, now: Now) {
        self.broke_off(request, Error::new(ErrorKind::Closed, why).retryable(), now);
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
        let Some(exchange) = self.take_exchange(id) else { return };
        let resumes = match (exchange.kind, &exchange.reader) {
            (Kind::Request(_), _) if !self.is_of_now(exchange.carried) => false,
            (Kind::Request(request), Reader::Events(stream)) => self.resumes(request, Some(stream), now),
            (Kind::Request(request), _) if self.is_resumed(request) => self.resumes(request, None, now),
            (Kind::General, reader) => {
                self.general_ended(reader, Some(&error), now);
                true
            }
            _ => false,
        };
        if !resumes {
            self.broken(exchange.kind, error, now);
        }
    }

    /// An exchange is over without its end.
    fn broken(&mut self, kind: Kind, error: Error, now: Now) {
        match kind {
            Kind::Request(request) => self.broke_off(request, error, now),
            Kind::Events => self.events_ended(error, now),
            Kind::Initialized if matches!(self.phase, Phase::Connecting(_)) => self.connect_failed(error, now),
            Kind::General | Kind::Notice | Kind::Initialized => self.report(Level::Warning, error.to_string()),
            Kind::Delete => {}
        }
    }

    /// The event stream of 2024-11-05 is the connection.
    fn events_ended(&mut self, error: Error, now: Now) {
        match self.phase {
            Phase::Connecting(_) => self.connect_failed(error, now),
            _ => self.lose(error, now),
        }
    }

    /// The event stream of 2024-11-05 says where to post to.
    fn endpoint(&mut self, data: &[u8], now: Now) {
        let Some(http) = self.http.as_mut().filter(|http| !http.has_endpoint()) else { return };
        match http.set_endpoint(data) {
            Ok(()) => self.send_initialize(now),
            Err(error) => self.connect_failed(error, now),
        }
    }

    /// Opens the event stream of 2024-11-05.
    pub fn open_events(&mut self, now: Now) {
        if let Err(error) = self.start_http(Kind::Events, Verb::GET, &client::Head::default(), Vec::new()) {
            self.connect_failed(error, now);
        }
    }
}
