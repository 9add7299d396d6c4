//! What a tool handler may return.

use serde::Serialize;
use serde_json::Value;

use super::error::ToolError;
use crate::types;

/// A value that becomes the result of a tool.
///
/// - Any `Serialize + JsonSchema` value, a string too: structured content, its schema published as the tool's `outputSchema`, with
///   the same value as text for clients that read only text (a string as it is, anything else as JSON). `()` is an empty result.
/// - [`Json`]: structured content without a published schema.
/// - [`Text`]: text only. [`types::ContentBlock`] and the content types: one block. [`types::CallToolResult`]: everything by hand.
pub trait IntoToolResult {
    /// The schema of the structured content, where the tool has one that says something.
    fn output_schema() -> Option<Value> {
        None
    }

    /// The result object as JSON text.
    ///
    /// # Errors
    /// When the value cannot be written as JSON.
    fn into_tool_result(self) -> Result<String, ToolError>;
}

/// Structured content whose schema is not published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Json<T>(pub T);

/// A result that is only text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text<S>(pub S);

/// A tool without arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct NoArguments {}

#[cfg(feature = "schemars")]
impl<T: Serialize + schemars::JsonSchema> IntoToolResult for T {
    fn output_schema() -> Option<Value> {
        super::schema::output::<T>()
    }

    fn into_tool_result(self) -> Result<String, ToolError> {
        let text = structured(&self)?;
        // Of the values that are written as `null`, those without a size are the ones that never say anything.
        Ok(if size_of::<T>() == 0 && text == NOTHING { EMPTY.to_owned() } else { text })
    }
}

#[cfg(feature = "schemars")]
const NOTHING: &str = r#"{"structuredContent":null}"#;
#[cfg(feature = "schemars")]
const EMPTY: &str = r#"{"content":[]}"#;

impl<T: Serialize> IntoToolResult for Json<T> {
    fn into_tool_result(self) -> Result<String, ToolError> {
        structured(&self.0)
    }
}

impl<S: AsRef<str>> IntoToolResult for Text<S> {
    fn into_tool_result(self) -> Result<String, ToolError> {
        types::TextContent::new(self.0.as_ref()).into_tool_result()
    }
}

impl IntoToolResult for types::CallToolResult {
    fn into_tool_result(self) -> Result<String, ToolError> {
        Ok(serde_json::to_string(&self)?)
    }
}

/// One block is a whole result.
macro_rules! block {
    ($($block:ident),+) => {
        $(impl IntoToolResult for types::$block {
            fn into_tool_result(self) -> Result<String, ToolError> {
                types::CallToolResult::new(vec![self.into()]).into_tool_result()
            }
        })+
    };
}

block!(ContentBlock, TextContent, ImageContent, AudioContent, ResourceLink, EmbeddedResource);

fn structured<T: Serialize>(value: &T) -> Result<String, ToolError> {
    let mut out = Vec::with_capacity(96);
    out.extend_from_slice(b"{\"structuredContent\":");
    serde_json::to_writer(&mut out, value)?;
    out.push(b'}');
    Ok(String::from_utf8(out)?)
}
