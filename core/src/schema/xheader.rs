//! Tool arguments that are mirrored into HTTP headers: the `x-mcp-header` annotations of an input schema.
//!
//! See <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters>.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::bounds::read;
use super::refs::pointer_to;
use crate::error::{Error, Result};

/// Nesting of an input schema that is looked through.
const MAX_DEPTH: usize = 127;
/// The largest integer that every JSON reader keeps exactly: 2^53 - 1.
const MAX_SAFE_INTEGER: i64 = (1 << 53) - 1;
const KEYWORD: &str = "x-mcp-header";
const PREFIX: &str = "mcp-param-";

/// The type of a mirrored argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamType {
    /// Mirrored as it is.
    String,
    /// Mirrored in decimal; within -(2^53-1) and 2^53-1.
    Integer,
    /// Mirrored as `true` or `false`.
    Boolean,
}

/// One mirrored argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderParam {
    /// `Mcp-Param-<name>` as the schema spells it: what a client sends.
    pub header: Box<str>,
    /// The same in lower case: what a header map is asked for.
    pub key: Box<str>,
    /// The names of the properties that lead to the argument.
    pub path: Box<[Box<str>]>,
    /// How its value is written.
    pub kind: ParamType,
}

/// The mirrored arguments of one tool, computed once per definition. Most tools have none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeaderMap {
    params: Box<[HeaderParam]>,
}

impl HeaderMap {
    /// Finds and checks every annotation of an input schema.
    ///
    /// # Errors
    /// `Definition` when an annotation breaks a rule of the specification; an HTTP client must then hide the tool.
    pub fn from_schema(schema_text: &str) -> Result<Self> {
        // Most schemas do not have the keyword at all; an escaped spelling still has a backslash.
        if memchr::memmem::find(schema_text.as_bytes(), KEYWORD.as_bytes()).is_none() && !schema_text.contains('\\') {
            return Ok(Self::default());
        }
        let root = read(schema_text, MAX_DEPTH)?;
        let mut search = Search { root: &root, params: Vec::new(), path: Vec::new() };
        search.schema(&root, true)?;
        Ok(Self { params: search.params.into_boxed_slice() })
    }

    /// The mirrored arguments.
    pub fn entries(&self) -> &[HeaderParam] {
        &self.params
    }

    /// Whether nothing is mirrored.
    pub fn is_empty(&self) -> bool {
        self.params.is_empty()
    }

    /// The value of each entry in a call's arguments, in the order of [`HeaderMap::entries`], not yet encoded for a header.
    /// `None` when the argument is absent or null. An empty text means no arguments.
    ///
    /// # Errors
    /// `InvalidParams` for text that is not JSON, a value that is not of the declared type, and an integer beyond 2^53 - 1.
    pub fn extract(&self, arguments_text: &str) -> Result<Vec<Option<String>>> {
        if self.params.is_empty() || arguments_text.is_empty() {
            return Ok(vec![None; self.params.len()]);
        }
        let raw: &RawValue = serde_json::from_str(arguments_text).map_err(|error| malformed(&error))?;
        self.params.iter().map(|param| param.extract(raw)).collect()
    }
}

impl HeaderParam {
    fn extract(&self, arguments: &RawValue) -> Result<Option<String>> {
        let mut value = arguments;
        let mut inner;
        for name in &self.path {
            if !value.get().starts_with('{') {
                return Ok(None);
            }
            inner = member(value, name)?;
            match inner {
                Some(found) => value = found,
                None => return Ok(None),
            }
        }
        let text = value.get();
        if text == "null" {
            return Ok(None);
        }
        let written = match self.kind {
            ParamType::String => serde_json::from_str::<String>(text).ok(),
            ParamType::Boolean => matches!(text, "true" | "false").then(|| text.to_owned()),
            ParamType::Integer => safe_integer(text).map(|number| number.to_string()),
        };
        written.map(Some).ok_or_else(|| {
            let kind = match self.kind {
                ParamType::String => "a string",
                ParamType::Boolean => "a boolean",
                ParamType::Integer => "an integer between -(2^53-1) and 2^53-1",
            };
            Error::invalid_params(format!(
                "argument {} is mirrored into {} and must be {kind}",
                self.path.join("."),
                self.header
            ))
        })
    }

    /// Whether a decoded header value means the body's value: integers by number (`42.0` is `42`), all else by text.
    pub fn matches(&self, header: &str, body: &str) -> bool {
        match self.kind {
            ParamType::Integer => safe_integer(header).is_some_and(|number| safe_integer(body) == Some(number)),
            ParamType::String | ParamType::Boolean => header == body,
        }
    }
}

/// One member of an object, without reading the others' values.
fn member<'v>(object: &'v RawValue, name: &str) -> Result<Option<&'v RawValue>> {
    serde_json::Deserializer::from_str(object.get()).deserialize_map(Pick { name }).map_err(|error| malformed(&error))
}

struct Pick<'n> {
    name: &'n str,
}

impl<'de> Visitor<'de> for Pick<'_> {
    type Value = Option<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(name) = members.next_key::<Cow<'de, str>>()? {
            let value = members.next_value::<&RawValue>()?;
            // Two values under one name: header and body could each mean another one.
            if *name == *self.name && found.replace(value).is_some() {
                return Err(serde::de::Error::custom(format_args!("member {name:?} appears twice")));
            }
        }
        Ok(found)
    }
}

fn malformed(error: &serde_json::Error) -> Error {
    Error::invalid_params(format!("invalid JSON in arguments: {error}"))
}

/// An integer written in any JSON way (`42`, `42.0`, `4.2e1`) within the safe range.
fn safe_integer(text: &str) -> Option<i64> {
    let number = match text.parse::<i64>() {
        Ok(number) if !text.starts_with('+') => number,
        _ => {
            let number = serde_json::from_str::<f64>(text).ok().filter(|number| number.fract() == 0.0)?;
            // Beyond the safe range the conversion saturates and is refused below.
            number as i64
        }
    };
    (-MAX_SAFE_INTEGER..=MAX_SAFE_INTEGER).contains(&number).then_some(number)
}

struct Search<'v> {
    root: &'v Value,
    params: Vec<HeaderParam>,
    path: Vec<&'v str>,
}

impl<'v> Search<'v> {
    /// Looks through a schema; `reachable` says whether only `properties` led here.
    fn schema(&mut self, value: &'v Value, reachable: bool) -> Result<()> {
        let Value::Object(schema) = value else { return Ok(()) };
        if let Some(name) = schema.get(KEYWORD) {
            if !reachable || self.path.is_empty() {
                return Err(
                    self.broken(value, "may only stand on a property reached from the root by `properties` alone")
                );
            }
            self.annotation(value, schema, name)?;
        }
        for (keyword, below) in schema {
            match (keyword.as_str(), below) {
                ("properties", Value::Object(members)) => {
                    for (name, member) in members {
                        self.path.push(name);
                        self.schema(member, reachable)?;
                        self.path.pop();
                    }
                }
                (
                    "patternProperties" | "dependentSchemas" | "dependencies" | "$defs" | "definitions",
                    Value::Object(members),
                ) => {
                    members.values().try_for_each(|member| self.schema(member, false))?;
                }
                ("enum" | "const" | "default" | "examples", _) => {}
                (_, Value::Array(branches)) => branches.iter().try_for_each(|branch| self.schema(branch, false))?,
                _ => self.schema(below, false)?,
            }
        }
        Ok(())
    }

    fn annotation(&mut self, value: &Value, schema: &Map<String, Value>, name: &Value) -> Result<()> {
        let Some(name) = name.as_str().filter(|name| is_token(name)) else {
            return Err(self.broken(value, "must be an HTTP field name: letters, digits and !#$%&'*+-.^_`|~"));
        };
        let Some(kind) = param_type(schema) else {
            return Err(self.broken(value, "needs a parameter of type string, integer or boolean"));
        };
        let key = format!("{PREFIX}{}", name.to_ascii_lowercase()).into_boxed_str();
        if self.params.iter().any(|param| param.key == key) {
            return Err(
                self.broken(value, "names a header that another parameter has (names differ in more than case)")
            );
        }
        let path = self.path.iter().map(|step| Box::from(*step)).collect();
        self.params.push(HeaderParam { header: format!("Mcp-Param-{name}").into_boxed_str(), key, path, kind });
        Ok(())
    }

    fn broken(&self, value: &Value, rule: &str) -> Error {
        let at = pointer_to(self.root, value).unwrap_or_default();
        Error::definition(format!("{KEYWORD} at {at}: {rule}"))
    }
}

/// The declared type. A type list may add null, whose header is left out like that of an absent argument (S07).
fn param_type(schema: &Map<String, Value>) -> Option<ParamType> {
    let name = match schema.get("type")? {
        Value::String(name) => name,
        Value::Array(names) => {
            let mut others = names.iter().filter_map(Value::as_str).filter(|name| *name != "null");
            let name = others.next()?;
            if others.next().is_some() {
                return None;
            }
            name
        }
        _ => return None,
    };
    match name {
        "string" => Some(ParamType::String),
        "integer" => Some(ParamType::Integer),
        "boolean" => Some(ParamType::Boolean),
        _ => None,
    }
}

/// `1*tchar` of RFC 9110, section 5.6.2.
fn is_token(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

#[cfg(test)]
#[path = "xheader/tests.rs"]
mod tests;
