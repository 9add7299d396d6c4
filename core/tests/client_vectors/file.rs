//! The files: one behaviour of a client each, read strictly, so that a misspelt key fails instead of saying nothing.

use std::collections::BTreeMap;
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};
use omniport::engine::client::{CallOptions, ClientOptions, EraChoice};
use omniport::model::Version;
use serde::Deserialize;
use serde_json::{Value, json};

use super::revisions::MODERN;
use super::rule::Rule;
pub use super::rule::Transport;

/// One file.
pub type Vector = Rule<ClientSettings, ServerSettings>;

/// How the client is set up.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClientSettings {
    pub capabilities: Value,
    /// `auto`, `modern`, or the legacy revision that the handshake offers.
    pub era: Option<String>,
    /// Whether the client is connected to the standard server before the first step.
    pub connect: bool,
    /// Headers of every HTTP request.
    pub headers: BTreeMap<String, String>,
    pub limits: BTreeMap<String, f64>,
    /// The revision that the server spoke the last time.
    pub known: Option<String>,
    pub recover: Option<bool>,
    pub check_output: Option<bool>,
}

impl Default for ClientSettings {
    fn default() -> Self {
        Self {
            capabilities: json!({}),
            era: None,
            connect: true,
            headers: BTreeMap::new(),
            limits: BTreeMap::new(),
            known: None,
            recover: None,
            check_output: None,
        }
    }
}

impl ClientSettings {
    /// The engine's settings, for a run of that revision.
    pub fn options(&self, revision: &str) -> Result<ClientOptions, String> {
        let mut options = ClientOptions::new("vectors", "1");
        options.capabilities = self.capabilities.to_string().into();
        let usual = if self.connect && revision != MODERN { revision } else { "auto" };
        options.era = match self.era.as_deref().unwrap_or(usual) {
            "auto" => EraChoice::Auto,
            "modern" => EraChoice::Modern,
            name => EraChoice::Legacy(version(name)?),
        };
        for (name, value) in &self.limits {
            options.limits.set(name, *value).map_err(|error| error.to_string())?;
        }
        options.known = self.known.as_deref().map(version).transpose()?;
        options.recover = self.recover.unwrap_or(options.recover);
        options.check_output = self.check_output.unwrap_or(options.check_output);
        Ok(options)
    }
}

fn version(name: &str) -> Result<Version, String> {
    Version::parse(name).ok_or_else(|| format!("unknown revision {name:?}"))
}

/// How the standard server is set up.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ServerSettings {
    pub capabilities: Value,
    /// The session that it opens over HTTP, if any.
    pub session: Option<String>,
    /// Whether it offers the general stream of legacy HTTP.
    pub stream: bool,
}

impl Default for ServerSettings {
    fn default() -> Self {
        let capabilities = json!({
            "tools": {"listChanged": true}, "prompts": {"listChanged": true}, "completions": {}, "logging": {},
            "resources": {"listChanged": true, "subscribe": true},
        });
        Self { capabilities, session: Some("session-1".to_owned()), stream: true }
    }
}

/// What one call wants to have different.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StartOptions {
    timeout_ms: Option<u64>,
    total_ms: Option<u64>,
    headers: BTreeMap<String, String>,
    safe: Option<bool>,
    fresh: bool,
    one_page: bool,
    by_hand: bool,
}

impl StartOptions {
    pub fn build(&self) -> Result<CallOptions, String> {
        let mut options = CallOptions::default();
        options.timeout = self.timeout_ms.map(Duration::from_millis);
        options.total_timeout = self.total_ms.map(Duration::from_millis);
        options.headers = headers(&self.headers)?;
        options.safe = self.safe;
        options.fresh = self.fresh;
        options.one_page = self.one_page;
        options.by_hand = self.by_hand;
        Ok(options)
    }
}

/// Headers as HTTP has them.
pub fn headers(all: &BTreeMap<String, String>) -> Result<HeaderMap, String> {
    let mut built = HeaderMap::new();
    for (name, value) in all {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|error| format!("{name:?}: {error}"))?;
        built.append(name, HeaderValue::from_str(value).map_err(|error| format!("{value:?}: {error}"))?);
    }
    Ok(built)
}

/// One step; exactly one of its verbs is there.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Step {
    // What the user does.
    pub connect: Option<bool>,
    pub start: Option<String>,
    pub cancel: Option<String>,
    pub answer: Option<u64>,
    pub close: Option<bool>,
    pub advance_ms: Option<u64>,
    // What the server does.
    #[serde(rename = "in")]
    pub input: Option<Value>,
    pub bytes: Option<String>,
    pub say: Option<Value>,
    pub reply: Option<String>,
    pub respond: Option<String>,
    #[serde(rename = "break")]
    pub broken: Option<String>,
    pub lost: Option<Failure>,
    // What the client did.
    pub out: Option<Vec<Value>>,
    pub requests: Option<Vec<Value>>,
    pub told: Option<Vec<Value>>,
    pub reports: Option<Vec<Value>>,
    pub taken_back: Option<String>,
    pub aborted: Option<Vec<String>>,
    pub restarted: Option<bool>,
    pub none: Option<bool>,
    // What goes with them.
    #[serde(rename = "as")]
    pub name: Option<String>,
    pub params: Option<Value>,
    pub options: StartOptions,
    pub reason: Option<Value>,
    pub during: Option<String>,
    pub id: Option<Value>,
    pub result: Option<Value>,
    pub error: Option<Value>,
    pub status: Option<u16>,
    pub headers: BTreeMap<String, String>,
    pub json: Option<Value>,
    pub body: Option<String>,
    pub events: Option<Vec<Value>>,
    pub end: Option<bool>,
    pub unordered: bool,
    pub holds: Vec<String>,
}

/// Why something broke off.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    pub kind: String,
    pub message: String,
    #[serde(default)]
    pub exit: Option<i32>,
    #[serde(default)]
    pub stderr: Option<String>,
}

impl Step {
    /// How many verbs there are.
    pub fn verbs(&self) -> usize {
        let acts = [
            self.connect.is_some(),
            self.start.is_some(),
            self.cancel.is_some(),
            self.answer.is_some(),
            self.close.is_some(),
            self.advance_ms.is_some(),
            self.input.is_some(),
            self.bytes.is_some(),
            self.say.is_some(),
            self.reply.is_some(),
            self.respond.is_some(),
            self.broken.is_some(),
            self.lost.is_some(),
        ];
        acts.into_iter().chain(self.looks()).filter(|there| *there).count()
    }

    /// Whether the step looks at what the client did.
    pub fn asserts(&self) -> bool {
        self.looks().contains(&true)
    }

    fn looks(&self) -> [bool; 8] {
        [
            self.out.is_some(),
            self.requests.is_some(),
            self.told.is_some(),
            self.reports.is_some(),
            self.taken_back.is_some(),
            self.aborted.is_some(),
            self.restarted.is_some(),
            self.none.is_some(),
        ]
    }
}
