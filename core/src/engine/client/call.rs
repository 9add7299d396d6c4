//! One call: from its start over the requests that it needs to its one result.

use std::time::Duration;

use serde_json::value::RawValue;

use super::host::{Change, Token};
use super::http_link::Post;
use super::input::Input;
use super::operation::{Operation, Plan};
use super::options::CallOptions;
use super::request;
use super::state::{Effect, Phase, Purpose, Sent, State, Timer, closed_again, empty, invalid};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Era, Method, params};
use crate::time::Now;
use crate::wire::{RequestId, raw, write};

/// One call.
pub(super) struct Call {
    pub operation: Operation,
    pub params: Box<RawValue>,
    pub plan: Plan,
    timeout: Duration,
    total: Duration,
    /// When it is over, whatever progress there is.
    ends: Duration,
    due: Option<Duration>,
    /// The id of its open request.
    pub id: Option<u64>,
    pub rounds: u32,
    pub input: Option<Input>,
    /// Its answer was given, and it goes on telling changes.
    pub open: bool,
}

impl State {
    pub fn start(&mut self, operation: Operation, text: &str, options: CallOptions, now: Now) -> Token {
        let token = self.next_token();
        let text = if text.trim().is_empty() { "{}" } else { text };
        let params = match RawValue::from_string(text.to_owned()) {
            Ok(params) if raw::is_object(&params) => params,
            _ => {
                let error =
                    Error::invalid_params(format!("the parameters of `{}` must be an object", operation.as_str()));
                self.effects.push(Effect::Result(token, Err(error)));
                return token;
            }
        };
        let limits = &self.options.limits;
        let call = Call {
            operation,
            params,
            plan: Plan::Nothing,
            timeout: options.timeout.unwrap_or(limits.call_for),
            total: options.total.unwrap_or(limits.call_total),
            ends: Duration::MAX,
            due: None,
            id: None,
            rounds: 0,
            input: None,
            open: false,
        };
        match &self.phase {
            Phase::Closed(error) => {
                let error = closed_again(error);
                self.effects.push(Effect::Result(token, Err(error)));
            }
            Phase::Ready(_) => {
                self.calls.insert(token, call);
                self.dispatch(token, now);
            }
            Phase::Idle | Phase::Connecting(_) => {
                self.calls.insert(token, call);
            }
        }
        token
    }

    /// Does a call that waited for the connection, or comes after it.
    pub fn dispatch(&mut self, token: Token, now: Now) {
        let Some(version) = self.version() else { return };
        let Some(call) = self.calls.get_mut(&token) else { return };
        call.plan = call.operation.plan(version.era());
        call.ends = now.monotonic.saturating_add(call.total);
        let outcome = match call.plan {
            Plan::Request(method) | Plan::Empty(method) if !method.reaches_server(version) => {
                Err(Error::method_not_found(call.operation.as_str()))
            }
            Plan::Request(_) | Plan::Empty(_) | Plan::Open | Plan::OpenOne => {
                self.arm(token, now);
                self.issue(token, now);
                return;
            }
            Plan::KeepLevel => self.keep_level(token),
            Plan::CloseOne => self.close_one(token),
            Plan::Nothing => Self::acknowledged_without_request(call),
        };
        self.finish(token, outcome);
    }

    /// Sends the request of a call, or its next one.
    pub fn issue(&mut self, token: Token, now: Now) {
        let Some(version) = self.version() else { return };
        let id = self.next_id();
        let Some(call) = self.calls.get_mut(&token) else { return };
        call.id = Some(id);
        call.rounds += 1;
        let input = call.input.take();
        let method = match call.plan {
            Plan::Request(method) | Plan::Empty(method) => method,
            _ => Method::Listen,
        };
        let mut out = Vec::with_capacity(call.params.get().len() + 512);
        write::request_with(&mut out, &RequestId::Int(id.into()), method.as_str(), |out| {
            let meta = request::Meta { progress: Some(id), version, options: &self.options, level: self.level };
            match call.plan {
                Plan::OpenOne => super::subscribe::write_one(out, &call.params, &meta),
                Plan::Empty(Method::Discover) => request::write(out, "{}", &meta, None),
                _ => request::write(out, call.params.get(), &meta, input.as_ref()),
            }
        });
        let mut post = Post::new(id, version, method);
        if self.http.is_some() && version.era() == Era::Modern {
            post.name = method.row().name_field.and_then(|field| request::name(&call.params, field));
            match self.mirrored(token, method) {
                Ok(mirrored) => post.mirrored = mirrored,
                Err(error) => return self.finish(token, Err(error)),
            }
        }
        self.sent.insert(id, Sent::new(Purpose::Call(token)));
        self.send_request(post, out, now);
    }

    /// The answer to request `id` came; one to nothing that is open is dropped (W11, X03).
    pub fn answered(&mut self, id: u64, outcome: Result<&RawValue>, status: Option<u16>, now: Now) {
        let Some(sent) = self.sent.remove(&id) else { return };
        match sent.purpose {
            Purpose::Discover => self.discovered(outcome, status, now),
            Purpose::Initialize => self.initialized(outcome, status, now),
            Purpose::Call(token) => match outcome {
                Ok(result) => self.call_answered(token, result, now),
                Err(error) => self.finish(token, Err(error)),
            },
        }
    }

    fn call_answered(&mut self, token: Token, result: &RawValue, now: Now) {
        let Some(call) = self.calls.get_mut(&token) else { return };
        call.id = None;
        let plan = call.plan;
        let is_modern = self.version().is_some_and(|version| version.era() == Era::Modern);
        if !raw::is_object(result) {
            return self.finish(token, Err(invalid("the result is no object")));
        }
        if is_modern {
            let kind = raw::get(result, "resultType").ok().flatten().map(|kind| params::text(kind, "resultType"));
            match kind {
                None => {}
                Some(Ok(kind)) if kind == "complete" => {}
                Some(Ok(kind)) if kind == "input_required" => return self.input_required(token, result, now),
                // The revision forbids to guess what an unknown kind means (W17).
                Some(_) => return self.finish(token, Err(invalid("the result is of an unknown type"))),
            }
        }
        let answer = match plan {
            Plan::Empty(_) => empty(),
            Plan::Request(Method::ListTools) if is_modern && self.http.is_some() => self.learn_tools(result),
            _ => result.to_owned(),
        };
        self.finish(token, Ok(answer));
    }

    /// Ends a call: it leaves everything that knows it, and its host is told.
    pub fn finish(&mut self, token: Token, outcome: Result<Box<RawValue>>) {
        let Some(call) = self.forget(token) else { return };
        self.effects.push(match call.open {
            true => Effect::Change(Change::Ended { token }),
            false => Effect::Result(token, outcome),
        });
    }

    /// Takes a call out of everything that knows it.
    pub fn forget(&mut self, token: Token) -> Option<Call> {
        let call = self.calls.remove(&token)?;
        if let Some(due) = call.due {
            self.clear_timer(due, Timer::Call(token));
        }
        if let Some(sent) = call.id.and_then(|id| self.sent.remove(&id))
            && let Some(exchange) = sent.exchange
        {
            self.abort(exchange);
        }
        self.withdraw_asks(|ask| ask.is_of(token));
        Some(call)
    }

    pub fn cancel(&mut self, token: Token, reason: &str) {
        self.tell_cancelled(token, reason);
        if let Some(call) = self.forget(token)
            && !call.open
        {
            let error = Error::new(ErrorKind::Cancelled, format!("the call was cancelled: {reason}"));
            self.effects.push(Effect::Result(token, Err(error)));
        }
    }

    /// Tells the server that an answer is no longer wanted. Over modern HTTP the end of the request says so.
    fn tell_cancelled(&mut self, token: Token, reason: &str) {
        let (Some(version), Some(id)) = (self.version(), self.calls.get(&token).and_then(|call| call.id)) else {
            return;
        };
        if self.http.is_some() && version.era() == Era::Modern {
            return;
        }
        let mut out = Vec::with_capacity(128);
        write::notification_with(&mut out, Method::Cancelled.as_str(), |out| {
            out.push(b'{');
            write::key(out, "requestId");
            RequestId::Int(id.into()).write(out);
            write::member_string(out, "reason", reason);
            write::close(out);
        });
        self.send_notice(out);
    }

    /// Starts the time of a call anew, within its total.
    pub fn arm(&mut self, token: Token, now: Now) {
        self.disarm(token);
        let Some(call) = self.calls.get_mut(&token).filter(|call| !call.open) else { return };
        let due = now.monotonic.saturating_add(call.timeout).min(call.ends);
        call.due = Some(due);
        self.set_timer(due, Timer::Call(token));
    }

    /// Takes the time limit of a call away.
    pub fn disarm(&mut self, token: Token) {
        if let Some(due) = self.calls.get_mut(&token).and_then(|call| call.due.take()) {
            self.clear_timer(due, Timer::Call(token));
        }
    }

    /// The time of a call is up.
    pub fn call_due(&mut self, token: Token, now: Now) {
        let Some(call) = self.calls.get_mut(&token) else { return };
        call.due = None;
        let (timeout, total, over) = (call.timeout, call.total, call.ends <= now.monotonic);
        let operation = call.operation.as_str();
        // While somebody thinks about a question of the server, the server is not late.
        if !over && !self.asks.is_empty() {
            return self.arm(token, now);
        }
        let text = match over {
            true => format!("no answer within {} s in all", total.as_secs_f64()),
            false => format!("no answer within {} s", timeout.as_secs_f64()),
        };
        self.tell_cancelled(token, &text);
        let error = Error::new(ErrorKind::Timeout, text).with("operation", operation);
        self.finish(token, Err(error));
    }
}
