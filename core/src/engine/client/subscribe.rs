//! Subscriptions of the modern era. A call that opens one has its answer when the server acknowledged it, and lives on until one of
//! the sides ends it; the host sees `subscribe` and `unsubscribe` as it did in the legacy era.
//! See <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions>.

use serde_json::value::RawValue;

use super::call::{Call, Waiter};
use super::host::Token;
use super::operation::{Operation, Plan};
use super::receive::number;
use super::request::{self, Extra, Meta};
use super::state::{Effect, State, empty};
use crate::error::{Error, Result};
use crate::model::{Level, params};
use crate::time::Now;
use crate::wire::{RequestId, raw, write};

impl State {
    /// The server acknowledged a subscription: that is its answer. One that was opened again has had it.
    pub fn acknowledged(&mut self, token: Token, params: Option<&RawValue>, now: Now) {
        let Some(call) = self.calls.get_mut(&token).filter(|call| call.is_subscription()) else { return };
        call.again.since = now.monotonic;
        let is_host = matches!(call.waiter, Waiter::Host);
        if std::mem::replace(&mut call.open, true) {
            if std::mem::take(&mut call.again.interrupted) {
                self.missed(Some(token).filter(|_| is_host));
            }
            return;
        }
        let operation = call.operation;
        self.disarm(token);
        let accepted = params.and_then(|params| raw::get(params, "notifications").ok().flatten());
        let answer = match operation {
            Operation::Subscribe => empty(),
            _ => filter(accepted.map_or("{}", RawValue::get)),
        };
        if is_host {
            self.effects.push(Effect::Result(token, Ok(answer)));
        }
    }

    /// A modern server ends a subscription.
    pub fn subscription_ended(&mut self, id: &RequestId, now: Now) {
        let Some(request) = number(id) else { return };
        let token = self.token_of(request);
        let call = token.and_then(|token| Some((token, self.calls.get(&token)?)));
        let Some((token, call)) = call.filter(|(_, call)| call.is_subscription()) else { return };
        match call.open {
            true => {
                self.unsend(request);
                self.subscription_over(token, false, now);
            }
            false => self.finish(token, Err(Error::internal("the server ended the subscription")), now),
        }
    }

    /// `unsubscribe`: takes back the subscription to that resource.
    pub fn close_one(&mut self, token: Token) -> Result<Box<RawValue>> {
        let uri = self.calls.get(&token).and_then(|call| uri_of(&call.params));
        let Some(uri) = uri else { return Err(Error::invalid_params("`uri` is missing")) };
        let open = self
            .calls
            .iter()
            .find(|(_, call)| call.plan == Plan::OpenOne && uri_of(&call.params).as_ref() == Some(&uri));
        if let Some(open) = open.map(|(token, _)| *token) {
            self.cancel(open, "unsubscribed");
        }
        Ok(empty())
    }

    /// `set_log_level`: every later request carries the level.
    pub fn keep_level(&mut self, token: Token) -> Result<Box<RawValue>> {
        let Some(call) = self.calls.get(&token) else { return Ok(empty()) };
        let level = raw::get(&call.params, "level").ok().flatten();
        let name = params::required(level, "level")?;
        let level = Level::parse(&name);
        self.level =
            Some(level.ok_or_else(|| Error::invalid_params(format!("unknown log level `{}`", name.escape_debug())))?);
        Ok(empty())
    }

    /// `listen` of the legacy era: changes of lists are told without being asked for, those of resources by `subscribe` only.
    pub fn acknowledged_without_request(call: &Call) -> Result<Box<RawValue>> {
        let wanted = raw::get(&call.params, "notifications").ok().flatten();
        let resources = wanted.and_then(|wanted| raw::get(wanted, "resourceSubscriptions").ok().flatten());
        match resources.is_some_and(|list| list.get() != "[]") {
            true => Err(Error::invalid_params(
                "this server has single subscriptions only: use `subscribe` for each resource",
            )),
            false => Ok(filter(wanted.map_or("{}", RawValue::get))),
        }
    }
}

impl Call {
    pub fn is_subscription(&self) -> bool {
        matches!(self.plan, Plan::Open | Plan::OpenOne)
    }
}

/// Writes the parameters of a subscription to one resource.
pub(super) fn write_one(out: &mut Vec<u8>, own: &RawValue, meta: &Meta<'_>) {
    let uri = raw::get(own, "uri").ok().flatten().map_or("\"\"", RawValue::get);
    let params = format!("{{\"notifications\":{{\"resourceSubscriptions\":[{uri}]}}}}");
    request::write(out, &params, meta, Extra::None);
}

pub(super) fn uri_of(own: &RawValue) -> Option<String> {
    let uri = raw::get(own, "uri").ok().flatten()?;
    params::text(uri, "uri").ok().map(std::borrow::Cow::into_owned)
}

fn filter(accepted: &str) -> Box<RawValue> {
    let mut out = b"{".to_vec();
    write::member(&mut out, "notifications", accepted.as_bytes());
    write::close(&mut out);
    String::from_utf8(out).ok().and_then(|text| RawValue::from_string(text).ok()).unwrap_or_else(empty)
}
