//! A connection that was lost, and is made anew: how often and when that is tried, and what becomes of the calls meanwhile.
//!
//! | lost | made anew by |
//! |---|---|
//! | the process, or the stream | starting the server again, after a wait that doubles |
//! | the event stream of 2024-11-05 | opening it again, after the same wait |
//! | the session (404, H01) | a new handshake, at once |
//! | the agreement: the server was replaced by one of another revision | asking again what it speaks, at once |
//!
//! Calls wait meanwhile; those that were under way are sent again or fail, as [`repeat`](super::repeat) decides. Nothing is sent
//! twice at the same time, however many calls wait.

use std::time::Duration;

use super::host::{ClientState, Token};
use super::http_link::Http;
use super::input::Ask;
use super::state::{Effect, Phase, State, Timer, closed_again};
use crate::error::{Error, ErrorKind};
use crate::limits::Limits;
use crate::model::{Era, Version};
use crate::time::Now;

/// What is remembered of earlier connections.
pub(super) struct Recovery {
    /// The revision that is tried first.
    pub known: Option<Version>,
    /// Whether the server has the event stream of 2024-11-05.
    pub by_events: bool,
    spoken: Option<Version>,
    /// Attempts since the last connection that lasted.
    tries: u32,
    /// Sessions that were lost since the last connection that lasted.
    sessions: u32,
    /// Since when the connection is there.
    since: Duration,
    /// Whether something may have been missed since the last connection.
    pub was_cut: bool,
}

impl Recovery {
    pub fn new(known: Option<Version>) -> Self {
        Self { known, by_events: false, spoken: None, tries: 0, sessions: 0, since: Duration::ZERO, was_cut: false }
    }

    /// The revision of the last connection.
    pub fn spoken(&self) -> Option<Version> {
        self.spoken
    }

    /// What was known of the server does not hold.
    pub fn forget(&mut self) {
        self.known = None;
        self.by_events = false;
    }

    pub fn succeeded(&mut self, version: Version, by_events: bool, now: Now) {
        // Nothing that was learned in another revision counts.
        self.was_cut |= self.spoken.is_some_and(|spoken| spoken != version);
        (self.known, self.spoken, self.by_events, self.since) =
            (Some(version), Some(version), by_events, now.monotonic);
    }

    /// A connection that lasted as long as the longest wait was a good one: what failed before it no longer counts.
    fn settle(&mut self, limits: &Limits, now: Now) {
        if now.monotonic.saturating_sub(self.since) >= limits.recover_wait_max {
            (self.tries, self.sessions) = (0, 0);
        }
    }
}

/// The wait before attempt number `tries + 1`.
pub(super) fn wait_of(limits: &Limits, tries: u32) -> Duration {
    let factor = 1u32.checked_shl(tries).unwrap_or(u32::MAX);
    limits.recover_wait.saturating_mul(factor).min(limits.recover_wait_max)
}

impl State {
    /// The connection is lost: the process died, the stream ended, nobody answers any more.
    pub fn lose(&mut self, error: Error, now: Now) {
        match self.phase {
            Phase::Ready(_) if self.options.recover => {}
            Phase::Ready(_) | Phase::Idle => return self.end(error),
            // The end of one connection may be told twice.
            Phase::Connecting(_) | Phase::Lost | Phase::Closed(_) => return,
        }
        self.recovery.settle(&self.options.limits, now);
        self.recovery.was_cut = true;
        self.leave(error.to_string());
        let sent = std::mem::take(&mut self.sent);
        self.reset_http();
        for token in sent.into_values().filter_map(|sent| sent.purpose.call()) {
            self.interrupted(token, closed_again(&error), now);
        }
        self.try_later(error, now);
    }

    /// The server no longer knows the session: a new one is opened, by one handshake for all calls that wait (H01).
    pub fn lose_session(&mut self, cause: String, now: Now) {
        self.recovery.settle(&self.options.limits, now);
        self.recovery.was_cut = true;
        self.leave(cause);
        self.drop_session();
        // What they waited for was kept in the session.
        let resumed = self.sent.iter().filter(|(_, sent)| sent.resume.is_some()).map(|(id, _)| *id);
        for id in resumed.collect::<Vec<_>>() {
            self.cut_off(id, now);
        }
        let lost = self.recovery.sessions;
        self.recovery.sessions += 1;
        match lost {
            0 => self.make(None, now),
            // A server that forgets every session at once is not asked for another one at once.
            _ => self.wait_for(wait_of(&self.options.limits, lost - 1), now),
        }
    }

    /// The server was replaced by one of another revision: it is asked as if it were new.
    pub fn renegotiate(&mut self, cause: String, now: Now) {
        if self.http.as_ref().is_some_and(Http::has_endpoint) {
            // There the stream is the connection: without it no answer comes.
            self.recovery.forget();
            self.lose(Error::new(ErrorKind::Closed, cause), now);
        } else if let Phase::Ready(version) = self.phase {
            self.recovery.was_cut = version.era() == Era::Legacy;
            self.recovery.forget();
            self.leave(cause);
            self.drop_session();
            self.make(None, now);
        }
    }

    /// From now on calls wait.
    fn leave(&mut self, cause: String) {
        self.phase = Phase::Lost;
        self.pulse.stop();
        self.sent.retain(|_, sent| sent.purpose.call().is_some());
        // Whoever asked these is gone; what calls gather for their next round stays.
        self.withdraw_asks(|ask| matches!(ask, Ask::BackChannel { .. }));
        self.effects.push(Effect::State(ClientState::Recovering { cause: cause.into() }));
    }

    /// A request under way was cut off: its call is sent again, or has failed.
    fn interrupted(&mut self, token: Token, error: Error, now: Now) {
        let Some(call) = self.calls.get_mut(&token) else { return };
        call.id = None;
        if !call.open && !self.hold_again(token) {
            self.finish(token, Err(error), now);
        }
    }

    pub fn cut_off(&mut self, request: u64, now: Now) {
        if let Some(token) = self.unsend(request) {
            self.interrupted(token, Error::new(ErrorKind::Closed, "the session ended before the answer"), now);
        }
    }

    /// Sends what waited for the connection.
    pub fn send_held(&mut self, now: Now) {
        let held = self.calls.iter().filter(|(_, call)| call.again.held && !call.open).map(|(token, _)| *token);
        for token in held.collect::<Vec<_>>() {
            self.dispatch(token, now);
        }
    }

    /// An attempt to make the connection anew has failed.
    pub fn attempt_failed(&mut self, error: Error, now: Now) {
        self.clear_connect_timers();
        let questions = self.sent.iter().filter(|(_, sent)| sent.purpose.call().is_none()).map(|(id, _)| *id);
        for question in questions.collect::<Vec<_>>() {
            self.unsend(question);
        }
        self.drop_session();
        self.phase = Phase::Lost;
        self.try_later(error, now);
    }

    fn try_later(&mut self, error: Error, now: Now) {
        let limits = &self.options.limits;
        let tries = self.recovery.tries;
        if tries >= limits.recover_tries {
            let what = format!("gave up after {tries} attempts to make the connection anew (limit `recover_tries`)");
            return self.end(error.explained(what).with("limit", "recover_tries"));
        }
        let wait = wait_of(limits, tries);
        self.recovery.tries += 1;
        self.wait_for(wait, now);
    }

    fn wait_for(&mut self, wait: Duration, now: Now) {
        self.set_timer(now.monotonic.saturating_add(wait), Timer::Recover);
    }

    /// Tries to make the connection anew.
    pub fn attempt(&mut self, now: Now) {
        if self.http.is_none() {
            self.effects.push(Effect::Restart);
        }
        self.make(None, now);
    }
}
