//! The time of a call: a limit that progress starts anew, within a total that nothing extends. There is no other limit below these two
//! (W24).
//! See <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress>.

use std::time::Duration;

use super::host::Token;
use super::options::CallOptions;
use super::state::{State, Timer};
use crate::error::{Error, ErrorKind};
use crate::limits::Limits;
use crate::time::Now;

/// How much time a call has, and how much of it is gone.
#[derive(Clone, Copy)]
pub(super) struct Clock {
    timeout: Duration,
    total: Duration,
    /// When the call is over, whatever progress there is; never before it has begun.
    ends: Duration,
    /// When the time that runs now is up.
    pub due: Option<Duration>,
}

impl Clock {
    pub fn new(options: &CallOptions, limits: &Limits) -> Self {
        Self {
            timeout: options.timeout.unwrap_or(limits.call_for),
            total: options.total_timeout.unwrap_or(limits.call_total),
            ends: Duration::MAX,
            due: None,
        }
    }
}

impl State {
    /// The time of a call begins, once.
    pub fn start_clock(&mut self, token: Token, now: Now) {
        let Some(call) = self.calls.get_mut(&token).filter(|call| call.clock.ends == Duration::MAX) else { return };
        call.clock.ends = now.monotonic.saturating_add(call.clock.total);
        self.arm(token, now);
    }

    /// Starts the time of a call anew, within its total.
    pub fn arm(&mut self, token: Token, now: Now) {
        if let Some(call) = self.calls.get(&token) {
            self.arm_for(token, call.clock.timeout, now);
        }
    }

    /// Gives a call that much time, within its total.
    pub fn arm_for(&mut self, token: Token, time: Duration, now: Now) {
        self.disarm(token);
        let Some(call) = self.calls.get_mut(&token).filter(|call| !call.open) else { return };
        let due = now.monotonic.saturating_add(time).min(call.clock.ends);
        call.clock.due = Some(due);
        self.set_timer(due, Timer::Call(token));
    }

    /// Takes the time limit of a call away.
    pub fn disarm(&mut self, token: Token) {
        if let Some(due) = self.calls.get_mut(&token).and_then(|call| call.clock.due.take()) {
            self.clear_timer(due, Timer::Call(token));
        }
    }

    /// The time of a call is up.
    pub fn call_due(&mut self, token: Token, now: Now) {
        let Some(call) = self.calls.get_mut(&token) else { return };
        call.clock.due = None;
        let Clock { timeout, total, ends, .. } = call.clock;
        let over = ends <= now.monotonic;
        let operation = call.operation.as_str();
        let error = |text: &str| Error::new(ErrorKind::Timeout, text).with("operation", operation);
        if !over && self.asks.values().any(|asked| asked.is_of(token)) {
            let limit = self.options.limits.input_for.as_secs_f64();
            let text = format!("the question of the server was not answered within {limit} s (limit `input_for`)");
            return self.finish(token, Err(error(&text).with("limit", "input_for")), now);
        }
        // While somebody thinks about a question of the server, the server is not late.
        if !over && !self.asks.is_empty() {
            return self.arm(token, now);
        }
        let text = match over {
            true => format!("no answer within {} s in all", total.as_secs_f64()),
            false => format!("no answer within {} s", timeout.as_secs_f64()),
        };
        self.tell_cancelled(token, &text);
        self.finish(token, Err(error(&text)), now);
    }
}
