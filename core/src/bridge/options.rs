//! Settings as a language gives them: JSON text with our own words. An unknown word is an error that names it.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::engine::{CacheHints, ServerOptions};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::registry::completion::Reference;
use crate::registry::listing::CacheHint;
use crate::registry::tool::{Rate, ToolOptions};
use crate::wire::write;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Server {
    name: String,
    version: String,
    title: Option<String>,
    description: Option<String>,
    website_url: Option<String>,
    icons: Option<Box<RawValue>>,
    instructions: Option<Box<str>>,
    limits: Option<Box<RawValue>>,
    page_size: Option<usize>,
    mask_errors: Option<bool>,
    auth: Option<bool>,
    visibility: Option<bool>,
    audit: Option<bool>,
    state_keys: Option<Vec<String>>,
    cache: Option<Cache>,
    rate: Option<RateMembers>,
    concurrency: Option<usize>,
    timeout: Option<f64>,
    subscribe: Option<bool>,
    legacy_sessions: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cache {
    tools: Option<Hint>,
    resources: Option<Hint>,
    templates: Option<Hint>,
    prompts: Option<Hint>,
    discover: Option<Hint>,
    read: Option<Hint>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Hint {
    ttl_ms: u64,
    scope: Scope,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Scope {
    Public,
    Private,
}

impl From<Hint> for CacheHint {
    fn from(hint: Hint) -> Self {
        Self { ttl_ms: hint.ttl_ms, is_public: matches!(hint.scope, Scope::Public) }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RateMembers {
    calls: u32,
    per: f64,
    by: Option<By>,
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum By {
    Principal,
    All,
}

impl RateMembers {
    fn read(self) -> Result<Rate> {
        if self.calls == 0 {
            return Err(Error::definition("`rate.calls` must be at least 1"));
        }
        Ok(Rate { calls: self.calls, per: seconds("rate.per", self.per)?, by_principal: self.by != Some(By::All) })
    }
}

fn seconds(name: &str, value: f64) -> Result<Duration> {
    Duration::try_from_secs_f64(value)
        .ok()
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| Error::definition(format!("`{name}` must be a positive number of seconds, got {value}")))
}

fn read<'a, T: Deserialize<'a>>(text: &'a str, what: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| Error::definition(format!("{what}: {error}")))
}

/// Reads the settings of a server.
pub fn parse_server(text: &str) -> Result<ServerOptions> {
    let server: Server = read(text, "the server's options")?;
    let mut options = ServerOptions::new(&server.name, &server.version);
    let mut info = options.info.to_string().into_bytes();
    info.pop();
    for (name, value) in
        [("title", &server.title), ("description", &server.description), ("websiteUrl", &server.website_url)]
    {
        if let Some(value) = value {
            write::member_string(&mut info, name, value);
        }
    }
    if let Some(icons) = &server.icons {
        write::member(&mut info, "icons", icons.get().as_bytes());
    }
    info.push(b'}');
    options.info = String::from_utf8_lossy(&crate::wire::raw::one_line(&info)).into();
    options.instructions = server.instructions;
    if let Some(limits) = server.limits {
        parse_limits(limits.get(), &mut options.limits)?;
    }
    options.page_size = server.page_size;
    options.mask_errors = server.mask_errors;
    options.auth = server.auth.unwrap_or(false);
    options.visibility = server.visibility.unwrap_or(false);
    options.audit = server.audit.unwrap_or(false);
    options.subscribe = server.subscribe.unwrap_or(true);
    options.legacy_sessions = server.legacy_sessions.unwrap_or(true);
    options.concurrency = server.concurrency;
    options.timeout = server.timeout.map(|value| seconds("timeout", value)).transpose()?;
    options.rate = server.rate.map(RateMembers::read).transpose()?;
    if let Some(cache) = server.cache {
        let hint = |hint: Option<Hint>| hint.map(CacheHint::from);
        options.hints = CacheHints {
            discover: hint(cache.discover),
            tools: hint(cache.tools),
            resources: hint(cache.resources),
            templates: hint(cache.templates),
            prompts: hint(cache.prompts),
            read: hint(cache.read),
        };
    }
    for key in server.state_keys.unwrap_or_default() {
        let bytes = STANDARD.decode(&key).ok().and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
        options
            .state_keys
            .push(bytes.ok_or_else(|| Error::definition("a state key must be the Base64 form of 32 bytes"))?);
    }
    Ok(options)
}

/// Changes limits by their names: numbers, and seconds where the limit is a time.
pub fn parse_limits(text: &str, limits: &mut Limits) -> Result<()> {
    let values: std::collections::BTreeMap<String, f64> = read(text, "limits")?;
    for (name, value) in values {
        limits.set(&name, value)?;
    }
    Ok(())
}

/// What a registration may say besides its definition.
#[derive(Default)]
pub struct Registration {
    pub tool: ToolOptions,
    pub hint: Option<CacheHint>,
    pub unsafe_variables: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RegistrationMembers {
    timeout: Option<f64>,
    concurrency: Option<usize>,
    rate: Option<RateMembers>,
    once: Option<bool>,
    unchecked: Option<bool>,
    cache: Option<Hint>,
    unsafe_variables: Option<Vec<String>>,
}

/// Reads the options of a registration.
pub fn parse_registration(text: &str) -> Result<Registration> {
    let members: RegistrationMembers = read(text, "the registration's options")?;
    Ok(Registration {
        tool: ToolOptions {
            timeout: members.timeout.map(|value| seconds("timeout", value)).transpose()?,
            concurrency: members.concurrency,
            rate: members.rate.map(RateMembers::read).transpose()?,
            once: members.once.unwrap_or(false),
            unchecked: members.unchecked.unwrap_or(false),
        },
        hint: members.cache.map(CacheHint::from),
        unsafe_variables: members.unsafe_variables.unwrap_or_default(),
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReferenceMembers {
    prompt: Option<Box<str>>,
    template: Option<Box<str>>,
}

/// Reads what a completion belongs to: `{"prompt": name}` or `{"template": uri}`.
pub fn parse_reference(text: &str) -> Result<Reference> {
    match read(text, "the reference of a completion")? {
        ReferenceMembers { prompt: Some(name), template: None } => Ok(Reference::Prompt(name)),
        ReferenceMembers { prompt: None, template: Some(uri) } => Ok(Reference::Template(uri)),
        _ => Err(Error::definition("the reference of a completion needs `prompt` or `template`")),
    }
}
