//! What every file has, whether it is about a server or a client: a rule, where it comes from, what it runs for, steps. Read strictly, so
//! that a misspelt key fails instead of saying nothing.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::revisions::{checked, spelt_out};

/// One file: one behaviour.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule<Client, Server> {
    pub rule: String,
    pub spec: Vec<String>,
    #[serde(default)]
    pub cases: Vec<String>,
    pub revisions: Vec<String>,
    #[serde(default = "over_streams")]
    pub transports: Vec<Transport>,
    #[serde(default)]
    pub client: Client,
    #[serde(default)]
    pub server: Server,
    /// Values that differ between revisions, by revision, `legacy` or `modern`.
    #[serde(default)]
    pub vars: BTreeMap<String, Map<String, Value>>,
    pub steps: Vec<Value>,
}

/// What carries the messages.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    Stream,
    Http,
}

fn over_streams() -> Vec<Transport> {
    vec![Transport::Stream]
}

impl<Client: DeserializeOwned + Default, Server: DeserializeOwned + Default> Rule<Client, Server> {
    /// Reads one file.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        Self::parse(&text)
    }

    /// Reads the text of one file.
    pub fn parse(text: &str) -> Result<Self, String> {
        let rule: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        checked(&rule.revisions, rule.vars.keys(), &rule.spec)?;
        if rule.rule.len() < 10 || rule.spec.is_empty() && rule.cases.is_empty() {
            return Err("a rule, and a page or a case that it comes from, are needed".to_owned());
        }
        Ok(rule)
    }

    /// The revisions it runs for, with `all`, `legacy` and `modern` spelt out.
    pub fn revisions(&self) -> Vec<String> {
        spelt_out(&self.revisions)
    }
}

/// What a run did, so that nobody passes by doing nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub runs: usize,
    pub steps: usize,
    pub assertions: usize,
    pub messages: usize,
}

impl Tally {
    /// Counts another run in.
    pub fn add(&mut self, other: Self) {
        self.runs += other.runs;
        self.steps += other.steps;
        self.assertions += other.assertions;
        self.messages += other.messages;
    }
}
