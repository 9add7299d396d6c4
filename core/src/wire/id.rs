//! Request ids and progress tokens: a string or an integer, kept exactly.

use std::borrow::Cow;
use std::fmt;
use std::io::Write as _;

use serde::de::{self, DeserializeSeed, Deserializer, Visitor};

use super::shape::Text;
use super::write;
use crate::error::{Error, Result};

/// What matches a response to its request, or a progress notification to its call. The two kinds never compare equal:
/// `1` and `"1"` are two ids.
/// See <https://modelcontextprotocol.io/specification/2026-07-28/basic#requests>.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RequestId {
    /// An integer of `i64::MIN..=u64::MAX`.
    Int(i128),
    /// A string, by its value and not by how it was escaped.
    Str(Box<str>),
}

impl RequestId {
    /// Reads the JSON text of an id; a string may have `max_bytes` bytes.
    ///
    /// # Errors
    /// `-32600` for anything that is no string or integer, for an integer that 64 bits do not hold, and for a longer
    /// string (naming the limit `token_bytes`: an id is echoed, so its size is not the peer's to choose).
    pub fn parse(raw: &str, max_bytes: usize) -> Result<Self> {
        let raw = raw.trim_matches([' ', '\t', '\r', '\n']);
        let refused = |what: &str| Error::invalid_request(format!("an id must be a string or an integer, not {what}"));
        match raw.as_bytes().first() {
            Some(b'"') => {
                let Ok(Text(text)) = serde_json::from_str(raw) else { return Err(refused("a broken string")) };
                Self::bounded(text, max_bytes)
            }
            Some(b'-' | b'0'..=b'9') => match serde_json::from_str::<serde_json::Number>(raw) {
                Ok(number) => match number.as_i128() {
                    // `-0` reads as a float: it could not be echoed as it came.
                    Some(int) => Ok(Self::Int(int)),
                    None => Err(refused("a fraction, an exponent or an integer beyond 64 bits")),
                },
                Err(_) => Err(refused("a broken number")),
            },
            Some(b'n') => Err(refused("null")),
            Some(b't' | b'f') => Err(refused("a boolean")),
            Some(b'[') => Err(refused("an array")),
            Some(b'{') => Err(refused("an object")),
            _ => Err(refused("nothing")),
        }
    }

    /// Appends the id as JSON.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            // The narrow types format several times faster than `i128`.
            Self::Int(int) => {
                let written = match (i64::try_from(*int), u64::try_from(*int)) {
                    (Ok(int), _) => write!(out, "{int}"),
                    (_, Ok(int)) => write!(out, "{int}"),
                    _ => write!(out, "{int}"),
                };
                debug_assert!(written.is_ok(), "a Vec takes every write");
            }
            Self::Str(text) => write::string(out, text),
        }
    }

    fn bounded(text: Cow<'_, str>, max_bytes: usize) -> Result<Self> {
        if text.len() > max_bytes {
            let message = format!("the id exceeds the limit `token_bytes` ({max_bytes})");
            return Err(Error::invalid_request(message).with("limit", "token_bytes"));
        }
        Ok(Self::Str(text.into()))
    }
}

impl fmt::Display for RequestId {
    /// As JSON: a string keeps its quotes, so that `1` and `"1"` differ in a log too.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = Vec::new();
        self.write(&mut out);
        f.write_str(&String::from_utf8_lossy(&out))
    }
}

/// Reads an `id` member inside the pass over the envelope; `None` is `null`, which only an error response may carry.
pub(super) struct IdSeed {
    pub(super) max_bytes: usize,
}

impl<'de> DeserializeSeed<'de> for IdSeed {
    type Value = Option<RequestId>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for IdSeed {
    type Value = Option<RequestId>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or an integer")
    }

    fn visit_i64<E>(self, int: i64) -> Result<Self::Value, E> {
        Ok(Some(RequestId::Int(int.into())))
    }

    fn visit_u64<E>(self, int: u64) -> Result<Self::Value, E> {
        Ok(Some(RequestId::Int(int.into())))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        RequestId::bounded(Cow::Borrowed(text), self.max_bytes).map(Some).map_err(E::custom)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use proptest::prelude::*;

    fn parse(raw: &str) -> Result<RequestId> {
        RequestId::parse(raw, 1024)
    }

    fn echo(raw: &str) -> String {
        parse(raw).unwrap().to_string()
    }

    #[test]
    fn w06_strings_stay_strings() {
        for raw in [r#""init-é-1""#, r#""0""#, r#""""#, r#""18446744073709551616""#, r#""a\"b\\c\n""#] {
            assert_eq!(echo(raw), raw);
        }
        assert_eq!(parse(r#""\u00e9\ud83d\ude42""#).unwrap(), RequestId::Str("é🙂".into()));
        assert_ne!(parse("1").unwrap(), parse(r#""1""#).unwrap());
    }

    #[test]
    fn w08_n43_integers_are_exact() {
        for raw in ["9007199254740993", "-1", "0", "4294967297", "18446744073709551615", "-9223372036854775808"] {
            assert_eq!(echo(raw), raw);
        }
    }

    #[test]
    fn w08_other_numbers_are_refused() {
        for raw in ["1.0", "1.5", "1e3", "1E3", "-0", "18446744073709551616", "-9223372036854775809", "1e400", "01"] {
            assert_eq!(parse(raw).unwrap_err().code(), -32600, "{raw}");
        }
    }

    #[test]
    fn other_types_are_named() {
        for (raw, word) in [("null", "null"), ("true", "boolean"), ("[1]", "array"), ("{}", "object"), ("", "nothing")]
        {
            let error = parse(raw).unwrap_err();
            assert!(error.message().contains(word), "{error}");
        }
        assert!(parse(r#""\ud800""#).is_err());
    }

    #[test]
    fn security_17_long_ids_are_refused() {
        let longest = format!("\"{}\"", "x".repeat(1024));
        assert_eq!(echo(&longest), longest);
        let error = parse(&format!("\"{}\"", "x".repeat(1025))).unwrap_err();
        assert_eq!((error.code(), error.fact("limit")), (-32600, Some("token_bytes")));
        // The value counts, not its spelling.
        assert!(parse(&format!("\"{}\"", "\\u0041".repeat(1024))).is_ok());
    }

    #[test]
    fn one_value_is_one_key() {
        let ids: HashSet<_> = [r#""a""#, r#""\u0061""#, "1", " 1 "].map(|raw| parse(raw).unwrap()).into();
        assert_eq!(ids.len(), 2);
    }

    proptest! {
        #[test]
        fn every_id_survives_writing_and_reading(text in ".*", int in i64::MIN as i128..=u64::MAX as i128) {
            for id in [RequestId::Str(text.as_str().into()), RequestId::Int(int)] {
                prop_assert_eq!(RequestId::parse(&id.to_string(), usize::MAX).unwrap(), id);
            }
        }
    }
}
