//! Why a run is worth nothing.

use std::fmt;

/// One sentence for a person; there is nothing to handle, the run just ends.
#[derive(Debug)]
pub struct Fault(pub String);

pub type Result<T> = std::result::Result<T, Fault>;

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl From<std::io::Error> for Fault {
    fn from(error: std::io::Error) -> Fault {
        Fault(error.to_string())
    }
}
