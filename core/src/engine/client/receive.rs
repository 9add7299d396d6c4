//! Messages of the server, from whatever stream. Junk is reported and never answered (W02); what nobody knows is ignored (W04).

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::cache::Topic;
use super::call::Waiter;
use super::host::Token;
use super::state::{Effect, State, empty};
use crate::error::Error;
use crate::model::params::{self, meta_key};
use crate::model::{Era, Level, Method};
use crate::time::Now;
use crate::wire::envelope::{self, Message};
use crate::wire::{Object, Rejected, RequestId, raw};

/// From this size on a result is cut out of the buffer that it came in, at the price of one more look at its text. Smaller ones are
/// copied, which is quicker.
pub const LARGE: usize = 1 << 20;

impl State {
    /// One message whose buffer is not needed any more; a large result is not held twice.
    pub fn receive_whole(&mut self, text: Vec<u8>, of: Option<u64>, now: Now) {
        if text.len() < LARGE {
            return self.receive(&text, of, now);
        }
        self.pulse.heard(now);
        let limits = &self.options.limits;
        let found = match envelope::parse::<Object<'_>>(&text, limits) {
            Ok(Message::Response { id, outcome: Ok(result) }) => {
                let start = result.get().as_ptr().addr() - text.as_ptr().addr();
                number(&id).map(|id| (id, start..start + result.get().len()))
            }
            _ => None,
        };
        let Some((id, place)) = found else { return self.receive(&text, of, now) };
        match cut(text, place) {
            Some(result) => self.answered(id, Ok(Cow::Owned(result)), of.map(|_| 200), now),
            None => {
                self.answered(id, Err(Error::internal("a result could not be taken out of its message")), None, now)
            }
        }
    }

    /// One message, or a batch of 2025-03-26. `of` is the request whose own stream it came on.
    pub fn receive(&mut self, text: &[u8], of: Option<u64>, now: Now) {
        self.pulse.heard(now);
        if !envelope::is_batch(text) {
            return self.receive_one(text, of, now);
        }
        match envelope::split_batch(text) {
            Ok(messages) => {
                for message in messages {
                    self.receive_one(message.get().as_bytes(), of, now);
                }
            }
            Err(error) => self.report(Level::Debug, format!("the server sent something that is no message: {error}")),
        }
    }

    /// A message was longer than is taken. Whose answer it was is not known; where one request waits alone, it was that one's, and to
    /// wait on would be in vain (W20).
    pub fn received_too_long(&mut self, now: Now) {
        let error = Error::limit("message_bytes", self.options.limits.message_bytes, "a message of the server");
        let mut waiting = self.sent.keys().filter(|id| !self.is_open(**id));
        match (waiting.next().copied(), waiting.next()) {
            (Some(only), None) => self.answered(only, Err(error), None, now),
            _ => self.report(Level::Error, error.to_string()),
        }
    }

    /// Whether the request has its answer and goes on as a subscription.
    fn is_open(&self, id: u64) -> bool {
        self.token_of(id).and_then(|token| self.calls.get(&token)).is_some_and(|call| call.open)
    }

    fn receive_one(&mut self, text: &[u8], of: Option<u64>, now: Now) {
        let options = Arc::clone(&self.options);
        match envelope::parse::<Object<'_>>(text, &options.limits) {
            Ok(Message::Response { id, outcome }) => match number(&id) {
                Some(id) => self.answered(id, outcome.map(Cow::Borrowed).map_err(Error::from), of.map(|_| 200), now),
                None => self.report(Level::Debug, format!("the server answered {id}, which was not asked")),
            },
            Ok(Message::Request { id, method, params }) => self.asked(id, &method, params.map(Object::raw), now),
            Ok(Message::Notification { method, params }) => {
                if let Some(known) = Method::parse(&method) {
                    self.notified(known, params.map(Object::raw), of, now);
                }
            }
            Ok(Message::Orphan { error }) => {
                let error = Error::from(error);
                self.report(Level::Warning, format!("the server could not read a message: {error}"));
            }
            // A broken answer fails the call that waits for it; nothing else does.
            Err(rejected) => match rejected.id.as_ref().and_then(number).filter(|_| rejected.method.is_none()) {
                Some(id) if self.sent.contains_key(&id) => self.answered(id, Err(rejected.error), None, now),
                _ => self.not_a_message(&rejected),
            },
        }
    }

    /// Junk is told and never answered (W02). A broken request is none: a server of the legacy era waits for its answer.
    fn not_a_message(&mut self, rejected: &Rejected) {
        let text = format!("the server sent something that is no message: {}", rejected.error);
        self.report(Level::Debug, text);
        if let (Some(id), Some(_), true) = (&rejected.id, &rejected.method, rejected.reply)
            && self.version().is_none_or(|version| version.era() == Era::Legacy)
        {
            self.reply(id, Err(&rejected.error));
        }
    }

    fn notified(&mut self, method: Method, params: Option<&RawValue>, of: Option<u64>, now: Now) {
        match method {
            Method::Progress => self.progressed(params, now),
            Method::Message => {
                let token = of.and_then(|id| self.token_of(id)).filter(|token| self.is_heard(*token));
                self.effects.push(Effect::Log(token, params.map_or_else(empty, ToOwned::to_owned)));
            }
            Method::ToolsChanged => self.list_changed(Topic::Tools, now),
            Method::ResourcesChanged => self.list_changed(Topic::Resources, now),
            Method::PromptsChanged => self.list_changed(Topic::Prompts, now),
            Method::ResourceUpdated => {
                let uri = params.and_then(|params| member(params, "uri"));
                if let Some(uri) = uri.and_then(|uri| params::text(uri, "uri").ok()) {
                    self.resource_updated(&uri);
                }
            }
            Method::Acknowledged => {
                let id = params.and_then(|params| member(params, "_meta"));
                let id = id.and_then(|meta| member(meta, meta_key::SUBSCRIPTION_ID)).and_then(|id| self.read_id(id));
                if let Some(token) = id.as_ref().and_then(number).or(of).and_then(|id| self.token_of(id)) {
                    self.acknowledged(token, params, now);
                }
            }
            Method::Cancelled => {
                let id = params.and_then(|params| member(params, "requestId")).and_then(|id| self.read_id(id));
                let Some(id) = id else { return };
                match self.version().map(|version| version.era()) {
                    // A modern server may only end subscriptions.
                    Some(Era::Modern) => self.subscription_ended(&id, now),
                    _ => self.question_cancelled(&id),
                }
            }
            _ => {}
        }
    }

    /// Progress starts the time of its call anew (W24). After the answer it is dropped (X03).
    fn progressed(&mut self, params: Option<&RawValue>, now: Now) {
        let Some(params) = params else { return };
        let id = member(params, "progressToken").and_then(|token| self.read_id(token));
        let number = id.as_ref().and_then(number);
        match number.and_then(|id| self.token_of(id)) {
            Some(token) => {
                self.arm(token, now);
                if self.is_heard(token) {
                    self.effects.push(Effect::Progress(token, params.to_owned()));
                }
            }
            None if number.is_some_and(|number| (1..=self.last_id).contains(&number)) => {}
            None => {
                let token = id.map_or_else(|| "none".to_owned(), |id| id.to_string());
                self.report(
                    Level::Warning,
                    format!("the server reported progress for the token {token}, which nobody gave it"),
                );
            }
        }
    }

    /// Whether the host waits for the answer of a call. It knows nothing of the client's own calls, and a subscription has its answer:
    /// what a host kept for either would stay for ever.
    fn is_heard(&self, token: Token) -> bool {
        self.calls.get(&token).is_some_and(|call| !call.open && matches!(call.waiter, Waiter::Host))
    }

    /// The call that request `id` was sent for, while it is open.
    pub fn token_of(&self, id: u64) -> Option<Token> {
        self.sent.get(&id)?.purpose.call()
    }

    fn read_id(&self, raw: &RawValue) -> Option<RequestId> {
        RequestId::parse(raw.get(), self.options.limits.token_bytes).ok()
    }
}

/// The JSON value at that place of a text, in the same memory.
fn cut(mut text: Vec<u8>, place: Range<usize>) -> Option<Box<RawValue>> {
    text.truncate(place.end);
    text.drain(..place.start);
    RawValue::from_string(String::from_utf8(text).ok()?).ok()
}

/// The number of an id of ours.
pub(super) fn number(id: &RequestId) -> Option<u64> {
    match id {
        RequestId::Int(id) => u64::try_from(*id).ok(),
        RequestId::Str(_) => None,
    }
}

fn member<'a>(object: &'a RawValue, name: &str) -> Option<&'a RawValue> {
    raw::get(object, name).ok().flatten()
}
