//! Handlers of any type, behind one: JSON text in, JSON text out, decoded straight into the user's types.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::content::{IntoCompletion, IntoContents, IntoPrompt};
use super::context::Context;
use super::error::ToolError;
use super::request::{Headers, Principal, Variables};
use super::result::IntoToolResult;

/// A running handler: its result as JSON text.
pub(super) type HandlerFuture = Pin<Box<dyn Future<Output = Result<String, ToolError>> + Send>>;

/// A handler as the runner keeps it.
pub(super) type Handler = Arc<dyn Fn(&[u8], Context) -> HandlerFuture + Send + Sync>;

/// A handler whose input cannot be read.
fn refused(error: ToolError) -> HandlerFuture {
    Box::pin(std::future::ready(Err(error)))
}

/// What is wrong with a tool's arguments, for the model that wrote them.
fn wrong_arguments(name: &str, error: &serde_json::Error) -> ToolError {
    ToolError::new(format!("Invalid arguments for tool \"{name}\": {error}"))
}

pub(super) fn tool<A, R, F, Fut>(name: &str, run: F) -> Handler
where
    A: DeserializeOwned,
    R: IntoToolResult,
    F: Fn(A, Context) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<R, ToolError>> + Send + 'static,
{
    let name: Box<str> = name.into();
    Arc::new(move |text, cx| match serde_json::from_slice(text) {
        Ok(arguments) => {
            let result = run(arguments, cx);
            Box::pin(async move { result.await?.into_tool_result() })
        }
        Err(error) => refused(wrong_arguments(&name, &error)),
    })
}

#[cfg(feature = "schemars")]
pub(super) fn blocking_tool<A, R, F>(name: &str, run: F) -> Handler
where
    A: DeserializeOwned + Send + 'static,
    R: IntoToolResult,
    F: Fn(A, Context) -> Result<R, ToolError> + Send + Sync + 'static,
{
    let name: Box<str> = name.into();
    let run = Arc::new(run);
    Arc::new(move |text, cx| match serde_json::from_slice::<A>(text) {
        Ok(arguments) => {
            let run = Arc::clone(&run);
            Box::pin(async move {
                let work = tokio::task::spawn_blocking(move || run(arguments, cx)?.into_tool_result());
                work.await.unwrap_or_else(|error| {
                    let what = if error.is_panic() { "panicked" } else { "was stopped" };
                    Err(ToolError::internal(format!("the handler {what}")))
                })
            })
        }
        Err(error) => refused(wrong_arguments(&name, &error)),
    })
}

#[derive(Deserialize)]
struct ResourceInput {
    uri: String,
}

pub(super) fn resource<R, F, Fut>(mime_type: Option<&str>, run: F) -> Handler
where
    R: IntoContents,
    F: Fn(String, Context) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<R, ToolError>> + Send + 'static,
{
    let mime_type: Option<Arc<str>> = mime_type.map(Into::into);
    Arc::new(move |text, cx| match serde_json::from_slice::<ResourceInput>(text) {
        Ok(input) => contents(input.uri.clone(), mime_type.clone(), run(input.uri, cx)),
        Err(error) => refused(error.into()),
    })
}

pub(super) fn template<R, F, Fut>(mime_type: Option<&str>, run: F) -> Handler
where
    R: IntoContents,
    F: Fn(Variables, Context) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<R, ToolError>> + Send + 'static,
{
    let mime_type: Option<Arc<str>> = mime_type.map(Into::into);
    Arc::new(move |text, cx| match serde_json::from_slice::<Variables>(text) {
        Ok(variables) => contents(variables.uri().to_owned(), mime_type.clone(), run(variables, cx)),
        Err(error) => refused(error.into()),
    })
}

fn contents<R: IntoContents>(
    uri: String,
    mime_type: Option<Arc<str>>,
    result: impl Future<Output = Result<R, ToolError>> + Send + 'static,
) -> HandlerFuture {
    Box::pin(async move { write(&result.await?.into_contents(&uri, mime_type.as_deref())?) })
}

pub(super) fn prompt<A, R, F, Fut>(name: &str, run: F) -> Handler
where
    A: DeserializeOwned,
    R: IntoPrompt,
    F: Fn(A, Context) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<R, ToolError>> + Send + 'static,
{
    let name: Box<str> = name.into();
    Arc::new(move |text, cx| match serde_json::from_slice(text) {
        Ok(arguments) => {
            let result = run(arguments, cx);
            Box::pin(async move { write(&result.await?.into_prompt()) })
        }
        Err(error) => {
            let text = format!("Invalid arguments for prompt \"{name}\": {error}");
            refused(ToolError::protocol(crate::error::ErrorKind::InvalidParams.code(), text, ()))
        }
    })
}

#[derive(Deserialize)]
struct CompletionInput {
    value: String,
    arguments: BTreeMap<String, String>,
}

pub(super) fn completion<R, F, Fut>(run: F) -> Handler
where
    R: IntoCompletion,
    F: Fn(String, BTreeMap<String, String>, Context) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<R, ToolError>> + Send + 'static,
{
    Arc::new(move |text, cx| match serde_json::from_slice::<CompletionInput>(text) {
        Ok(input) => {
            let result = run(input.value, input.arguments, cx);
            Box::pin(async move { write(&result.await?.into_completion()) })
        }
        Err(error) => {
            refused(ToolError::protocol(crate::error::ErrorKind::InvalidParams.code(), error.to_string(), ()))
        }
    })
}

#[derive(Deserialize)]
struct CheckInput {
    headers: Headers,
}

/// The check of who sends a request. Whatever is not a principal is a refusal.
pub(super) fn check<F, Fut>(run: F) -> Handler
where
    F: Fn(Headers) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Option<Principal>> + Send + 'static,
{
    Arc::new(move |text, _| match serde_json::from_slice::<CheckInput>(text) {
        Ok(input) => {
            let found = run(input.headers);
            Box::pin(async move { write(&found.await.ok_or_else(|| ToolError::new("not authenticated"))?) })
        }
        Err(error) => refused(error.into()),
    })
}

fn write(result: &impl Serialize) -> Result<String, ToolError> {
    Ok(serde_json::to_string(result)?)
}
