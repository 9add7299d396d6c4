//! The files: one behaviour each, read strictly, so that a misspelt key fails instead of saying nothing.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::rule::Rule;
pub use super::rule::Transport;

/// One file.
pub type Vector = Rule<ClientSettings, ServerSettings>;

/// How the standard server is set up.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ServerSettings {
    /// Only these of `tools`, `resources`, `prompts`, `completions` are registered.
    pub only: Option<Vec<String>>,
    pub page_size: Option<usize>,
    pub instructions: Option<String>,
    pub mask_errors: Option<bool>,
    pub auth: bool,
    pub visibility: bool,
    pub no_subscriptions: bool,
    pub stateless: bool,
    pub json_only: bool,
    pub cors_origin: Option<String>,
    pub allowed_hosts: Vec<String>,
    pub concurrency: Option<usize>,
    pub message_bytes: Option<usize>,
    pub in_flight: Option<usize>,
    pub sessions: Option<usize>,
    pub parked: Option<usize>,
    pub replay_events: Option<usize>,
}

/// What the runner's own client says of itself.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClientSettings {
    pub capabilities: Value,
    /// Whether legacy runs begin with a handshake of the runner.
    pub handshake: bool,
    /// Headers of every HTTP request.
    pub headers: BTreeMap<String, String>,
}

impl Default for ClientSettings {
    fn default() -> Self {
        Self { capabilities: Value::Object(Map::new()), handshake: true, headers: BTreeMap::new() }
    }
}

/// One step; exactly one of its verbs is there.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Step {
    // Verbs.
    #[serde(rename = "in")]
    pub input: Option<Value>,
    pub bytes: Option<String>,
    pub request: Option<Value>,
    pub notify: Option<Value>,
    pub reply: Option<Value>,
    pub out: Option<Vec<Value>>,
    pub none: Option<bool>,
    pub advance_ms: Option<u64>,
    pub close: Option<bool>,
    pub stop: Option<bool>,
    pub http: Option<HttpRequest>,
    pub response: Option<String>,
    pub leave: Option<String>,
    // What goes with them.
    pub on: Option<String>,
    #[serde(rename = "as")]
    pub name: Option<String>,
    pub unordered: bool,
    pub status: Option<u16>,
    pub headers: Option<Map<String, Value>>,
    pub json: Option<Value>,
    pub body: Option<String>,
    pub events: Option<Vec<Value>>,
    pub open: Option<bool>,
    pub pending: Option<bool>,
}

/// A request as it is written on the wire.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HttpRequest {
    pub method: Option<String>,
    pub path: Option<String>,
    /// The prefix that a foreign server mounted this one under.
    pub mount: Option<String>,
    pub headers: Map<String, Value>,
    pub json: Option<Value>,
    pub body: Option<String>,
    /// A message in the words of the run's revision, with the headers it must have.
    pub request: Option<Value>,
}

impl Step {
    /// How many verbs there are.
    pub fn verbs(&self) -> usize {
        [
            self.input.is_some(),
            self.bytes.is_some(),
            self.request.is_some(),
            self.notify.is_some(),
            self.reply.is_some(),
            self.out.is_some(),
            self.none.is_some(),
            self.advance_ms.is_some(),
            self.close.is_some(),
            self.stop.is_some(),
            self.http.is_some(),
            self.response.is_some(),
            self.leave.is_some(),
        ]
        .into_iter()
        .filter(|there| *there)
        .count()
    }

    /// Whether the step looks at what the server did.
    pub fn asserts(&self) -> bool {
        self.out.is_some() || self.none.is_some() || self.response.is_some()
    }
}
