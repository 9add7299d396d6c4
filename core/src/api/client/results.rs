//! What users of a client want of the protocol's types, beside their members.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::params;
use crate::api::Elicited;
use crate::error::{Error, ErrorKind, Result};
use crate::types::{
    CallToolResult, ContentBlock, CreateMessageResult, ElicitResult, ElicitResultAction, JSONObject, OneOrMany, Role,
    SamplingMessageContentBlock, TextContent,
};

impl CallToolResult {
    /// The structured content as a `T`.
    ///
    /// ```
    /// # use omniport::types::CallToolResult;
    /// #[derive(serde::Deserialize)]
    /// struct Sum {
    ///     sum: i64,
    /// }
    ///
    /// let result: CallToolResult = serde_json::from_str(r#"{"content":[],"structuredContent":{"sum":3}}"#)?;
    /// assert_eq!(result.structured::<Sum>()?.sum, 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Remote`] with the tool's own text if the tool failed; [`ErrorKind::InvalidRequest`] if there is no structured content, or
    /// it is no `T`.
    pub fn structured<T: DeserializeOwned>(&self) -> Result<T> {
        if self.is_error == Some(true) {
            return Err(Error::new(ErrorKind::Remote, self.text()));
        }
        let Some(content) = &self.structured_content else {
            return Err(Error::invalid_request("the result of the tool has no structured content"));
        };
        T::deserialize(content).map_err(|error| {
            let failed = Error::invalid_request(format!("the structured content cannot be read: {error}"));
            let data = serde_json::value::to_raw_value(content).ok();
            data.into_iter().fold(failed, Error::with_data).caused_by(error)
        })
    }

    /// The text blocks of the content, a line end between two of them.
    pub fn text(&self) -> String {
        let texts = self.content.iter().filter_map(|block| match block {
            ContentBlock::Text(text) => Some(text.text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }
}

impl ElicitResult {
    /// The user filled the form in; `content` is written as a JSON object of its fields.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidParams`] if it is no object.
    pub fn accept(content: impl Serialize) -> Result<Self> {
        let text = params::object_text("the form", &content)?.unwrap_or_else(|| "{}".to_owned());
        let content = serde_json::from_str(&text).map_err(|error| Error::invalid_params(error.to_string()))?;
        Ok(Elicited::Accept::<JSONObject>(content).into())
    }

    /// The user said no.
    pub fn decline() -> Self {
        Self::new(ElicitResultAction::Decline)
    }

    /// The user went away without a choice.
    pub fn cancel() -> Self {
        Self::new(ElicitResultAction::Cancel)
    }
}

impl CreateMessageResult {
    /// What the model of that name wrote, as the assistant.
    pub fn text(text: impl Into<String>, model: impl Into<String>) -> Self {
        let block = SamplingMessageContentBlock::from(TextContent::new(text));
        Self::new(OneOrMany::from(block), model, Role::Assistant)
    }
}

impl From<Elicited<JSONObject>> for ElicitResult {
    fn from(elicited: Elicited<JSONObject>) -> Self {
        match elicited {
            Elicited::Accept(content) => {
                let mut result = Self::new(ElicitResultAction::Accept);
                result.content = Some(content);
                result
            }
            Elicited::Decline => Self::decline(),
            Elicited::Cancel => Self::cancel(),
        }
    }
}

/// The answer to a link: there is nothing to fill in.
impl From<Elicited<()>> for ElicitResult {
    fn from(elicited: Elicited<()>) -> Self {
        match elicited {
            Elicited::Accept(()) => Self::new(ElicitResultAction::Accept),
            Elicited::Decline => Self::decline(),
            Elicited::Cancel => Self::cancel(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_failed_tool_has_no_structured_content() {
        let result = json!({"content": [{"type": "text", "text": "closed"}, {"type": "x"}], "isError": true, "structuredContent": 1});
        let result: CallToolResult = serde_json::from_value(result).unwrap();
        let error = result.structured::<i64>().unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::Remote, "closed"));
    }

    #[test]
    fn content_of_another_shape_is_kept_in_the_error() {
        let result: CallToolResult =
            serde_json::from_value(json!({"content": [], "structuredContent": {"a": 1}})).unwrap();
        let error = result.structured::<i64>().unwrap_err();
        assert_eq!(error.data().unwrap().get(), r#"{"a":1}"#);
        assert_eq!(CallToolResult::default().structured::<i64>().unwrap_err().kind(), ErrorKind::InvalidRequest);
    }

    #[test]
    fn y17_only_an_accepted_form_has_content() {
        let text = |result: ElicitResult| serde_json::to_value(result).unwrap();
        assert_eq!(
            text(ElicitResult::accept(json!({"a": 1})).unwrap()),
            json!({"action": "accept", "content": {"a": 1}})
        );
        assert_eq!(text(ElicitResult::decline()), json!({"action": "decline"}));
        assert_eq!(text(Elicited::Accept(()).into()), json!({"action": "accept"}));
        assert!(ElicitResult::accept([1]).is_err());
    }
}
