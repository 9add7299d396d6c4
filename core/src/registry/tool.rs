//! A tool as it was registered: its two published forms, its compiled schemas, its guards.
//! See <https://modelcontextprotocol.io/specification/2026-07-28/server/tools>.

use std::borrow::Cow;
use std::time::Duration;

use serde_json::value::RawValue;

use super::Slot;
use super::shelf::Entry;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::model::Era;
use crate::schema::compile::Validator;
use crate::schema::wrap;
use crate::schema::xheader::HeaderMap;
use crate::wire::{raw, write};

/// How often something may happen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Calls in `per`, at most; they may come at once.
    pub calls: u32,
    pub per: Duration,
    /// Whether every principal has a budget of its own.
    pub by_principal: bool,
}

/// What guards a tool's calls.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ToolOptions {
    /// How long a call may take.
    pub timeout: Option<Duration>,
    /// Calls that may run at once.
    pub concurrency: Option<usize>,
    pub rate: Option<Rate>,
    /// Whether a sealed request state may be redeemed only once.
    pub once: bool,
    /// Whether the language validates the arguments itself.
    pub unchecked: bool,
}

/// A registered tool.
pub struct Tool {
    name: Box<str>,
    modern: Box<str>,
    /// Differs where an output schema had to be wrapped.
    legacy: Option<Box<str>>,
    pub slot: Slot,
    pub input: Validator,
    pub output: Option<Validator>,
    /// Whether legacy peers get structured content as `{"result": ...}`.
    pub wraps_output: bool,
    pub headers: HeaderMap,
    pub options: ToolOptions,
}

const NO_ARGUMENTS: &str = r#"{"type":"object","properties":{}}"#;

impl Tool {
    /// Reads a definition. The error names the tool and what is wrong with it.
    pub fn new(definition: &str, slot: Slot, options: ToolOptions, limits: &Limits) -> Result<Self> {
        let definition = object(definition, "tool")?;
        let name = named(definition, "name", "tool")?;
        let context = |error: Error| Error::definition(format!("tool `{name}`: {}", error.message()));
        let input = raw::get(definition, "inputSchema")?.map_or(NO_ARGUMENTS, |schema| schema.get());
        let input = wrap::root_object(input).map_err(context)?;
        let output = raw::get(definition, "outputSchema")?.map(|schema| schema.get());
        let wrapped = output.and_then(wrap::wrap_output);
        Ok(Self {
            slot,
            options,
            input: Validator::new(&input, limits).map_err(context)?,
            headers: HeaderMap::from_schema(&input).map_err(context)?,
            wraps_output: wrapped.is_some(),
            legacy: match &wrapped {
                Some(wrapped) => Some(published(definition, &input, Some(wrapped))?),
                None => None,
            },
            modern: published(definition, &input, output)?,
            output: output.map(|schema| Validator::new(schema, limits)).transpose().map_err(context)?,
            name,
        })
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Entry for Tool {
    fn key(&self) -> &str {
        &self.name
    }

    fn definition(&self, era: Era) -> &str {
        match (era, &self.legacy) {
            (Era::Legacy, Some(legacy)) => legacy,
            _ => &self.modern,
        }
    }
}

/// The definition on one line, with its schemas replaced; all other members stay as they were written.
fn published(definition: &RawValue, input: &str, output: Option<&str>) -> Result<Box<str>> {
    let mut out = Vec::with_capacity(definition.get().len() + 64);
    out.push(b'{');
    let mut has_input = false;
    for (key, value) in raw::members(definition)? {
        let value = match &*key {
            "inputSchema" => {
                has_input = true;
                input
            }
            "outputSchema" => output.unwrap_or(value.get()),
            _ => value.get(),
        };
        push_member(&mut out, &key, value);
    }
    if !has_input {
        push_member(&mut out, "inputSchema", input);
    }
    out.push(b'}');
    one_line(out)
}

fn push_member(out: &mut Vec<u8>, key: &str, value: &str) {
    if out.len() > 1 {
        out.push(b',');
    }
    write::string(out, key);
    out.push(b':');
    out.extend_from_slice(value.as_bytes());
}

/// A definition's text without raw line ends, which would break the framing of stdio.
pub(super) fn one_line(text: Vec<u8>) -> Result<Box<str>> {
    let text = match raw::one_line(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(text) => text,
    };
    String::from_utf8(text).map(String::into_boxed_str).map_err(|_| Error::definition("a definition is not UTF-8"))
}

/// A definition as the JSON object that it must be.
pub(super) fn object<'a>(definition: &'a str, what: &str) -> Result<&'a RawValue> {
    let wrong = |why: &dyn std::fmt::Display| {
        Error::definition(format!("the definition of a {what} must be a JSON object: {why}"))
    };
    let raw: &RawValue = serde_json::from_str(definition).map_err(|error| wrong(&error))?;
    if raw::is_object(raw) { Ok(raw) } else { Err(wrong(&"it is something else")) }
}

/// The member that names a definition: a non-empty string without control characters (N49).
pub(super) fn named(definition: &RawValue, member: &str, what: &str) -> Result<Box<str>> {
    let text: Option<Box<str>> = raw::get(definition, member)?.and_then(|raw| serde_json::from_str(raw.get()).ok());
    match text {
        Some(text) if text.is_empty() => Err(Error::definition(format!("the `{member}` of a {what} is empty"))),
        Some(text) if text.chars().any(char::is_control) => {
            Err(Error::definition(format!("the `{member}` of a {what} has control characters: {text:?}")))
        }
        Some(text) => Ok(text),
        None => Err(Error::definition(format!("the definition of a {what} needs a string `{member}`"))),
    }
}
