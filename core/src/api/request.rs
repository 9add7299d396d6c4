//! What a handler, a check or a filter may know about the request it serves.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::engine::Call;
use crate::types;

/// The facts of one request. Members that the transport or the era does not have are absent.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct RequestInfo {
    /// The JSON-RPC id; absent while no request is open (the client is being asked).
    pub request_id: Option<types::RequestId>,
    /// The revision the client speaks, such as `2026-07-28`.
    pub protocol_version: Option<String>,
    /// The client's name and version, in its own words.
    pub client: Option<types::Implementation>,
    /// What the client can do, in its own words.
    pub capabilities: Option<types::ClientCapabilities>,
    /// The session of a legacy HTTP client.
    pub session_id: Option<String>,
    /// The headers of the HTTP request; empty on other transports.
    pub headers: Headers,
    /// Who sends the request, as the server's check found out.
    pub principal: Option<Principal>,
    /// The request's `_meta`.
    pub meta: types::MetaObject,
    /// The least severe log level the client wants, if it wants any.
    pub log_level: Option<String>,
    /// Whether the client asked for progress.
    pub wants_progress: bool,
    /// Whether this run continues an earlier one: answers of the client came with the request.
    pub resumed: bool,
}

impl RequestInfo {
    /// Reads the facts. What a client wrote in a wrong form counts as absent.
    pub(super) fn of(call: &Call) -> Self {
        let mut facts: Map<String, Value> = serde_json::from_str(&call.context()).unwrap_or_default();
        Self {
            request_id: take(&mut facts, "request_id"),
            protocol_version: take(&mut facts, "protocol_version"),
            client: take(&mut facts, "client"),
            capabilities: take(&mut facts, "capabilities"),
            session_id: take(&mut facts, "session_id"),
            headers: take(&mut facts, "headers").unwrap_or_default(),
            principal: take(&mut facts, "principal"),
            meta: take(&mut facts, "meta").unwrap_or_default(),
            log_level: take(&mut facts, "log_level"),
            wants_progress: take(&mut facts, "wants_progress").unwrap_or_default(),
            resumed: take(&mut facts, "resumed").unwrap_or_default(),
        }
    }
}

fn take<T: DeserializeOwned>(facts: &mut Map<String, Value>, name: &str) -> Option<T> {
    facts.remove(name).and_then(|value| serde_json::from_value(value).ok())
}

/// The headers of an HTTP request, by lower-case name; the values of a repeated one are joined with `, `.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct Headers(BTreeMap<String, String>);

impl Headers {
    /// The value of a header, whatever the case of `name`.
    pub fn get(&self, name: &str) -> Option<&str> {
        match self.0.get(name) {
            Some(value) => Some(value),
            None => self.0.get(&name.to_ascii_lowercase()).map(String::as_str),
        }
    }

    /// The token of `Authorization: Bearer ..`.
    pub fn bearer(&self) -> Option<&str> {
        let (scheme, token) = self.get("authorization")?.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    }

    /// All headers, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Who sends a request. Sessions and sealed state are bound to `subject` and `client`, never to a token.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Principal {
    /// The user or service.
    pub subject: String,
    /// The application that acts for the subject, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// Whatever else a check found out: scopes, roles, a tenant.
    #[serde(flatten)]
    pub claims: Map<String, Value>,
}

impl Principal {
    /// The principal of that subject, which must not be empty.
    pub fn new(subject: impl Into<String>) -> Self {
        Self { subject: subject.into(), client: None, claims: Map::new() }
    }

    /// Sets the application that acts for the subject.
    pub fn client(mut self, client: impl Into<String>) -> Self {
        self.client = Some(client.into());
        self
    }

    /// Adds something else that a handler may want to know.
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.claims.insert(name.into(), value.into());
        self
    }
}

/// What happened in one finished call. Never its arguments, only their digest.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct AuditRecord {
    /// `tool`, `resource`, `prompt` or `completion`.
    pub kind: String,
    /// Name or URI.
    pub name: String,
    /// The subject of the principal.
    pub principal: Option<String>,
    /// SHA-256 of the handler's input, in hexadecimal.
    pub arguments_sha256: String,
    /// `ok`, `tool_error`, `error`, `cancelled` or `expired`.
    pub outcome: String,
    /// How long it took, in milliseconds.
    pub ms: f64,
}

/// The variables of a resource template, as the requested URI has them.
#[derive(Clone, Debug, Deserialize)]
pub struct Variables {
    uri: String,
    #[serde(rename = "variables")]
    values: BTreeMap<String, Variable>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Variable {
    Text(String),
    List(Vec<String>),
}

impl Variables {
    /// The whole URI.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// The value of a variable; of a list, its first item.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.list(name).first().map(String::as_str)
    }

    /// All values of a variable that may have several (`{/path*}`); none where it is absent.
    pub fn list(&self, name: &str) -> &[String] {
        match self.values.get(name) {
            Some(Variable::Text(text)) => std::slice::from_ref(text),
            Some(Variable::List(items)) => items,
            None => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bearer_token_is_found_whatever_the_case() {
        let headers: Headers = serde_json::from_str(r#"{"authorization":"bearer  abc"}"#).unwrap();
        assert_eq!((headers.bearer(), headers.get("Authorization")), (Some("abc"), Some("bearer  abc")));
        let headers: Headers = serde_json::from_str(r#"{"authorization":"Basic abc"}"#).unwrap();
        assert_eq!(headers.bearer(), None);
    }

    #[test]
    fn claims_stand_beside_the_subject() {
        let principal = Principal::new("ada").client("cli").with("scope", "read");
        let text = serde_json::to_string(&principal).unwrap();
        assert_eq!(text, r#"{"subject":"ada","client":"cli","scope":"read"}"#);
        assert_eq!(serde_json::from_str::<Principal>(&text).unwrap(), principal);
    }
}
