//! `${NAME}`, `${NAME:-default}` and `${env:NAME}` in configuration, from a map that the caller gives.

use std::collections::BTreeMap;

use crate::error::{Error, Result};

/// What variables stand for.
pub type Variables = BTreeMap<String, String>;

/// The environment of this process, for who wants configuration to use it. What is not Unicode is left out.
#[allow(clippy::disallowed_methods, reason = "this is the one place where configuration meets the environment")]
pub fn environment() -> Variables {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// Puts variables into a text, in one pass: what they stand for is not expanded again. `place` is for the error.
pub(super) fn expand(text: String, variables: &Variables, place: &dyn Fn() -> String) -> Result<String> {
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some((before, (inside, after))) =
        rest.split_once("${").and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
    {
        out.push_str(before);
        out.push_str(value(inside, variables, place)?);
        rest = after;
    }
    if out.is_empty() && rest.len() == text.len() {
        return Ok(text);
    }
    out.push_str(rest);
    Ok(out)
}

/// What stands for the text between the braces.
fn value<'a>(inside: &'a str, variables: &'a Variables, place: &dyn Fn() -> String) -> Result<&'a str> {
    let (name, default) = match inside.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inside, None),
    };
    let name = name.strip_prefix("env:").unwrap_or(name);
    let is_name =
        |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if !is_name(name) {
        let text = format!("{} has `${{{}}}`, which is no variable that is known here", place(), name.escape_debug());
        return Err(Error::definition(text));
    }
    // As in a shell: the default stands for an empty value too.
    match (variables.get(name), default) {
        (Some(value), None) => Ok(value),
        (Some(value), Some(_)) if !value.is_empty() => Ok(value),
        (_, Some(default)) => Ok(default),
        (None, None) => Err(Error::definition(format!("{} needs the variable `{name}`, which is not set", place()))),
    }
}
