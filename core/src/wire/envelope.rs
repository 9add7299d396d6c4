//! One JSON-RPC message, read in one borrowed pass.
//! See <https://modelcontextprotocol.io/specification/2026-07-28/basic#messages>.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::id::IdSeed;
use super::reject::{self, Rejected};
use super::scan;
use super::shape::{self, Text};
use super::{RequestId, raw};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;

/// A message with the parameters that its reader looks into as `P`; what `P` need not know it borrows as raw text.
#[derive(Debug)]
pub enum Message<'a, P> {
    /// Asks for exactly one response with the same id.
    Request {
        /// What the response must carry.
        id: RequestId,
        /// The method's name, exact.
        method: Cow<'a, str>,
        /// The parameters; absent and `null` are the same (W03).
        params: Option<P>,
    },
    /// Gets no response, whatever it says (W27).
    Notification {
        /// The method's name, exact.
        method: Cow<'a, str>,
        /// The parameters; absent and `null` are the same (W03).
        params: Option<P>,
    },
    /// The answer to a request of the reader.
    Response {
        /// The id of that request.
        id: RequestId,
        /// The result as raw text, or the peer's error.
        outcome: Result<&'a RawValue, WireError<'a>>,
    },
    /// An error response without an id: the peer could not read what it was sent.
    Orphan {
        /// What the peer says.
        error: WireError<'a>,
    },
}

/// The error object of a response.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(expecting = "an error object")]
pub struct WireError<'a> {
    /// A number of JSON-RPC, of the protocol, or of the peer.
    pub code: i64,
    /// The text for people.
    #[serde(borrow)]
    pub message: Cow<'a, str>,
    /// Anything the peer added.
    #[serde(borrow, default)]
    pub data: Option<&'a RawValue>,
}

impl From<WireError<'_>> for Error {
    /// The peer's error as the caller meets it, with nothing lost.
    fn from(error: WireError<'_>) -> Self {
        let remote = Self::new(ErrorKind::Remote, error.message).with_code(error.code);
        match error.data {
            Some(data) => remote.with_data(data.to_owned()),
            None => remote,
        }
    }
}

/// Reads one message. `P` is read in the same pass; an integer id costs no allocation.
///
/// Keys compare byte by byte (X01) and no known key may come twice; unknown members are skipped. `P` is only ever
/// given an object. A byte order mark in front is skipped.
///
/// # Errors
/// [`Rejected`] with `-32700` for text that is no JSON, `-32600` for JSON that is no message (a batch too: see
/// [`split_batch`]) or nests deeper than `json_depth`, `-32602` for parameters that are no object or that `P` refuses.
pub fn parse<'a, P: Deserialize<'a>>(text: &'a [u8], limits: &Limits) -> Result<Message<'a, P>, Rejected> {
    // The whole text is checked here, since the pass skips over strings it does not need.
    let text = match std::str::from_utf8(scan::strip_bom(text)) {
        Ok(text) => text,
        Err(error) => return Err(Rejected::unreadable(Error::parse(format!("not UTF-8: {error}")))),
    };
    if scan::deeper_than(text.as_bytes(), limits.json_depth) {
        let message = format!("the message nests deeper than the limit `json_depth` ({})", limits.json_depth);
        return Err(reject::explain::<P>(
            text,
            limits,
            Some(Error::invalid_request(message).with("limit", "json_depth")),
        ));
    }
    if scan::has_lone_surrogate(text.as_bytes()) {
        let fault = Error::invalid_request("a string holds half a surrogate pair, which is no text");
        return Err(reject::explain::<P>(text, limits, Some(fault)));
    }
    read(text, limits).ok().and_then(Envelope::into_message).ok_or_else(|| reject::explain::<P>(text, limits, None))
}

/// Whether the text is a JSON-RPC batch: an array of messages.
pub fn is_batch(text: &[u8]) -> bool {
    raw::trim(text).first() == Some(&b'[')
}

/// The messages of a batch, each for [`parse`]. Their nesting is bounded there.
///
/// # Errors
/// `-32700` for text that is no JSON, `-32600` for anything but an array with at least one element.
pub fn split_batch(text: &[u8]) -> Result<Vec<&RawValue>> {
    let text =
        std::str::from_utf8(scan::strip_bom(text)).map_err(|error| Error::parse(format!("not UTF-8: {error}")))?;
    let messages: Vec<&RawValue> = serde_json::from_str(text).map_err(|error| match error.is_data() {
        true => Error::invalid_request("a batch must be an array"),
        false => Error::parse(format!("not JSON: {error}")),
    })?;
    if messages.is_empty() {
        return Err(Error::invalid_request("a batch must hold at least one message"));
    }
    Ok(messages)
}

/// The members of the envelope as they were found.
struct Envelope<'a, P> {
    version: bool,
    /// The inner `None` is `null`.
    id: Option<Option<RequestId>>,
    method: Option<Cow<'a, str>>,
    params: Option<Option<P>>,
    result: Option<&'a RawValue>,
    error: Option<WireError<'a>>,
}

impl<'a, P> Envelope<'a, P> {
    fn into_message(self) -> Option<Message<'a, P>> {
        let Self { version: true, id, method, params, result, error } = self else { return None };
        Some(match (id, method, params, result, error) {
            (Some(Some(id)), Some(method), params, None, None) => {
                Message::Request { id, method, params: params.flatten() }
            }
            (None, Some(method), params, None, None) => Message::Notification { method, params: params.flatten() },
            (Some(Some(id)), None, None, Some(result), None) => Message::Response { id, outcome: Ok(result) },
            (Some(Some(id)), None, None, None, Some(error)) => Message::Response { id, outcome: Err(error) },
            (Some(None) | None, None, None, None, Some(error)) => Message::Orphan { error },
            _ => return None,
        })
    }
}

fn read<'a, P: Deserialize<'a>>(text: &'a str, limits: &Limits) -> serde_json::Result<Envelope<'a, P>> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let visitor = EnvelopeVisitor { max_bytes: limits.token_bytes, params: std::marker::PhantomData };
    let envelope = deserializer.deserialize_map(visitor)?;
    deserializer.end()?;
    Ok(envelope)
}

struct EnvelopeVisitor<P> {
    max_bytes: usize,
    params: std::marker::PhantomData<P>,
}

impl<'de, P: Deserialize<'de>> Visitor<'de> for EnvelopeVisitor<P> {
    type Value = Envelope<'de, P>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON-RPC message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut envelope = Envelope { version: false, id: None, method: None, params: None, result: None, error: None };
        // The words of these errors are never seen: `reject` finds its own.
        while let Some(key) = map.next_key()? {
            let fresh = match key {
                Key::Version => {
                    let Text(version) = map.next_value()?;
                    version == "2.0" && !std::mem::replace(&mut envelope.version, true)
                }
                Key::Id => envelope.id.replace(map.next_value_seed(IdSeed { max_bytes: self.max_bytes })?).is_none(),
                Key::Method => {
                    let Text(method) = map.next_value()?;
                    envelope.method.replace(method).is_none()
                }
                Key::Params => {
                    envelope.params.replace(map.next_value_seed(Params(std::marker::PhantomData))?).is_none()
                }
                Key::Result => envelope.result.replace(map.next_value()?).is_none(),
                Key::Error => {
                    let error = map.next_value_seed(ErrorObject)?;
                    envelope.error.replace(error).is_none()
                }
                Key::Unknown => {
                    map.next_value::<IgnoredAny>()?;
                    true
                }
            };
            if !fresh {
                return Err(A::Error::custom("duplicate member or wrong version"));
            }
        }
        Ok(envelope)
    }
}

/// The value of `params`.
struct Params<P>(std::marker::PhantomData<P>);

impl<'de, P: Deserialize<'de>> DeserializeSeed<'de> for Params<P> {
    type Value = Option<P>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        shape::optional_object(deserializer)
    }
}

/// The value of `error`.
struct ErrorObject;

impl<'de> DeserializeSeed<'de> for ErrorObject {
    type Value = WireError<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        shape::object(deserializer)
    }
}

/// The keys that make an envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Version,
    Id,
    Method,
    Params,
    Result,
    Error,
    Unknown,
}

impl Key {
    pub(super) fn of(name: &str) -> Self {
        match name {
            "jsonrpc" => Self::Version,
            "id" => Self::Id,
            "method" => Self::Method,
            "params" => Self::Params,
            "result" => Self::Result,
            "error" => Self::Error,
            _ => Self::Unknown,
        }
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;

        impl Visitor<'_> for KeyVisitor {
            type Value = Key;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_str<E>(self, name: &str) -> Result<Key, E> {
                Ok(Key::of(name))
            }
        }

        deserializer.deserialize_identifier(KeyVisitor)
    }
}

#[cfg(test)]
#[path = "envelope/tests.rs"]
mod tests;
