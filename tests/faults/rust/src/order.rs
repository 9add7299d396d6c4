//! What a line on stdin says.

use std::collections::BTreeMap;
use std::time::Duration;

use omniport::api::client::{Builder, CallOptions, Client, EraChoice, Target, Version};
use omniport::error::{Error, Result};
use omniport::limits::Limits;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
pub struct Order {
    #[serde(rename = "do")]
    pub what: String,
    #[serde(rename = "as")]
    pub number: u64,
    #[serde(default)]
    target: Where,
    #[serde(default)]
    options: Settings,
    pub tool: Option<String>,
    #[serde(default)]
    pub arguments: Value,
    timeout: Option<f64>,
    safe: Option<bool>,
    pub call: Option<u64>,
}

#[derive(Default, Deserialize)]
struct Where {
    command: Option<Vec<String>>,
    url: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    era: Option<String>,
    #[serde(default)]
    limits: BTreeMap<String, f64>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
}

impl Order {
    /// What connects as the order says.
    pub fn builder(&mut self) -> Result<Builder> {
        let target = match (self.target.command.take(), self.target.url.take()) {
            (Some(command), _) => Target::command(command),
            (None, Some(url)) => Target::url(url),
            _ => return Err(Error::definition("`target` needs `command` or `url`")),
        };
        let mut limits = Limits::default();
        for (name, value) in &self.options.limits {
            limits.set(name, *value)?;
        }
        let mut builder = Client::builder(target).era(match self.options.era.as_deref() {
            Some("legacy") => EraChoice::Legacy(Version::NEWEST_LEGACY),
            Some("modern") => EraChoice::Modern,
            _ => EraChoice::Auto,
        });
        for (name, value) in &self.options.headers {
            builder = builder.header(name, value);
        }
        let set = std::mem::take(&mut self.options.limits);
        Ok(builder.limits(|limits| {
            for (name, value) in set {
                // Known by the check above.
                let _ = limits.set(&name, value);
            }
        }))
    }

    pub fn call_options(&self) -> CallOptions {
        let mut options = CallOptions::default();
        options.timeout = self.timeout.map(Duration::from_secs_f64);
        options.safe = self.safe;
        options
    }
}
