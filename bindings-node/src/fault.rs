//! The core's error as a JavaScript error, whose message is JSON text with every fact. The package makes one class per kind of it.

use napi::Error;
use omniport::bridge::write_error;

/// Marks errors that the package takes apart.
const CODE: &str = "OmniportFault";

/// A failure of ours as it is thrown.
pub type Thrown = Error<&'static str>;

/// What a function that may fail returns.
pub type Result<T> = std::result::Result<T, Thrown>;

/// The error to throw.
pub fn thrown(error: omniport::error::Error) -> Thrown {
    let mut facts = Vec::with_capacity(160);
    write_error(&mut facts, &error);
    Error::new(CODE, String::from_utf8_lossy(&facts).into_owned())
}
