//! Structured results against the output schema of their tool. A result that breaks it is an error, which keeps the result; a schema
//! that is itself broken harms neither the listing nor the call (S02).
//! See <https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema>.

use std::sync::atomic::{AtomicBool, Ordering};

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::schema::check::{Invalid, describe};
use crate::schema::compile::Validator;

/// The output schema of one tool, compiled when a result needs it first.
#[derive(Debug)]
pub(super) struct Output {
    schema: Validator,
    /// That it cannot be used was said.
    told: AtomicBool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Parts<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    structured_content: Option<&'a RawValue>,
    #[serde(borrow)]
    is_error: Option<&'a RawValue>,
}

/// A member that is there, even if it is `null`: structured content may be any JSON value.
fn present<'de, D: serde::Deserializer<'de>>(from: D) -> std::result::Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(from).map(Some)
}

impl Output {
    pub fn new(schema: &str, limits: &Limits) -> Self {
        Self { schema: Validator::lazy(schema, limits), told: AtomicBool::new(false) }
    }

    /// The result of `tool`, if it keeps to the schema. Results that say `isError` are exempt: the schema describes success (S01).
    /// `report` is told, once, that the schema is of no use.
    ///
    /// # Errors
    /// `InvalidRequest` with the facts `tool` and `path`, and the result as its data.
    pub fn check(&self, tool: &str, result: Box<RawValue>, report: impl FnOnce(String)) -> Result<Box<RawValue>> {
        let content = match serde_json::from_str::<Parts<'_>>(result.get()) {
            Ok(Parts { is_error: Some(is_error), .. }) if is_error.get() == "true" => return Ok(result),
            Ok(parts) => parts.structured_content,
            Err(error) => return Err(broken(tool, "", &error.to_string(), result)),
        };
        let Some(content) = content else {
            return Err(broken(tool, "", "it has no structured content", result));
        };
        match self.schema.check(content.get()) {
            Ok(()) => Ok(result),
            Err(Invalid::Problems(problems)) => {
                let path = problems.first().map_or("", |problem| &problem.path).to_owned();
                Err(broken(tool, &path, &describe(&problems, "structured content"), result))
            }
            Err(Invalid::Unchecked(error)) if error.kind() == ErrorKind::InvalidParams => {
                Err(broken(tool, "", error.message(), result))
            }
            Err(Invalid::Unchecked(error)) => {
                if !self.told.swap(true, Ordering::Relaxed) {
                    let name = tool.escape_debug();
                    report(format!(
                        "results of the tool `{name}` cannot be checked against its output schema: {error}"
                    ));
                }
                Ok(result)
            }
        }
    }
}

fn broken(tool: &str, path: &str, what: &str, result: Box<RawValue>) -> Error {
    let text = format!("the result of the tool `{}` breaks its output schema: {what}", tool.escape_debug());
    Error::new(ErrorKind::InvalidRequest, text).with("tool", tool).with("path", path).with_data(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str =
        r#"{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}},"additionalProperties":false}"#;

    fn check(schema: &str, result: &str) -> Result<Box<RawValue>> {
        let result = RawValue::from_string(result.to_owned()).unwrap();
        Output::new(schema, &Limits::default()).check("t", result, |_| {})
    }

    #[test]
    fn s01_only_success_must_match() {
        for passes in [
            r#"{"isError":true,"content":[]}"#,
            r#"{"isError":true,"content":[],"structuredContent":{"code":1}}"#,
            r#"{"content":[],"structuredContent":{"n":1}}"#,
        ] {
            assert_eq!(check(SCHEMA, passes).unwrap().get(), passes);
        }
        for (fails, path) in [
            (r#"{"content":[]}"#, ""),
            (r#"{"isError":false,"structuredContent":{"n":"x"}}"#, "n"),
            (r#"{"structuredContent":null}"#, ""),
            (r#"{"structuredContent":{"n":1,"n":2}}"#, ""),
        ] {
            let error = check(SCHEMA, fails).unwrap_err();
            assert_eq!((error.fact("tool"), error.fact("path")), (Some("t"), Some(path)), "{error}");
            assert_eq!(error.data().unwrap().get(), fails);
        }
    }

    #[test]
    fn s02_security_15_a_broken_schema_is_told_once_and_harms_no_call() {
        for schema in [
            r##"{"$ref":"#/$defs/Missing"}"##,
            r#"{"type":"objekt"}"#,
            r#"{"$ref":"https://example.org/schema.json"}"#,
            "7",
        ] {
            let output = Output::new(schema, &Limits::default());
            let mut told = 0;
            for _ in 0..2 {
                let result = RawValue::from_string(r#"{"structuredContent":{"n":1}}"#.to_owned()).unwrap();
                assert!(output.check("t", result, |_| told += 1).is_ok());
            }
            assert_eq!(told, 1, "{schema}");
        }
    }

    #[test]
    fn s12_any_value_may_be_described() {
        assert!(check(r#"{"type":"array","items":{"type":"integer"}}"#, r#"{"structuredContent":[1,2]}"#).is_ok());
        assert!(check(r#"{"type":["string","null"]}"#, r#"{"structuredContent":null}"#).is_ok());
        assert!(check(r#"{"type":"integer"}"#, r#"{"structuredContent":"1"}"#).is_err());
    }
}
