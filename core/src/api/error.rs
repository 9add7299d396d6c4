//! What a handler fails with, and who may read it.

use std::any::Any;
use std::fmt;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::engine::{Failure, FailureKind};
use crate::error::{Error, ErrorKind};

/// The failure of a handler.
///
/// Who reads it depends on how it was made:
///
/// - [`ToolError::new`]: a text for the model, in a tool result with `isError`. Never masked. Say what to do differently.
/// - `?` on any [`std::error::Error`]: a fault nobody meant. Over HTTP its text stays in the server
///   (see [`Server::mask_errors`](super::Server::mask_errors)); over a pipe the client reads it.
/// - [`ToolError::protocol`]: a JSON-RPC error with a code of your own.
/// - [`ToolError::not_found`]: what was named does not exist after all.
///
/// It does not implement [`std::error::Error`] itself, so that `?` takes every error that does.
pub struct ToolError(Box<Failure>);

impl ToolError {
    /// A text for the model (for prompts and resources: for the client).
    pub fn new(message: impl Into<String>) -> Self {
        Self::of(FailureKind::Tool, message)
    }

    /// A fault nobody meant; its text may be masked.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::of(FailureKind::Internal, message)
    }

    /// The tool, prompt or resource that was named does not exist.
    pub fn not_found() -> Self {
        Self::of(FailureKind::NotFound, "")
    }

    /// A JSON-RPC error. `data` becomes its `data` member unless it is `null` or cannot be written as JSON.
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes>.
    pub fn protocol(code: i64, message: impl Into<String>, data: impl Serialize) -> Self {
        let mut error = Self::of(FailureKind::Protocol, message);
        error.0.code = Some(code);
        error.0.data = serde_json::value::to_raw_value(&data).ok().filter(|data| data.get() != "null");
        error
    }

    fn of(kind: FailureKind, message: impl Into<String>) -> Self {
        Self(Box::new(Failure { kind, message: message.into(), code: None, data: None }))
    }

    /// The text.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    pub(super) fn into_failure(self) -> Failure {
        *self.0
    }

    /// What the engine itself says is safe to show, and a missing capability has a code of its own (`-32021`).
    fn of_engine(error: &Error) -> Self {
        match error.kind() {
            ErrorKind::MissingCapability => {
                let data: Option<&RawValue> = error.data();
                Self::protocol(error.code(), error.message(), data)
            }
            ErrorKind::Timeout
            | ErrorKind::Closed
            | ErrorKind::Cancelled
            | ErrorKind::InvalidParams
            | ErrorKind::Limit => Self::new(error.message()),
            _ => Self::internal(error.to_string()),
        }
    }
}

impl<E: std::error::Error + Send + Sync + 'static> From<E> for ToolError {
    fn from(error: E) -> Self {
        if let Some(error) = (&error as &dyn Any).downcast_ref::<Error>() {
            return Self::of_engine(error);
        }
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            message.push_str(": ");
            message.push_str(&error.to_string());
            cause = error.source();
        }
        Self::internal(message)
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fails(error: impl Into<ToolError>) -> Failure {
        error.into().into_failure()
    }

    #[test]
    fn a_foreign_error_is_internal_and_tells_its_causes() {
        let cause = std::io::Error::other("disk full");
        let failure = fails(Error::internal("cannot save").caused_by(cause));
        assert_eq!((failure.kind, &*failure.message), (FailureKind::Internal, "cannot save"));
        let failure = fails(std::io::Error::other(Error::parse("inner").caused_by(std::io::Error::other("root"))));
        assert_eq!(failure.message, "inner: root");
    }

    #[test]
    fn a_missing_capability_keeps_its_code_and_data() {
        let data = RawValue::from_string(r#"{"requiredCapabilities":{}}"#.to_owned()).unwrap();
        let failure = fails(Error::new(ErrorKind::MissingCapability, "no").with_data(data));
        assert_eq!((failure.kind, failure.code), (FailureKind::Protocol, Some(-32021)));
        assert_eq!(failure.data.unwrap().get(), r#"{"requiredCapabilities":{}}"#);
    }
}
