//! Taking up an event stream that ended before its answer. A legacy server may close a stream at any time and be polled for the rest,
//! if it gave its events ids; in the modern era a stream that ends is a failure.
//! See <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery>.

use std::time::Duration;

use http::Method as Verb;

use super::http_link::Kind;
use super::state::{State, Timer};
use crate::model::{Era, Version};
use crate::protocol::http::client::Head;
use crate::time::Now;
use crate::wire::sse::Decoder;

/// The wait before a stream is asked for again, where the server names none.
pub(super) const USUAL: Duration = Duration::from_secs(1);
/// The wait that even a server which names less gets.
pub(super) const SHORTEST: Duration = Duration::from_millis(50);
/// How often in a row a stream may end, or not come at all, without anything new.
const BARREN: u32 = 3;

/// Where a stream is taken up.
pub(super) struct Resume {
    /// The id of the last event that came.
    after: String,
    wait: Duration,
    barren: u32,
}

impl State {
    /// The stream of a request ended, or did not come. Whether the rest will be asked for; if not, the request has failed.
    pub fn resumes(&mut self, request: u64, stream: Option<&Decoder>, now: Now) -> bool {
        if self.version().is_none_or(|version| version.era() != Era::Legacy) {
            return false;
        }
        let Some(sent) = self.sent.get_mut(&request) else { return false };
        let before = sent.resume.take();
        let seen = stream.and_then(Decoder::last_event_id).map(ToOwned::to_owned);
        let Some(after) = seen.or_else(|| before.as_ref().map(|before| before.after.clone())) else { return false };
        let barren = before.as_ref().filter(|before| before.after == after).map_or(0, |before| before.barren + 1);
        if barren == BARREN {
            return false;
        }
        let named = stream.and_then(Decoder::retry).or(before.map(|before| before.wait));
        let wait = named.unwrap_or(USUAL).max(SHORTEST);
        sent.exchange = None;
        sent.resume = Some(Resume { after, wait, barren });
        self.set_timer(now.monotonic.saturating_add(wait), Timer::Resume(request));
        true
    }

    /// Asks for the rest of a stream, if its request still waits.
    pub fn resume(&mut self, request: u64, now: Now) {
        let version = self.version();
        let Some(resume) = self.sent.get(&request).and_then(|sent| sent.resume.as_ref()) else { return };
        let after = resume.after.clone();
        let call = self.token_of(request).and_then(|token| self.calls.get(&token));
        let headers = call.map(|call| call.options.headers.clone()).unwrap_or_default();
        let version = version.map(Version::as_str);
        let head = Head { version, last_event: Some(&after), call: Some(&headers), ..Head::default() };
        match self.start_http(Kind::Request(request), Verb::GET, &head, Vec::new()) {
            Ok(exchange) => {
                if let Some(sent) = self.sent.get_mut(&request) {
                    sent.exchange = Some(exchange);
                }
            }
            Err(error) => self.answered(request, Err(error), None, now),
        }
    }

    /// Whether the request is answered by a stream that was taken up.
    pub fn is_resumed(&self, request: u64) -> bool {
        self.sent.get(&request).is_some_and(|sent| sent.resume.is_some())
    }
}
