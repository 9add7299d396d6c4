//! Is the answer the one to this request?

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::fault::{Fault, Result};
use crate::request::{What, echoed, summands};

const BIG: usize = 1_000_000;

#[derive(Deserialize)]
struct Message<'a> {
    id: Option<u64>,
    #[serde(borrow)]
    result: Option<Outcome<'a>>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Outcome<'a> {
    #[serde(borrow, default)]
    content: Vec<Block<'a>>,
    #[serde(borrow, rename = "structuredContent")]
    structured: Option<&'a RawValue>,
    #[serde(default, rename = "isError")]
    is_error: bool,
    #[serde(borrow)]
    tools: Option<Vec<&'a RawValue>>,
    #[serde(borrow, rename = "nextCursor")]
    next: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
}

/// What a right answer says.
pub struct Answer {
    pub id: u64,
    /// How many tools this page has.
    pub tools: usize,
    /// Where the next page begins.
    pub next: Option<String>,
}

/// `None` for what is no answer: a notification.
pub fn check(what: What, text: &[u8]) -> Result<Option<Answer>> {
    let wrong = |why: &str| Fault(format!("{why}: {}", String::from_utf8_lossy(&text[..text.len().min(400)])));
    let message: Message<'_> = serde_json::from_slice(text).map_err(|error| wrong(&error.to_string()))?;
    let Some(id) = message.id else {
        return if message.error.is_some() { Err(wrong("an error without id")) } else { Ok(None) };
    };
    let outcome = message.result.ok_or_else(|| wrong("an error"))?;
    if outcome.is_error {
        return Err(wrong("the tool failed"));
    }
    let first = outcome.content.first().map(|block| block.text.as_ref());
    let right = match what {
        What::Add => {
            let (a, b) = summands(id);
            let sum = (a + b).to_string();
            first.is_some_and(|text| text == sum || text == format!("{{\"result\":{sum}}}"))
                && outcome.structured.is_none_or(|structured| structured.get().contains(&sum))
        }
        What::Big => first.is_some_and(|text| text.len() == BIG && text.ends_with("lazy dog.\n")),
        What::Echo => first.is_some_and(|text| text == echoed(id)),
        What::List => outcome.tools.is_some(),
    };
    if !right {
        return Err(wrong("a wrong answer"));
    }
    Ok(Some(Answer {
        id,
        tools: outcome.tools.map_or(0, |tools| tools.len()),
        next: outcome.next.map(Cow::into_owned),
    }))
}

/// The answer to `initialize`.
pub fn check_initialize(text: &[u8]) -> Result<()> {
    let value: serde_json::Value =
        serde_json::from_slice(text).map_err(|error| Fault(format!("initialize: {error}")))?;
    if value["result"]["protocolVersion"].is_string() {
        return Ok(());
    }
    Err(Fault(format!("initialize failed: {value}")))
}
