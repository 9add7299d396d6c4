//! The core's error for Swift, with every fact. The package makes its own enum of it.

use std::fmt;

use omniport::bridge::write_error;
use omniport::error::Error;

/// A failure inside the engine.
#[derive(Debug, uniffi::Error)]
pub enum Fault {
    /// The only case: UniFFI's errors are enums.
    Failed {
        /// JSON text: `{"kind", "code", "message", "data"?, "retry", "context"}`.
        facts: String,
    },
}

/// What a function that may fail returns.
pub type Result<T> = std::result::Result<T, Fault>;

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        let mut facts = Vec::with_capacity(160);
        write_error(&mut facts, &error);
        Self::Failed { facts: String::from_utf8_lossy(&facts).into_owned() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Failed { facts } = self;
        out.write_str(facts)
    }
}

impl std::error::Error for Fault {}
