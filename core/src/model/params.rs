//! The members of `params` that the engine looks at, of all methods at once, so that one pass over the text finds them.
//! Values stay raw: a wrong type in a member that this method does not use harms nobody.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::error::{Error, Result};

/// `params` of any request or notification.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Params<'a> {
    #[serde(borrow, rename = "_meta")]
    pub meta: Option<Meta<'a>>,
    #[serde(borrow)]
    pub name: Option<&'a RawValue>,
    #[serde(borrow)]
    pub uri: Option<&'a RawValue>,
    #[serde(borrow)]
    pub arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    pub cursor: Option<&'a RawValue>,
    #[serde(borrow)]
    pub input_responses: Option<&'a RawValue>,
    #[serde(borrow)]
    pub request_state: Option<&'a RawValue>,
    #[serde(borrow)]
    pub protocol_version: Option<&'a RawValue>,
    #[serde(borrow)]
    pub capabilities: Option<&'a RawValue>,
    #[serde(borrow)]
    pub client_info: Option<&'a RawValue>,
    #[serde(borrow)]
    pub level: Option<&'a RawValue>,
    #[serde(borrow, rename = "ref")]
    pub reference: Option<&'a RawValue>,
    #[serde(borrow)]
    pub argument: Option<&'a RawValue>,
    #[serde(borrow)]
    pub context: Option<&'a RawValue>,
    #[serde(borrow)]
    pub notifications: Option<&'a RawValue>,
    #[serde(borrow)]
    pub request_id: Option<&'a RawValue>,
    #[serde(borrow)]
    pub reason: Option<&'a RawValue>,
}

/// `params._meta`.
/// See <https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta>.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub struct Meta<'a> {
    #[serde(borrow, rename = "progressToken")]
    pub progress_token: Option<&'a RawValue>,
    #[serde(borrow, rename = "io.modelcontextprotocol/protocolVersion")]
    pub protocol_version: Option<&'a RawValue>,
    #[serde(borrow, rename = "io.modelcontextprotocol/clientInfo")]
    pub client_info: Option<&'a RawValue>,
    #[serde(borrow, rename = "io.modelcontextprotocol/clientCapabilities")]
    pub client_capabilities: Option<&'a RawValue>,
    #[serde(borrow, rename = "io.modelcontextprotocol/logLevel")]
    pub log_level: Option<&'a RawValue>,
}

/// The `_meta` keys that the engine writes.
pub mod meta_key {
    pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
    pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
    pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
    pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
    pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
    pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
}

/// The string that `raw` holds; borrowed unless it has escapes. `member` names it in the error.
pub fn text<'a>(raw: &'a RawValue, member: &str) -> Result<Cow<'a, str>> {
    let json = raw.get();
    let inner = json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    match inner {
        Some(inner) if memchr::memchr(b'\\', inner.as_bytes()).is_none() => Ok(Cow::Borrowed(inner)),
        Some(_) => serde_json::from_str::<String>(json)
            .map(Cow::Owned)
            .map_err(|error| Error::invalid_params(format!("`{member}` is not a valid string: {error}"))),
        None => Err(Error::invalid_params(format!("`{member}` must be a string, got {}", kind_of(raw)))),
    }
}

/// The string of a member that must be there.
pub fn required<'a>(raw: Option<&'a RawValue>, member: &str) -> Result<Cow<'a, str>> {
    match raw {
        Some(raw) => text(raw, member),
        None => Err(Error::invalid_params(format!("`{member}` is missing"))),
    }
}

/// The JSON kind of a raw value, for error texts.
pub fn kind_of(raw: &RawValue) -> &'static str {
    match raw.get().trim_start().as_bytes().first() {
        Some(b'"') => "a string",
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
}

/// Whether the raw value is an object.
pub fn is_object(raw: &RawValue) -> bool {
    raw.get().trim_start().starts_with('{')
}
