//! The core's error for Swift, with every fact. The package makes its own enum of it.

use std::collections::HashMap;
use std::fmt;

use omniport::error::Error;

/// A failure inside the engine.
#[derive(Debug, uniffi::Error)]
pub enum Fault {
    /// The only case: UniFFI's errors are enums.
    Failed {
        /// The word of the kind: "closed", "limit", ...
        kind: String,
        /// The JSON-RPC code.
        code: i64,
        /// What failed, in words.
        message: String,
        /// JSON text.
        data: Option<String>,
        /// Whether the same request may succeed later.
        retry: bool,
        /// Named facts: `status`, `exit`, `stderr`, `limit`, ...
        context: HashMap<String, String>,
    },
}

/// What a function that may fail returns.
pub type Result<T> = std::result::Result<T, Fault>;

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        let context = error.context().iter().map(|(name, fact)| ((*name).to_owned(), fact.to_string())).collect();
        Self::Failed {
            kind: error.kind().word().to_owned(),
            code: error.code(),
            message: error.message().to_owned(),
            data: error.data().map(|data| data.get().to_owned()),
            retry: error.can_retry(),
            context,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Failed { message, .. } = self;
        out.write_str(message)
    }
}

impl std::error::Error for Fault {}
