//! The protocol's types, for those who write servers, clients and hosts.
//!
//! One set of types reads every revision of the specification: a member some revision lacks is optional, unknown
//! members are ignored, and a value a later revision may add is kept instead of losing the message around it:
//!
//! - An enumeration has a variant `Unknown` with the text received ([`Role`], [`LoggingLevel`]).
//! - A union has a variant `Unknown` with the JSON received ([`ContentBlock`], [`ResourceContents`]); an item of a
//!   known kind that does not decode is kept the same way.
//!
//! Constant members (`type`, `method`) are written by the type itself. A member that was absent stays absent. Structs
//! grow with the specification, so they are built with `new` and the members set afterwards:
//!
//! ```
//! use omniport::types::{CallToolResult, ContentBlock, TextContent};
//!
//! let mut result = CallToolResult::new(vec![TextContent::new("3").into()]);
//! result.structured_content = Some(serde_json::json!({ "sum": 3 }));
//! let text = serde_json::to_string(&result)?;
//! assert_eq!(text, r#"{"content":[{"type":"text","text":"3"}],"structuredContent":{"sum":3}}"#);
//!
//! let read: CallToolResult = serde_json::from_str(r#"{"content":[{"type":"video","data":"AA=="}]}"#)?;
//! assert!(matches!(read.content[0], ContentBlock::Unknown(_)));
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! The engine itself does not use these types: inside it arguments and results stay text.
//! The specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema>.

// Names, texts and the number of members are the specification's.
#[allow(clippy::all, clippy::upper_case_acronyms, rustdoc::all)]
#[rustfmt::skip]
mod generated;
mod open;
#[cfg(test)]
mod tests;
#[allow(clippy::upper_case_acronyms)]
mod value;

pub use generated::*;
pub use value::{JSONObject, JSONRPCVersion, MetaObject, OneOrMany, ProgressToken, RequestId};
