//! Requests that are sent again, and those that must not be: what a server may have done already is repeated only when its call is
//! safe. A request of a new id is a new request; the server sees no relation.

use std::time::Duration;

use super::host::Token;
use super::operation::Plan;
use super::recover::wait_of;
use super::state::{State, Timer};
use crate::error::{Error, ErrorKind};
use crate::model::{Era, Version};
use crate::protocol::modern::probe;
use crate::time::Now;

/// What a call knows of its repetition.
#[derive(Default)]
pub(super) struct Again {
    /// It waits for the connection.
    pub held: bool,
    /// Its connection was lost before; a second time it fails, for it may be the reason.
    repeated: bool,
    /// Attempts that did not reach the server, or were cut off.
    tries: u32,
    /// When it is sent again.
    pub at: Option<Duration>,
    /// Since when its subscription is open.
    pub since: Duration,
    /// What a modern server answered that may have been replaced since.
    pub refusal: Option<(Version, Error)>,
    /// Its subscription ended alone, while the connection went on.
    pub interrupted: bool,
}

impl State {
    /// Takes a request back that has no answer, and says which call it was for.
    pub fn unsend(&mut self, request: u64) -> Option<Token> {
        let sent = self.sent.remove(&request)?;
        if let Some(exchange) = sent.exchange {
            self.abort(exchange);
        }
        let token = sent.purpose.call()?;
        if let Some(call) = self.calls.get_mut(&token) {
            call.id = None;
        }
        Some(token)
    }

    /// Lets a call that was cut off wait for the next connection, if it may be done twice.
    pub fn hold_again(&mut self, token: Token) -> bool {
        self.calls.get(&token).is_some_and(|call| call.is_safe(&self.tools)) && self.hold_refused(token)
    }

    /// Lets a call that the server did not do wait for the next connection, unless that happened before.
    pub fn hold_refused(&mut self, token: Token) -> bool {
        let Some(call) = self.calls.get_mut(&token) else { return false };
        let first = !std::mem::replace(&mut call.again.repeated, true);
        call.again.held |= first;
        first
    }

    /// Sends the request of a call again, now or when there is a connection.
    pub fn repeat(&mut self, token: Token, now: Now) {
        let Some(call) = self.calls.get_mut(&token) else { return };
        call.again.at = None;
        self.issue(token, now);
    }

    /// A request did not reach the server, or broke off before its answer. What is safe is tried again after a wait, and so is what
    /// surely was not sent.
    pub fn broke_off(&mut self, request: u64, error: Error, now: Now) {
        let token = self.token_of(request);
        match token.filter(|token| self.tries_again(*token, &error, now)) {
            Some(_) => drop(self.unsend(request)),
            None => self.answered(request, Err(error), None, now),
        }
    }

    fn tries_again(&mut self, token: Token, error: &Error, now: Now) -> bool {
        let Some(call) = self.calls.get(&token) else { return false };
        // Whether an open subscription is opened again is not its request's to decide.
        if call.open || !self.options.recover || !error.can_retry() {
            return false;
        }
        match error.fact("sent") == Some("no") || call.is_safe(&self.tools) {
            true => self.repeat_later(token, now),
            false => false,
        }
    }

    /// Repeats the request of a call after a wait, which doubles. False when it was tried often enough, or its time would be up.
    fn repeat_later(&mut self, token: Token, now: Now) -> bool {
        let limits = &self.options.limits;
        let Some(call) = self.calls.get_mut(&token).filter(|call| call.again.tries < limits.recover_tries) else {
            return false;
        };
        let at = now.monotonic.saturating_add(wait_of(limits, call.again.tries));
        if call.clock.due.is_some_and(|due| due <= at) {
            return false;
        }
        call.again.tries += 1;
        call.again.at = Some(at);
        self.set_timer(at, Timer::Repeat(token));
        true
    }

    /// The server answered a call with an error.
    pub fn refused(&mut self, token: Token, error: Error, status: Option<u16>, now: Now) {
        if self.is_outdated(token, &error, status) && self.hold_refused(token) {
            let cause = error.to_string();
            // Not only of the first that is refused: others were under way, and come back while the server is asked.
            if let (Some(version), Some(call)) = (self.version(), self.calls.get_mut(&token))
                && version.era() == Era::Modern
                && !call.is_safe(&self.tools)
            {
                call.again.refusal = Some((version, error));
            }
            return self.renegotiate(cause, now);
        }
        match self.calls.get(&token).is_some_and(|call| call.open) {
            // The server's own word is final; a stream that broke is not.
            true => self.subscription_over(token, error.kind() == ErrorKind::Remote, now),
            false => {
                if let Some(error) = self.relist(token, error, now) {
                    self.finish(token, Err(error), now);
                }
            }
        }
    }

    /// Whether an error says that the server is no longer what it was found to be.
    fn is_outdated(&self, token: Token, error: &Error, status: Option<u16>) -> bool {
        let (Some(version), Some(call)) = (self.version(), self.calls.get(&token)) else { return false };
        let declared = match call.plan {
            Plan::Request(method) | Plan::Empty(method) => self.declares(method.row().capability),
            _ => false,
        };
        let is_http = self.http.is_some();
        self.options.recover
            && match version.era() {
                Era::Modern => probe::is_no_longer_modern(error, status.filter(|_| is_http), declared),
                // A process must not see two handshakes (Y25).
                Era::Legacy => is_http && probe::is_no_longer_legacy(error, status),
            }
    }

    /// Subscriptions end for many reasons; one that is still wanted is opened again.
    pub fn subscription_over(&mut self, token: Token, is_final: bool, now: Now) {
        let lasted = self.options.limits.recover_wait_max;
        let Some(call) = self.calls.get_mut(&token) else { return };
        let was_open = !std::mem::replace(&mut call.again.interrupted, true);
        if was_open && now.monotonic.saturating_sub(call.again.since) >= lasted {
            call.again.tries = 0;
        }
        if is_final || !self.options.recover || !self.repeat_later(token, now) {
            self.finish(token, Err(Error::internal("the subscription is over")), now);
        }
    }
}
