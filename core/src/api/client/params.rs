//! The parameters of requests as JSON text.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::error::{Error, Result};
use crate::wire::{raw, write};

/// `{"<member>": text}`.
pub(super) fn one(member: &str, text: &str) -> Result<String> {
    object(|out| write::member_string(out, member, text))
}

/// `{"name": name, "arguments"?: {...}}`; arguments that are written as `null` are none.
pub(super) fn named(name: &str, arguments: &impl Serialize) -> Result<String> {
    let arguments = object_text(name, arguments)?;
    object(|out| {
        write::member_string(out, "name", name);
        if let Some(arguments) = arguments {
            write::member(out, "arguments", arguments.as_bytes());
        }
    })
}

/// `params` with one member more, or with another value of it. What is not changed stays the text it is, large numbers too.
pub(super) fn with(params: &str, member: &str, value: &impl Serialize) -> Result<String> {
    let value = serde_json::value::to_raw_value(value)
        .map_err(|error| Error::invalid_params(format!("`{member}` is no JSON: {error}")).caused_by(error))?;
    changed(params, member, Some(&value))
}

/// `params` without a member.
pub(super) fn without(params: &str, member: &str) -> Result<String> {
    changed(params, member, None)
}

fn changed(params: &str, member: &str, value: Option<&RawValue>) -> Result<String> {
    let own: &RawValue = serde_json::from_str(params)
        .map_err(|error| Error::invalid_params(format!("the parameters are no JSON: {error}")).caused_by(error))?;
    let members = raw::members(own)?;
    object(|out| {
        for (key, own) in members.into_iter().filter(|(key, _)| key != member) {
            write::member(out, &key, own.get().as_bytes());
        }
        if let Some(value) = value {
            write::member(out, member, value.get().as_bytes());
        }
    })
}

/// The text of an object, or nothing for `null`.
pub(super) fn object_text(of: &str, value: &impl Serialize) -> Result<Option<String>> {
    let text = serde_json::to_string(value).map_err(|error| {
        Error::invalid_params(format!("the arguments of `{of}` are no JSON: {error}")).caused_by(error)
    })?;
    match text.as_bytes().first() {
        Some(b'{') => Ok(Some(text)),
        Some(b'n') => Ok(None),
        _ => Err(Error::invalid_params(format!("the arguments of `{of}` must be an object"))),
    }
}

fn object(members: impl FnOnce(&mut Vec<u8>)) -> Result<String> {
    let mut out = b"{".to_vec();
    members(&mut out);
    write::close(&mut out);
    String::from_utf8(out).map_err(|error| Error::internal(error.to_string()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_are_an_object_or_none() {
        assert_eq!(named("t", &json!({"a": 1})).unwrap(), r#"{"name":"t","arguments":{"a":1}}"#);
        assert_eq!(named("t", &()).unwrap(), r#"{"name":"t"}"#);
        assert!(named("t", &json!([1])).is_err());
    }

    #[test]
    fn a_member_is_added_or_replaced_and_the_others_stay_as_they_are() {
        let text = with(r#"{"n":9007199254740993.0,"x":1}"#, "x", &2).unwrap();
        assert_eq!(text, r#"{"n":9007199254740993.0,"x":2}"#);
        assert_eq!(without(&text, "n").unwrap(), r#"{"x":2}"#);
        assert_eq!(with("{}", "_meta", &json!({"a/b": 1})).unwrap(), r#"{"_meta":{"a/b":1}}"#);
    }
}
