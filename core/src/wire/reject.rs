//! The slow look at a message that the fast pass refused: what is wrong with it, whose it is, who may hear of it.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::envelope::{Key, WireError};
use super::{RequestId, raw, shape};
use crate::error::{Error, Result};
use crate::limits::Limits;

/// Bytes of an explanation.
pub(super) const WORDS: usize = 240;

/// A text that is no message, with what could still be read of it.
#[derive(Debug)]
pub struct Rejected {
    /// The id, if there is exactly one and it is valid.
    pub id: Option<RequestId>,
    /// The method, if there is exactly one: whoever knows that it does not exist can say that first (W26). With an id
    /// and without a method this may be a broken response: a reader that waits for that id should fail that call.
    pub method: Option<Box<str>>,
    /// What is wrong.
    pub error: Error,
    /// Whether a server may answer with an error response: to unreadable text and to bad requests, never to a broken
    /// response or a notification (W27). A client answers only what has an id and a method: all else is junk to it (W02).
    pub reply: bool,
}

impl Rejected {
    pub(super) fn unreadable(error: Error) -> Self {
        Self { id: None, method: None, error, reply: true }
    }
}

/// Finds out why `text` is no message; `known` is a fault that was found already.
pub(super) fn explain<'a, P: Deserialize<'a>>(text: &'a str, limits: &Limits, known: Option<Error>) -> Rejected {
    let raw: &RawValue = match serde_json::from_str(text) {
        Ok(raw) => raw,
        Err(error) => return Rejected::unreadable(known.unwrap_or_else(|| Error::parse(format!("not JSON: {error}")))),
    };
    let Ok(head) = Head::read(raw) else {
        let what = if raw.get().starts_with('[') { "a batch is not taken here" } else { "a message must be an object" };
        return Rejected::unreadable(known.unwrap_or_else(|| Error::invalid_request(what)));
    };
    let id = head.id.map(|id| RequestId::parse(id.get(), limits.token_bytes));
    let method = head.method.and_then(|method| serde_json::from_str::<Box<str>>(method.get()).ok());
    let error = known.unwrap_or_else(|| head.fault::<P>(id.as_ref(), method.is_some()));
    let answers = head.method.is_none() && (head.result.is_some() || head.error.is_some());
    let notifies = head.id.is_none() && method.is_some();
    let single = |key: &Key| head.twice != Some(*key);
    Rejected {
        id: id.and_then(Result::ok).filter(|_| single(&Key::Id)),
        method: method.filter(|_| single(&Key::Method)),
        error,
        reply: !answers && !notifies,
    }
}

/// The envelope with nothing looked into. Of a member that comes twice, the first.
#[derive(Default)]
struct Head<'a> {
    version: Option<&'a RawValue>,
    id: Option<&'a RawValue>,
    method: Option<&'a RawValue>,
    params: Option<&'a RawValue>,
    result: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
    twice: Option<Key>,
}

impl<'a> Head<'a> {
    fn read(raw: &'a RawValue) -> Result<Self> {
        let mut head = Self::default();
        for (name, value) in raw::members(raw)? {
            let key = Key::of(&name);
            let Some(slot) = head.slot(key) else { continue };
            if slot.is_some() {
                head.twice = Some(key);
            } else {
                *slot = Some(value);
            }
        }
        Ok(head)
    }

    fn slot(&mut self, key: Key) -> Option<&mut Option<&'a RawValue>> {
        Some(match key {
            Key::Version => &mut self.version,
            Key::Id => &mut self.id,
            Key::Method => &mut self.method,
            Key::Params => &mut self.params,
            Key::Result => &mut self.result,
            Key::Error => &mut self.error,
            Key::Unknown => return None,
        })
    }

    fn fault<P: Deserialize<'a>>(&self, id: Option<&Result<RequestId>>, method: bool) -> Error {
        let refused = |what: &str| Error::invalid_request(what);
        if let Some(key) = self.twice {
            return refused(&format!("the member `{}` appears twice", name(key)));
        }
        match self.version.map(|version| serde_json::from_str::<String>(version.get())) {
            None => return refused("the member `jsonrpc` is missing: not a JSON-RPC message"),
            Some(Ok(version)) if version == "2.0" => {}
            Some(_) => return refused("`jsonrpc` must be \"2.0\""),
        }
        // Only an error response may say `null`, so that is looked at with the shape of the message.
        let null = self.id.is_some_and(|id| id.get() == "null");
        if let Some(Err(error)) = id
            && !(null && self.error.is_some())
        {
            let refused = refused(error.message());
            return error.fact("limit").into_iter().fold(refused, |refused, limit| refused.with("limit", limit));
        }
        match (self.method, self.result, self.error) {
            (None, None, None) => refused("neither `method` nor `result` nor `error`: not a JSON-RPC message"),
            (Some(_), Some(_), _) | (Some(_), _, Some(_)) => refused("a message is a request or a response, not both"),
            (None, Some(_), Some(_)) => refused("a response has a `result` or an `error`, not both"),
            (None, ..) if self.params.is_some() => refused("a response has no `params`"),
            (Some(_), ..) if !method => refused("`method` must be a string"),
            (Some(_), ..) => self.params.map_or_else(unexplained, params_fault::<P>),
            (None, Some(_), None) => refused("a result needs an `id`"),
            (None, None, Some(error)) => error_fault(error),
        }
    }
}

fn name(key: Key) -> &'static str {
    match key {
        Key::Version => "jsonrpc",
        Key::Id => "id",
        Key::Method => "method",
        Key::Params => "params",
        Key::Result => "result",
        Key::Error => "error",
        Key::Unknown => "unknown",
    }
}

fn params_fault<'a, P: Deserialize<'a>>(params: &'a RawValue) -> Error {
    if !raw::is_object(params) {
        return Error::invalid_params("`params` must be an object");
    }
    match shape::optional_object::<P, _>(&mut serde_json::Deserializer::from_str(params.get())) {
        Ok(_) => unexplained(),
        Err(error) => Error::invalid_params(words("params", params, &error)),
    }
}

fn error_fault(object: &RawValue) -> Error {
    match shape::object::<WireError<'_>, _>(&mut serde_json::Deserializer::from_str(object.get())) {
        Ok(_) => unexplained(),
        Err(error) => Error::invalid_request(words("error", object, &error)),
    }
}

/// Serde's words about `object`, with the member's path in place of line and column.
fn words(root: &str, object: &RawValue, error: &serde_json::Error) -> String {
    let path = raw::path_at(object, offset(object.get(), error));
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let text = text.strip_suffix(place.as_str()).unwrap_or(&text);
    let dot = if path.is_empty() { "" } else { "." };
    shortened(format!("`{root}{dot}{path}`: {text}"))
}

/// Serde quotes the value it did not expect, and that may be megabytes of the peer's choice (security 17).
fn shortened(mut text: String) -> String {
    if text.len() > WORDS {
        let end = (0..=WORDS).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
    text
}

fn offset(text: &str, error: &serde_json::Error) -> usize {
    let before: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    before + error.column()
}

/// Both passes read by the same rules, so this is not reached; if they ever part, the message is still refused.
fn unexplained() -> Error {
    Error::invalid_request("not a JSON-RPC message")
}
