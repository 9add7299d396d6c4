//! Settings of clients and calls as a language gives them: JSON text with our own words. An unknown word is an error that names it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::client::Listens;
use super::options::{parse_limits, parse_reference};
use crate::engine::client::{CallOptions, ClientOptions, EraChoice, Operation};
use crate::error::{Error, Result};
use crate::model::{Era, Version};
use crate::protocol::http::client::user_header;
use crate::wire::{raw, write};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Client {
    name: String,
    version: String,
    #[serde(default)]
    answers: Answers,
    capabilities: Option<Box<RawValue>>,
    era: Option<String>,
    protocol_version: Option<String>,
    known: Option<String>,
    recover: Option<bool>,
    check_output: Option<bool>,
    watch_changes: Option<bool>,
    limits: Option<Box<RawValue>>,
    listens: Option<ListensMembers>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ListensMembers {
    progress: bool,
    log: bool,
    stderr: bool,
}

impl From<ListensMembers> for Listens {
    fn from(members: ListensMembers) -> Self {
        Self { progress: members.progress, log: members.log, stderr: members.stderr }
    }
}

/// What the host can be asked.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Answers {
    sample: bool,
    /// Whether a sample may use tools; nothing without `sample`.
    sample_tools: bool,
    elicit: bool,
    elicit_url: bool,
    roots: bool,
}

impl Answers {
    /// What these are in the words of the protocol, and what is declared besides; of the same name the latter is meant.
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/schema#clientcapabilities>.
    fn declared(&self, besides: Option<&RawValue>) -> Result<Box<str>> {
        let elicitation = match (self.elicit, self.elicit_url) {
            (true, true) => Some(r#"{"form":{},"url":{}}"#),
            // Forms only, also for servers from before there were modes (Y17).
            (true, false) => Some("{}"),
            (false, true) => Some(r#"{"url":{}}"#),
            (false, false) => None,
        };
        let sampling = self.sample.then_some(if self.sample_tools { r#"{"tools":{}}"# } else { "{}" });
        let roots = self.roots.then_some(r#"{"listChanged":true}"#);
        let besides = besides.map(raw::members).transpose();
        let besides =
            besides.map_err(|_| Error::definition("the client's options: `capabilities` must be an object"))?;
        let mut out = b"{".to_vec();
        for (name, capability) in [("sampling", sampling), ("elicitation", elicitation), ("roots", roots)] {
            let is_given = besides.iter().flat_map(Clone::clone).any(|(given, _)| given == name);
            if let Some(capability) = capability.filter(|_| !is_given) {
                write::member(&mut out, name, capability.as_bytes());
            }
        }
        for (name, capability) in besides.into_iter().flatten() {
            write::member(&mut out, &name, capability.get().as_bytes());
        }
        write::close(&mut out);
        Ok(String::from_utf8_lossy(&out).into())
    }
}

/// Reads the settings of a client.
pub fn parse_client(text: &str) -> Result<(ClientOptions, Listens)> {
    let client: Client =
        serde_json::from_str(text).map_err(|error| Error::definition(format!("the client's options: {error}")))?;
    let mut options = ClientOptions::new(&client.name, &client.version);
    options.capabilities = client.answers.declared(client.capabilities.as_deref())?;
    if let Some(limits) = client.limits {
        parse_limits(limits.get(), &mut options.limits)?;
    }
    // What was remembered of another release may name a revision that this one does not know; then the server is asked.
    options.known = client.known.as_deref().and_then(Version::parse);
    options.recover = client.recover.unwrap_or(options.recover);
    options.watch_changes = client.watch_changes.unwrap_or_default();
    options.check_output = client.check_output.unwrap_or(options.check_output);
    options.era = era(client.era.as_deref(), client.protocol_version.as_deref())?;
    Ok((options, client.listens.unwrap_or_default().into()))
}

fn era(era: Option<&str>, version: Option<&str>) -> Result<EraChoice> {
    let named = match version {
        None => None,
        Some(name) => Some(
            Version::parse(name)
                .ok_or_else(|| Error::definition(format!("there is no revision `{name}` that we speak")))?,
        ),
    };
    Ok(match (era, named) {
        (None | Some("auto"), None) => EraChoice::Auto,
        (Some("legacy"), None) => EraChoice::Legacy(Version::NEWEST_LEGACY),
        (Some("modern"), None) => EraChoice::Modern,
        (_, Some(version)) if version.era() == Era::Modern => EraChoice::Modern,
        (_, Some(version)) => EraChoice::Legacy(version),
        (Some(other), None) => {
            return Err(Error::definition(format!("`era` must be auto, legacy or modern, got `{other}`")));
        }
    })
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Call {
    timeout: Option<f64>,
    total_timeout: Option<f64>,
    headers: BTreeMap<String, String>,
    safe: Option<bool>,
    fresh: bool,
    one_page: bool,
    by_hand: bool,
    listens: ListensMembers,
}

/// Reads the options of one call.
pub fn parse_call(text: &str) -> Result<(CallOptions, Listens)> {
    let call: Call =
        serde_json::from_str(text).map_err(|error| Error::definition(format!("the options of a call: {error}")))?;
    let options = CallOptions {
        timeout: seconds("timeout", call.timeout)?,
        total_timeout: seconds("total_timeout", call.total_timeout)?,
        headers: call.headers.iter().map(|(name, value)| user_header(name, value)).collect::<Result<_>>()?,
        safe: call.safe,
        fresh: call.fresh,
        one_page: call.one_page,
        by_hand: call.by_hand,
    };
    Ok((options, call.listens.into()))
}

fn seconds(name: &str, value: Option<f64>) -> Result<Option<Duration>> {
    let Some(value) = value else { return Ok(None) };
    match Duration::try_from_secs_f64(value) {
        Ok(duration) if !duration.is_zero() => Ok(Some(duration)),
        _ => Err(Error::definition(format!("`{name}` must be a positive number of seconds, got {value}"))),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Completion<'a> {
    #[serde(borrow)]
    reference: &'a RawValue,
    argument: String,
    value: String,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, rename = "_meta")]
    meta: Option<&'a RawValue>,
}

/// What changes a subscription is about.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Filter<'a> {
    tools: bool,
    resources: bool,
    prompts: bool,
    uris: Vec<String>,
    #[serde(borrow, rename = "_meta")]
    meta: Option<&'a RawValue>,
}

impl Filter<'_> {
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/schema#subscriptionfilter>.
    fn params(&self) -> String {
        let mut out = b"{".to_vec();
        write::key(&mut out, "notifications");
        out.push(b'{');
        let lists = [
            ("toolsListChanged", self.tools),
            ("resourcesListChanged", self.resources),
            ("promptsListChanged", self.prompts),
        ];
        for (name, _) in lists.into_iter().filter(|(_, is_wanted)| *is_wanted) {
            write::member(&mut out, name, b"true");
        }
        if !self.uris.is_empty() {
            write::key(&mut out, "resourceSubscriptions");
            out.push(b'[');
            for (place, uri) in self.uris.iter().enumerate() {
                if place > 0 {
                    out.push(b',');
                }
                write::string(&mut out, uri);
            }
            out.push(b']');
        }
        write::close(&mut out);
        write::close(&mut out);
        String::from_utf8_lossy(&out).into_owned()
    }
}

/// The protocol's parameters of an operation; completions and subscriptions are given in words of our own. `_meta` stays what it is.
pub fn params_of(operation: Operation, text: &str) -> Result<Cow<'_, str>> {
    let (mut params, meta) = match operation {
        Operation::Complete => {
            let Completion { reference, argument, value, arguments, meta } = own(text, "a completion")?;
            (parse_reference(reference.get())?.params(&argument, &value, arguments), meta)
        }
        Operation::Listen => {
            let filter: Filter<'_> = own(text, "a subscription")?;
            (filter.params(), filter.meta)
        }
        _ => return Ok(Cow::Borrowed(text)),
    };
    if let Some(meta) = meta {
        params.truncate(params.len() - 1); // neither is ever empty
        params.push_str(",\"_meta\":");
        params.push_str(meta.get());
        params.push('}');
    }
    Ok(Cow::Owned(params))
}

/// Reads parameters in words of our own.
fn own<'a, T: Deserialize<'a>>(text: &'a str, what: &str) -> Result<T> {
    let text = if text.trim().is_empty() { "{}" } else { text };
    serde_json::from_str(text).map_err(|error| Error::invalid_params(format!("the parameters of {what}: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn options_of_a_call_are_read_and_checked() {
        let text = r#"{"timeout":1.5,"total_timeout":2,"headers":{"X-A":"b"},"safe":true,"fresh":true,"listens":{"log":true}}"#;
        let (call, listens) = parse_call(text).unwrap();
        assert_eq!(call.timeout, Some(Duration::from_millis(1500)));
        assert_eq!(call.headers["x-a"], "b");
        assert!(call.fresh && !call.by_hand && call.safe == Some(true) && listens.log && !listens.progress);
        for (text, name) in [
            (r#"{"timeout":0}"#, "timeout"),
            (r#"{"total_timeout":-1}"#, "total_timeout"),
            (r#"{"headers":{"a b":"secret"}}"#, "a b"),
            (r#"{"tmeout":1}"#, "tmeout"),
        ] {
            let error = parse_call(text).unwrap_err().to_string();
            assert!(error.contains(name) && !error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn a_completion_gets_the_words_of_the_protocol() {
        let params = |text| params_of(Operation::Complete, text).map(Cow::into_owned);
        let text = r#"{"reference":{"prompt":"p"},"argument":"a","value":"v","arguments":{"b":"w"}}"#;
        let expected = r#"{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"v"},"context":{"arguments":{"b":"w"}}}"#;
        assert_eq!(params(text).unwrap(), expected);
        let text = r#"{"reference":{"template":"t://{a}"},"argument":"a","value":""}"#;
        let expected = r#"{"ref":{"type":"ref/resource","uri":"t://{a}"},"argument":{"name":"a","value":""}}"#;
        assert_eq!(params(text).unwrap(), expected);
        let text = r#"{"reference":{"prompt":"p"},"argument":"a","value":"v","_meta":{"m":1}}"#;
        assert!(params(text).unwrap().ends_with(r#","_meta":{"m":1}}"#));
        assert!(params(r#"{"reference":{},"argument":"a","value":""}"#).is_err());
        assert!(params(r#"{"reference":{"prompt":"p"},"value":""}"#).is_err());
    }

    #[test]
    fn a_subscription_gets_the_words_of_the_protocol() {
        let params = |text| params_of(Operation::Listen, text).map(Cow::into_owned);
        for (text, expected) in [
            ("", r#"{"notifications":{}}"#),
            (r#"{"tools":false,"uris":[]}"#, r#"{"notifications":{}}"#),
            (
                r#"{"uris":["a://\"","b://"],"prompts":true,"tools":true,"resources":true}"#,
                r#"{"notifications":{"toolsListChanged":true,"resourcesListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["a://\"","b://"]}}"#,
            ),
            (r#"{"tools":true,"_meta":{"a":1}}"#, r#"{"notifications":{"toolsListChanged":true},"_meta":{"a":1}}"#),
        ] {
            assert_eq!(params(text).unwrap(), expected);
        }
        for (text, name) in [(r#"{"toolsListChanged":true}"#, "toolsListChanged"), (r#"{"uri":"a://"}"#, "uri")] {
            let error = params(text).unwrap_err();
            assert!(error.kind() == ErrorKind::InvalidParams && error.message().contains(name), "{error}");
        }
        assert!(params(r#"{"tools":1}"#).is_err());
    }

    #[test]
    fn capabilities_follow_from_what_can_be_asked() {
        let declared = |options: &str| {
            let text = format!(r#"{{"name":"c","version":"1"{options}}}"#);
            parse_client(&text).map(|(options, _)| options.capabilities)
        };
        for (options, expected) in [
            ("", "{}"),
            (r#","answers":{"sample":false,"sample_tools":true}"#, "{}"),
            (r#","answers":{"sample":true}"#, r#"{"sampling":{}}"#),
            (r#","answers":{"sample":true,"sample_tools":true}"#, r#"{"sampling":{"tools":{}}}"#),
            (r#","answers":{"elicit":true}"#, r#"{"elicitation":{}}"#), // Y17: forms only
            (r#","answers":{"elicit_url":true}"#, r#"{"elicitation":{"url":{}}}"#),
            (r#","answers":{"elicit":true,"elicit_url":true}"#, r#"{"elicitation":{"form":{},"url":{}}}"#),
            (r#","answers":{"roots":true}"#, r#"{"roots":{"listChanged":true}}"#),
            (r#","capabilities":{"extensions":{"a":1}}"#, r#"{"extensions":{"a":1}}"#),
            (
                r#","answers":{"roots":true,"sample":true},"capabilities":{"roots":{},"experimental":{}}"#,
                r#"{"sampling":{},"roots":{},"experimental":{}}"#,
            ),
        ] {
            assert_eq!(&*declared(options).unwrap(), expected);
        }
        for (options, name) in [(r#","answers":{"ask":true}"#, "ask"), (r#","capabilities":[]"#, "capabilities")] {
            let error = declared(options).unwrap_err();
            assert!(error.kind() == ErrorKind::Definition && error.message().contains(name), "{error}");
        }
    }

    #[test]
    fn a_remembered_revision_that_nobody_knows_is_forgotten() {
        let parse = |known: &str| parse_client(&format!(r#"{{"name":"c","version":"1","known":"{known}"}}"#));
        assert_eq!(parse("2025-11-25").unwrap().0.known, Some(Version::V2025_11_25));
        assert_eq!(parse("1999-01-01").unwrap().0.known, None);
    }
}
