//! What a line on stdin says.

use std::collections::BTreeMap;
use std::time::Duration;

use omniport::api::client::Target;
use omniport::engine::client::{CallOptions, ClientOptions, EraChoice};
use omniport::error::{Error, Result};
use omniport::http::{HeaderMap, HeaderName, HeaderValue};
use omniport::io::http_options::HttpOptions;
use omniport::model::Version;
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
    pub fn target(&mut self) -> Result<Target> {
        match (self.target.command.take(), self.target.url.take()) {
            (Some(command), _) => Ok(Target::command(command)),
            (None, Some(url)) => {
                let mut headers = HeaderMap::new();
                for (name, value) in &self.options.headers {
                    let wrong = |_| Error::definition(format!("the header `{name}`"));
                    let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong(()))?;
                    headers.insert(key, HeaderValue::from_str(value).map_err(|_| wrong(()))?);
                }
                Ok(Target::Url { url, http: HttpOptions::with_headers(headers) })
            }
            _ => Err(Error::definition("`target` needs `command` or `url`")),
        }
    }

    pub fn client_options(&self) -> Result<ClientOptions> {
        let mut options = ClientOptions::new("driven", "1");
        for (name, value) in &self.options.limits {
            options.limits.set(name, *value)?;
        }
        options.era = match self.options.era.as_deref() {
            Some("legacy") => EraChoice::Legacy(Version::NEWEST_LEGACY),
            Some("modern") => EraChoice::Modern,
            _ => EraChoice::Auto,
        };
        Ok(options)
    }

    pub fn call_options(&self) -> CallOptions {
        let mut options = CallOptions::default();
        options.timeout = self.timeout.map(Duration::from_secs_f64);
        options.safe = self.safe;
        options
    }
}
