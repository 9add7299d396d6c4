//! What handlers of resources, prompts and completions may return.

use base64::Engine as _;
use bytes::Bytes;
use serde::Serialize;

use super::error::ToolError;
use super::result::Json;
use crate::types;

/// A value that becomes the contents of a resource. What it leaves open is filled in: the URI with the one that was asked for, the
/// media type with the one the resource was registered with.
pub trait IntoContents {
    /// The contents.
    ///
    /// # Errors
    /// When the value cannot be written as JSON.
    fn into_contents(self, uri: &str, mime_type: Option<&str>) -> Result<types::ReadResourceResult, ToolError>;
}

/// One part of a resource, as text or as bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceContent {
    data: Data,
    mime_type: Option<String>,
    uri: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Data {
    Text(String),
    Blob(Bytes),
}

impl ResourceContent {
    /// Text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { data: Data::Text(text.into()), mime_type: None, uri: None }
    }

    /// Bytes; they travel as base64.
    pub fn blob(bytes: impl Into<Bytes>) -> Self {
        Self { data: Data::Blob(bytes.into()), mime_type: None, uri: None }
    }

    /// Sets the media type, where it is not the one the resource was registered with.
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    /// Sets the URI, for one part of several.
    pub fn uri(mut self, uri: impl Into<String>) -> Self {
        self.uri = Some(uri.into());
        self
    }

    fn build(self, uri: &str, mime_type: Option<&str>) -> types::ResourceContents {
        let uri = self.uri.unwrap_or_else(|| uri.to_owned());
        let mime_type = self.mime_type.or_else(|| mime_type.map(ToOwned::to_owned));
        match self.data {
            Data::Text(text) => {
                let mut contents = types::TextResourceContents::new(text, uri);
                contents.mime_type = mime_type;
                contents.into()
            }
            Data::Blob(bytes) => {
                let blob = base64::engine::general_purpose::STANDARD.encode(&bytes);
                let mut contents = types::BlobResourceContents::new(blob, uri);
                contents.mime_type = mime_type;
                contents.into()
            }
        }
    }
}

impl IntoContents for Vec<ResourceContent> {
    fn into_contents(self, uri: &str, mime_type: Option<&str>) -> Result<types::ReadResourceResult, ToolError> {
        let contents = self.into_iter().map(|content| content.build(uri, mime_type)).collect();
        Ok(types::ReadResourceResult::new(contents))
    }
}

impl IntoContents for ResourceContent {
    fn into_contents(self, uri: &str, mime_type: Option<&str>) -> Result<types::ReadResourceResult, ToolError> {
        vec![self].into_contents(uri, mime_type)
    }
}

impl IntoContents for types::ReadResourceResult {
    /// How long it may be kept is for [`ResourceSpec::cache`](super::ResourceSpec::cache) to say.
    fn into_contents(self, _: &str, _: Option<&str>) -> Result<Self, ToolError> {
        Ok(Self { result_type: None, ttl_ms: None, cache_scope: None, ..self })
    }
}

impl<T: Serialize> IntoContents for Json<T> {
    fn into_contents(self, uri: &str, mime_type: Option<&str>) -> Result<types::ReadResourceResult, ToolError> {
        let text = serde_json::to_string(&self.0)?;
        ResourceContent::text(text).into_contents(uri, mime_type.or(Some("application/json")))
    }
}

/// Text and bytes stand for their one content.
macro_rules! contents {
    ($($type:ty => $make:ident),+) => {
        $(impl IntoContents for $type {
            fn into_contents(self, uri: &str, mime_type: Option<&str>) -> Result<types::ReadResourceResult, ToolError> {
                ResourceContent::$make(self).into_contents(uri, mime_type)
            }
        })+
    };
}

contents!(String => text, &'static str => text, Vec<u8> => blob, Bytes => blob);

/// A value that becomes the result of a prompt: a text is one message of the user.
pub trait IntoPrompt {
    /// The result.
    fn into_prompt(self) -> types::GetPromptResult;
}

impl IntoPrompt for types::GetPromptResult {
    fn into_prompt(self) -> types::GetPromptResult {
        Self { result_type: None, ..self }
    }
}

impl IntoPrompt for Vec<types::PromptMessage> {
    fn into_prompt(self) -> types::GetPromptResult {
        types::GetPromptResult::new(self)
    }
}

impl<const N: usize> IntoPrompt for [types::PromptMessage; N] {
    fn into_prompt(self) -> types::GetPromptResult {
        Vec::from(self).into_prompt()
    }
}

impl IntoPrompt for types::PromptMessage {
    fn into_prompt(self) -> types::GetPromptResult {
        vec![self].into_prompt()
    }
}

impl IntoPrompt for String {
    fn into_prompt(self) -> types::GetPromptResult {
        user(self).into_prompt()
    }
}

impl IntoPrompt for &str {
    fn into_prompt(self) -> types::GetPromptResult {
        self.to_owned().into_prompt()
    }
}

/// A message of the user.
pub fn user(text: impl Into<String>) -> types::PromptMessage {
    types::PromptMessage::new(types::TextContent::new(text), types::Role::User)
}

/// A message of the model.
pub fn assistant(text: impl Into<String>) -> types::PromptMessage {
    types::PromptMessage::new(types::TextContent::new(text), types::Role::Assistant)
}

/// A value that becomes the suggestions for an argument. Of more than a hundred values the first hundred are sent.
pub trait IntoCompletion {
    /// The suggestions.
    fn into_completion(self) -> types::CompleteResultCompletion;
}

impl IntoCompletion for types::CompleteResultCompletion {
    fn into_completion(self) -> types::CompleteResultCompletion {
        self
    }
}

impl<S: Into<String>> IntoCompletion for Vec<S> {
    fn into_completion(self) -> types::CompleteResultCompletion {
        types::CompleteResultCompletion::new(self.into_iter().map(Into::into).collect())
    }
}
