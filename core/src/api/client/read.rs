//! Results as the user's types. What a later revision adds is ignored or kept, see [`types`](crate::types).

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::call::Asked;
use crate::engine::client::Operation;
use crate::error::{Error, ErrorKind, Result};
use crate::types;
use crate::wire::raw;

/// One page of a listing.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Page<T> {
    /// Its items; one that cannot be read is left out.
    pub items: Vec<T>,
    /// Where the next page begins; absent on the last one.
    pub next_cursor: Option<String>,
}

/// With whom a client speaks and how.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ServerInfo {
    /// The server's name and version, in its own words; a modern server may keep them to itself.
    pub server: Option<types::Implementation>,
    /// What the server can do.
    pub capabilities: types::ServerCapabilities,
    /// The revision that is spoken, such as `2026-07-28`.
    pub protocol_version: String,
    /// How a model should use the server.
    pub instructions: Option<String>,
}

impl ServerInfo {
    /// Reads what the engine found out. A member in a wrong form counts as absent.
    pub(super) fn of(said: &RawValue) -> Self {
        fn member<T: DeserializeOwned>(said: &RawValue, name: &str) -> Option<T> {
            serde_json::from_str(raw::get(said, name).ok().flatten()?.get()).ok()
        }
        Self {
            server: member(said, "server"),
            capabilities: member(said, "capabilities").unwrap_or_default(),
            protocol_version: member(said, "protocol_version").unwrap_or_default(),
            instructions: member(said, "instructions"),
        }
    }
}

/// The result itself, as it came.
pub(super) fn text(_: &Asked, result: Box<RawValue>) -> Result<Box<RawValue>> {
    Ok(result)
}

/// A result that says only that it worked.
pub(super) fn nothing(_: &Asked, _: Box<RawValue>) -> Result<()> {
    Ok(())
}

/// A typed result.
pub(super) fn result<T: DeserializeOwned>(asked: &Asked, result: Box<RawValue>) -> Result<T> {
    serde_json::from_str(result.get()).map_err(|error| unreadable(asked.operation, result, error))
}

/// The items of a listing.
pub(super) fn list<T: DeserializeOwned>(asked: &Asked, result: Box<RawValue>) -> Result<Vec<T>> {
    let member = asked.operation.items_member().unwrap_or_default();
    let items = match raw::get(&result, member)? {
        Some(items) => serde_json::from_str::<Vec<&RawValue>>(items.get()),
        None => Ok(Vec::new()),
    };
    let items = match items {
        Ok(items) => items,
        Err(error) => return Err(unreadable(asked.operation, result, error)),
    };
    // One item that cannot be read must not lose the others (Y14).
    let warn = |error: &serde_json::Error| tracing::warn!("an item of `{member}` cannot be read: {error}");
    Ok(items.iter().filter_map(|item| serde_json::from_str(item.get()).inspect_err(warn).ok()).collect())
}

/// One page of a listing.
pub(super) fn page<T: DeserializeOwned>(asked: &Asked, result: Box<RawValue>) -> Result<Page<T>> {
    let cursor = raw::get(&result, "nextCursor")?;
    let next_cursor = match cursor.map(|cursor| serde_json::from_str(cursor.get())).transpose() {
        Ok(cursor) => cursor.flatten(),
        Err(error) => return Err(unreadable(asked.operation, result, error)),
    };
    Ok(Page { items: list(asked, result)?, next_cursor })
}

/// A result that is not what its method promises; the whole of it is the error's `data`.
fn unreadable(operation: Operation, result: Box<RawValue>, error: serde_json::Error) -> Error {
    let text = format!("the result of `{}` cannot be read: {error}", operation.as_str());
    Error::new(ErrorKind::InvalidRequest, text).with_data(result).caused_by(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked() -> Asked {
        Asked { operation: Operation::ListTools, params: String::new() }
    }

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn y14_one_item_that_cannot_be_read_loses_no_other() {
        let result =
            r#"{"tools":[{"name":1},{"name":"t","inputSchema":{"type":"object"},"new":{}},7],"nextCursor":"c"}"#;
        let page: Page<types::Tool> = page(&asked(), raw(result)).unwrap();
        assert_eq!(page.items.iter().map(|tool| &*tool.name).collect::<Vec<_>>(), ["t"]);
        assert_eq!(page.next_cursor.as_deref(), Some("c"));
        let page: Page<types::Tool> = super::page(&asked(), raw(r#"{"nextCursor":null}"#)).unwrap();
        assert_eq!((page.items.len(), page.next_cursor), (0, None));
    }

    #[test]
    fn a_result_of_another_kind_is_kept_whole_in_the_error() {
        let error = list::<types::Tool>(&asked(), raw(r#"{"tools":{}}"#)).unwrap_err();
        assert_eq!((error.kind(), error.data().unwrap().get()), (ErrorKind::InvalidRequest, r#"{"tools":{}}"#));
    }

    #[test]
    fn a_server_that_says_little_or_nonsense_is_still_known() {
        let info = ServerInfo::of(&raw(r#"{"server":{"name":7},"capabilities":[],"protocol_version":"2025-06-18"}"#));
        assert_eq!((info.protocol_version.as_str(), info.server), ("2025-06-18", None));
    }
}
