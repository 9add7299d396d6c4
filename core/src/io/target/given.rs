//! A target as a language gives it: JSON text with our own words.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Target, environment};
use crate::error::{Error, Result};
use crate::io::http_options::HttpOptions;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    url: Option<String>,
    command: Option<Vec<String>>,
    entry: Option<Box<RawValue>>,
    file: Option<String>,
    name: Option<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    cwd: Option<PathBuf>,
    http: Option<Box<RawValue>>,
}

impl Target {
    /// Reads `{"url": text}`, `{"command": [text, ..]}`, `{"entry": {..}}` (see [`Target::from_entry`]) or `{"file": text, "name"?: text}`
    /// (see [`Target::from_file`]), each with `env`, `cwd` and `http` (see [`HttpOptions::parse`]) where these apply. Variables stand for
    /// what they are in the environment in entries and files, and for themselves elsewhere.
    ///
    /// # Errors
    /// `Definition` that names the member.
    pub fn parse(text: &str) -> Result<Self> {
        let given: Given =
            serde_json::from_str(text).map_err(|error| Error::definition(format!("where the server is: {error}")))?;
        let mut target = match (given.url, given.command, given.entry, given.file) {
            (Some(url), None, None, None) => Self::url(url),
            (None, Some(command), None, None) => Self::command(command),
            (None, None, Some(entry), None) => {
                Self::from_entry(given.name.as_deref().unwrap_or("server"), entry.get(), &environment())?
            }
            (None, None, None, Some(file)) => Self::from_file(&file, given.name.as_deref(), &environment())?,
            _ => return Err(Error::definition("a server is at one of `url`, `command`, `entry` and `file`")),
        };
        if let Self::Command(spec) = &mut target {
            spec.env.extend(given.env);
            spec.cwd = given.cwd.or_else(|| spec.cwd.take());
        }
        if let Some(options) = given.http {
            target.set_http(HttpOptions::parse(options.get())?);
        }
        Ok(target)
    }
}
