//! A client as a language sees it: words and JSON text in, events of one queue out.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::desk::{severity, write_error};
use super::options::parse_limits;
use super::queue::{Item, ItemKind, Queue};
use crate::engine::client::{AskKind, Change, ClientHost, ClientOptions, ClientState, EraChoice, Operation, Token};
use crate::error::{Error, Result};
use crate::model::{Era, Level, Version};
use crate::wire::write;

/// Which part of a result item's text says what.
mod part {
    pub const RESULT: u32 = 0;
    pub const ERROR: u32 = 1;
    pub const PROGRESS: u32 = 2;
    pub const LOG: u32 = 3;
    pub const ASKED: u32 = 4;
    pub const CHANGED: u32 = 5;
    pub const STATE: u32 = 6;
    pub const STDERR: u32 = 7;
}

/// Puts what a client engine tells into a queue.
pub struct ClientDesk {
    queue: Arc<Queue>,
}

impl ClientDesk {
    /// A desk that fills `queue`.
    pub fn new(queue: Arc<Queue>) -> Self {
        Self { queue }
    }

    fn push(&self, token: u64, slot: u32, text: impl Into<Bytes>) {
        self.queue.push(Item { kind: ItemKind::Result, token, slot, text: text.into() });
    }
}

fn text_of(raw: Box<RawValue>) -> Vec<u8> {
    String::from(Box::<str>::from(raw)).into_bytes()
}

impl ClientHost for ClientDesk {
    fn result(&self, token: Token, result: Result<Box<RawValue>>) {
        match result {
            Ok(result) => self.push(token, part::RESULT, text_of(result)),
            Err(error) => {
                let mut text = Vec::with_capacity(160);
                write_error(&mut text, &error);
                self.push(token, part::ERROR, text);
            }
        }
    }

    fn progress(&self, token: Token, params: Box<RawValue>) {
        self.push(token, part::PROGRESS, text_of(params));
    }

    fn log(&self, token: Option<Token>, params: Box<RawValue>) {
        self.push(token.unwrap_or_default(), part::LOG, text_of(params));
    }

    fn change(&self, change: Change) {
        let (what, uri, token) = match &change {
            Change::Tools(_) => ("tools", None, 0),
            Change::Resources => ("resources", None, 0),
            Change::Prompts => ("prompts", None, 0),
            Change::Resource { uri } => ("resource", Some(uri), 0),
            Change::Missed { token } => ("missed", None, token.unwrap_or_default()),
            Change::Ended { token } => ("ended", None, *token),
        };
        let mut text = b"{".to_vec();
        write::member_string(&mut text, "changed", what);
        if let Some(uri) = uri {
            write::member_string(&mut text, "uri", uri);
        }
        text.push(b'}');
        self.push(token, part::CHANGED, text);
    }

    fn ask(&self, number: u64, kind: AskKind, params: Box<RawValue>) {
        let mut text = b"{".to_vec();
        write::member(&mut text, kind.word(), params.get().as_bytes());
        text.push(b'}');
        self.push(number, part::ASKED, text);
    }

    fn withdrawn(&self, number: u64) {
        self.queue.push(Item { kind: ItemKind::Cancel, token: number, slot: 0, text: Bytes::new() });
    }

    fn state(&self, state: ClientState) {
        let mut text = b"{".to_vec();
        write::member_string(&mut text, "state", state.word());
        if let Some(cause) = state.cause() {
            write::member_string(&mut text, "cause", cause);
        }
        text.push(b'}');
        self.push(0, part::STATE, text);
    }

    fn closed(&self, error: Error) {
        let mut text = Vec::with_capacity(160);
        write_error(&mut text, &error);
        self.queue.push(Item { kind: ItemKind::End, token: 0, slot: 0, text: text.into() });
    }

    fn report(&self, level: Level, text: String) {
        self.queue.push(Item { kind: ItemKind::Report, token: 0, slot: severity(level), text: text.into() });
    }

    fn stderr(&self, line: &str) {
        self.push(0, part::STDERR, line.to_owned());
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    name: String,
    version: String,
    capabilities: Option<Box<RawValue>>,
    era: Option<String>,
    protocol_version: Option<String>,
    limits: Option<Box<RawValue>>,
}

/// Reads the settings of a client.
pub fn parse_client(text: &str) -> Result<ClientOptions> {
    let settings: Settings =
        serde_json::from_str(text).map_err(|error| Error::definition(format!("the client's options: {error}")))?;
    let mut options = ClientOptions::new(&settings.name, &settings.version);
    if let Some(capabilities) = settings.capabilities {
        options.capabilities = capabilities.into();
    }
    if let Some(limits) = settings.limits {
        parse_limits(limits.get(), &mut options.limits)?;
    }
    let version = settings.protocol_version.as_deref();
    let named = match version {
        None => None,
        Some(name) => Some(
            Version::parse(name)
                .ok_or_else(|| Error::definition(format!("there is no revision `{name}` that we speak")))?,
        ),
    };
    options.era = match (settings.era.as_deref(), named) {
        (None | Some("auto"), None) => EraChoice::Auto,
        (Some("legacy"), None) => EraChoice::Legacy(Version::NEWEST_LEGACY),
        (Some("modern"), None) => EraChoice::Modern,
        (_, Some(version)) if version.era() == Era::Modern => EraChoice::Modern,
        (_, Some(version)) => EraChoice::Legacy(version),
        (Some(other), None) => {
            return Err(Error::definition(format!("`era` must be auto, legacy or modern, got `{other}`")));
        }
    };
    Ok(options)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Completion<'a> {
    #[serde(borrow)]
    reference: Reference<'a>,
    #[serde(borrow)]
    argument: &'a RawValue,
    #[serde(borrow)]
    value: &'a RawValue,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reference<'a> {
    #[serde(borrow)]
    prompt: Option<&'a RawValue>,
    #[serde(borrow)]
    template: Option<&'a RawValue>,
}

/// The protocol's parameters of an operation; only completions are given in words of our own.
pub fn params_of(operation: Operation, text: &str) -> Result<Cow<'_, str>> {
    if operation != Operation::Complete {
        return Ok(Cow::Borrowed(text));
    }
    let wrong = |why: &dyn std::fmt::Display| {
        Error::invalid_params(format!("a completion needs reference, argument and value: {why}"))
    };
    let completion: Completion<'_> = serde_json::from_str(text).map_err(|error| wrong(&error))?;
    let reference = match completion.reference {
        Reference { prompt: Some(name), template: None } => format!("{{\"type\":\"ref/prompt\",\"name\":{name}}}"),
        Reference { prompt: None, template: Some(uri) } => format!("{{\"type\":\"ref/resource\",\"uri\":{uri}}}"),
        _ => return Err(wrong(&"the reference is {\"prompt\": name} or {\"template\": uri}")),
    };
    let context =
        completion.arguments.map_or_else(String::new, |given| format!(",\"context\":{{\"arguments\":{given}}}"));
    let (name, value) = (completion.argument, completion.value);
    Ok(Cow::Owned(format!("{{\"ref\":{reference},\"argument\":{{\"name\":{name},\"value\":{value}}}{context}}}")))
}
