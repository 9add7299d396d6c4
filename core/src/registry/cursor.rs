//! Cursors: where a page starts, as a text that means nothing to its reader.
//! See <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination>.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::shelf::Kind;
use crate::error::{Error, Result};

/// The cursor of the page that starts at item `start`.
pub fn encode(kind: Kind, start: usize) -> String {
    URL_SAFE_NO_PAD.encode(format!("{}:{start}", kind.word()))
}

/// Where the page of a cursor starts; it must be one of this list and not beyond its `length`.
pub fn decode(kind: Kind, text: &str, length: usize) -> Result<usize> {
    let refused = || Error::invalid_params("`cursor` is not one that this list gave out");
    let plain = URL_SAFE_NO_PAD.decode(text).map_err(|_| refused())?;
    let plain = std::str::from_utf8(&plain).map_err(|_| refused())?;
    let start = plain.strip_prefix(kind.word()).and_then(|rest| rest.strip_prefix(':')).ok_or_else(refused)?;
    start.parse().ok().filter(|start| (1..=length).contains(start)).ok_or_else(refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t06_only_cursors_of_the_same_list_are_accepted() {
        let cursor = encode(Kind::Tools, 5);
        assert_eq!(decode(Kind::Tools, &cursor, 9).unwrap(), 5);
        assert_eq!(decode(Kind::Tools, &cursor, 4).unwrap_err().code(), -32602);
        assert!(decode(Kind::Prompts, &cursor, 9).is_err());
        for wrong in ["", "5", "!!", "dG9vbHM6LTE"] {
            assert!(decode(Kind::Tools, wrong, 9).is_err(), "{wrong}");
        }
    }
}
