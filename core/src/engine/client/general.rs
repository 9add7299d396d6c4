//! The stream of a legacy session for what belongs to no request: changes, log messages, questions of the server. Servers need not have
//! one (H06). One that ends is opened again where it was left, later each time that it brought nothing.
//! See <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server>.

use std::time::Duration;

use http::{HeaderMap, Method as Verb, StatusCode};

use super::http_link::Kind;
use super::resume::{SHORTEST, USUAL};
use super::state::{Phase, State, Timer};
use crate::error::Error;
use crate::model::{Era, Level, Version};
use crate::protocol::http::client::{self, Head, Reader};
use crate::time::Now;
use crate::wire::sse::Decoder;

/// What is known of the stream over all the answers that carried it.
#[derive(Default)]
pub(super) struct General {
    /// The id of the last event that came.
    after: Option<String>,
    /// The wait that the server named.
    named: Option<Duration>,
    /// Answers in a row that brought no event.
    barren: u32,
    /// Whether the server is known to have such a stream.
    exists: bool,
    opened: Duration,
    due: Option<Duration>,
}

impl State {
    /// Opens the stream, or opens it again.
    pub fn open_general_stream(&mut self) {
        self.general.due = None;
        let Phase::Ready(version) = self.phase else { return };
        if version.era() != Era::Legacy || self.http.as_ref().is_none_or(|http| http.has_endpoint()) {
            return;
        }
        let after = self.general.after.clone();
        let head = Head { version: Some(version.as_str()), last_event: after.as_deref(), ..Head::default() };
        if let Err(error) = self.start_http(Kind::General, Verb::GET, &head, Vec::new()) {
            self.report(Level::Error, error.to_string());
        }
    }

    /// The stream belongs to a session that is over.
    pub fn forget_general_stream(&mut self) {
        if let Some(due) = self.general.due {
            self.clear_timer(due, Timer::General);
        }
        self.general = General::default();
    }

    /// The server answers. True when the stream goes on.
    pub fn general_head(&mut self, status: StatusCode, all: &HeaderMap, now: Now) -> bool {
        if client::is_stream(status, all) {
            // Without an id nobody can tell what was sent meanwhile.
            if self.general.exists && self.general.after.is_none() {
                self.missed(None);
            }
            (self.general.exists, self.general.opened) = (true, now.monotonic);
            return true;
        }
        if client::failure(status, None, b"").can_retry() {
            self.general_again(None, now);
        } else if status.is_success() {
            self.report(Level::Debug, "the server answered GET with something that is no event stream".to_owned());
        } else if self.general.exists {
            self.report(Level::Warning, format!("the server ended its general stream with HTTP status {status}"));
        }
        false
    }

    /// Whether a 404 for the stream says that the session is over: only where there was a stream before (H06).
    pub fn had_general_stream(&self) -> bool {
        self.general.exists
    }

    /// The stream ended, or broke off.
    pub fn general_ended(&mut self, reader: &Reader, error: Option<&Error>, now: Now) {
        let stream = match reader {
            Reader::Events(stream) => Some(&**stream),
            _ => None,
        };
        if let Some(error) = error.filter(|_| self.general.barren == 0) {
            self.report(Level::Warning, format!("the general stream broke off: {error}"));
        }
        self.general_again(stream, now);
    }

    fn general_again(&mut self, stream: Option<&Decoder>, now: Now) {
        let limits = &self.options.limits;
        if !self.options.recover || self.version().is_none_or(|version: Version| version.era() != Era::Legacy) {
            return;
        }
        let general = &mut self.general;
        let seen = stream.and_then(Decoder::last_event_id).map(ToOwned::to_owned);
        let is_news = seen.is_some() && seen != general.after;
        let lasted = now.monotonic.saturating_sub(general.opened) >= limits.recover_wait_max;
        let had_stream = stream.is_some();
        general.barren = if is_news || (had_stream && lasted) { 0 } else { general.barren.saturating_add(1) };
        general.after = seen.or_else(|| general.after.take());
        general.named = stream.and_then(Decoder::retry).or(general.named);
        let base = general.named.unwrap_or(USUAL).max(SHORTEST);
        let factor = 1u32.checked_shl(general.barren.saturating_sub(1)).unwrap_or(u32::MAX);
        // What the server asks for is kept even beyond the longest wait (E05).
        let wait = base.saturating_mul(factor).min(limits.recover_wait_max.max(base));
        let at = now.monotonic.saturating_add(wait);
        general.due = Some(at);
        self.set_timer(at, Timer::General);
    }
}
