//! Whether a server that says nothing is there. While something is waited for, a silence leads to a question; two that nobody answers
//! mean that the connection is dead, although nobody closed it (X06). A slow tool is no dead server: whatever comes in, an error
//! too, is a sign of life (Y24).
//!
//! Modern servers are not asked over HTTP: there each request has a connection of its own, which its carrier watches.

use std::time::Duration;

use super::http_link::Post;
use super::state::{Phase, Purpose, Sent, State, Timer};
use crate::error::{Error, ErrorKind};
use crate::model::{Era, Method, Version};
use crate::time::Now;
use crate::wire::{RequestId, write};

/// Questions in a row that may stay without any sign of life.
const MISSED: u32 = 2;

/// What is known of the server's life.
#[derive(Default)]
pub(super) struct Pulse {
    heard: Duration,
    /// How often something came in.
    signs: u64,
    /// When it is looked at again, while something is waited for.
    due: Option<Duration>,
    /// The question that is out, and what had come in before it.
    asked: Option<(u64, u64)>,
    missed: u32,
}

impl Pulse {
    /// Something came in.
    pub fn heard(&mut self, now: Now) {
        self.heard = now.monotonic;
        self.signs = self.signs.wrapping_add(1);
    }

    /// Nothing is waited for any more; the timer finds that out by itself.
    pub fn stop(&mut self) {
        (self.asked, self.missed) = (None, 0);
    }
}

impl State {
    /// Something is waited for from now on.
    pub fn watch(&mut self, now: Now) {
        if self.pulse.due.is_none() && self.is_watched() {
            // A silence before there was anything to wait for is none.
            self.pulse.heard(now);
            self.feel_at(now.monotonic.saturating_add(self.options.limits.ping_every));
        }
    }

    fn is_watched(&self) -> bool {
        let asks = match self.phase {
            Phase::Ready(version) => self.http.is_none() || version.era() == Era::Legacy,
            _ => false,
        };
        asks && !self.options.limits.ping_every.is_zero()
    }

    fn feel_at(&mut self, at: Duration) {
        self.pulse.due = Some(at);
        self.set_timer(at, Timer::Pulse);
    }

    /// Looks whether the server was silent for too long.
    pub fn feel(&mut self, now: Now) {
        self.pulse.due = None;
        let Phase::Ready(version) = self.phase else { return };
        if !self.is_watched() || (self.sent.is_empty() && self.kept.subscribed.is_empty()) {
            return self.pulse.stop();
        }
        let quiet_until = self.pulse.heard.saturating_add(self.options.limits.ping_every);
        match self.pulse.asked {
            Some((id, before)) if self.pulse.signs == before => {
                self.unsend(id);
                self.pulse.missed += 1;
                match self.pulse.missed {
                    MISSED => self.lose(self.dead(), now),
                    _ => self.ask_for_life(version, now),
                }
            }
            _ if quiet_until > now.monotonic => {
                self.pulse.stop();
                self.feel_at(quiet_until);
            }
            _ => self.ask_for_life(version, now),
        }
    }

    fn dead(&self) -> Error {
        let limits = &self.options.limits;
        let silence = limits.ping_every + limits.ping_for * MISSED;
        let text = format!("the server gave no sign of life for {} s, not even to `ping`", silence.as_secs_f64());
        Error::new(ErrorKind::Closed, text).with("limit", "ping_for")
    }

    fn ask_for_life(&mut self, version: Version, now: Now) {
        let id = match version.era() {
            // Stateless servers have no ping.
            Era::Modern => self.send_discover(version, Purpose::Ping, now),
            Era::Legacy => self.send_ping(version, now),
        };
        // A carrier that refuses at once may have ended the connection.
        if matches!(self.phase, Phase::Ready(_)) {
            self.pulse.asked = Some((id, self.pulse.signs));
            self.feel_at(now.monotonic.saturating_add(self.options.limits.ping_for));
        }
    }

    fn send_ping(&mut self, version: Version, now: Now) -> u64 {
        let id = self.next_id();
        let mut out = Vec::with_capacity(64);
        write::request_with(&mut out, &RequestId::Int(id.into()), Method::Ping.as_str(), |out| {
            out.extend_from_slice(b"{}");
        });
        self.sent.insert(id, Sent::new(Purpose::Ping));
        self.send_request(Post::new(id, version, Method::Ping), out, now);
        id
    }
}
