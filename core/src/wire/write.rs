//! Appends JSON-RPC messages to a buffer. What is already JSON is spliced, never parsed again.
//!
//! Spliced text is taken as it is; whoever frames by lines passes the message through [`one_line`](super::raw::one_line)
//! first.

use std::io::Write as _;

use super::RequestId;
use crate::error::Error;

/// A result response; `parts` appends the result.
pub fn result(out: &mut Vec<u8>, id: &RequestId, parts: impl FnOnce(&mut Vec<u8>)) {
    result_open(out, id);
    parts(out);
    close(out);
}

/// The start of a result response, up to where the result's value goes. [`close`] ends it.
pub fn result_open(out: &mut Vec<u8>, id: &RequestId) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    id.write(out);
    out.extend_from_slice(br#","result":"#);
}

/// An error response; without an id where it could not be read: the protocol's schemas know no `null` there.
pub fn error(out: &mut Vec<u8>, id: Option<&RequestId>, error: &Error) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0""#);
    if let Some(id) = id {
        out.extend_from_slice(br#","id":"#);
        id.write(out);
    }
    out.extend_from_slice(br#","error":"#);
    error_object(out, error);
    close(out);
}

/// The error object alone: `code`, `message` and, if the error has it, `data`.
pub fn error_object(out: &mut Vec<u8>, error: &Error) {
    out.extend_from_slice(br#"{"code":"#);
    int(out, error.code());
    member_string(out, "message", error.message());
    if let Some(data) = error.data() {
        member(out, "data", data.get().as_bytes());
    }
    close(out);
}

/// A request; `params` is the JSON text of an object.
pub fn request(out: &mut Vec<u8>, id: &RequestId, method: &str, params: Option<&[u8]>) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    id.write(out);
    method_and_params(out, method, params);
    close(out);
}

/// A request whose `params` are written by a function.
pub fn request_with(out: &mut Vec<u8>, id: &RequestId, method: &str, params: impl FnOnce(&mut Vec<u8>)) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    id.write(out);
    method_and_params(out, method, Some(b""));
    params(out);
    close(out);
}

/// A notification; `params` is the JSON text of an object.
pub fn notification(out: &mut Vec<u8>, method: &str, params: Option<&[u8]>) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0""#);
    method_and_params(out, method, params);
    close(out);
}

/// A notification whose `params` are written by a function.
pub fn notification_with(out: &mut Vec<u8>, method: &str, params: impl FnOnce(&mut Vec<u8>)) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0""#);
    method_and_params(out, method, Some(b""));
    params(out);
    close(out);
}

/// Ends an object, or a message that [`result_open`] began.
pub fn close(out: &mut Vec<u8>) {
    out.push(b'}');
}

fn method_and_params(out: &mut Vec<u8>, method: &str, params: Option<&[u8]>) {
    member_string(out, "method", method);
    if let Some(params) = params {
        member(out, "params", params);
    }
}

/// The name of a member of the object that `out` ends in, with the comma before it if one is due.
pub fn key(out: &mut Vec<u8>, name: &str) {
    // Text that ends in an open brace is an empty object: inside a string a quote would still follow.
    if out.last() != Some(&b'{') {
        out.push(b',');
    }
    string(out, name);
    out.push(b':');
}

/// A member whose value is JSON already.
pub fn member(out: &mut Vec<u8>, name: &str, json: &[u8]) {
    key(out, name);
    out.extend_from_slice(json);
}

/// A member whose value is a string.
pub fn member_string(out: &mut Vec<u8>, name: &str, text: &str) {
    key(out, name);
    string(out, text);
}

/// A number that is finite; whole ones without a fraction.
pub fn number(out: &mut Vec<u8>, value: f64) {
    let written = match value.fract() == 0.0 && value.abs() < 1e15 {
        true => write!(out, "{}", value as i64),
        false => write!(out, "{value}"),
    };
    debug_assert!(written.is_ok(), "a Vec takes every write");
}

/// An integer.
pub fn int(out: &mut Vec<u8>, value: i64) {
    let written = write!(out, "{value}");
    debug_assert!(written.is_ok(), "a Vec takes every write");
}

/// A JSON string. Only what JSON demands is escaped: quote, backslash and control characters. Everything else,
/// U+2028 and its like included, goes as the UTF-8 it is (W18).
pub fn string(out: &mut Vec<u8>, text: &str) {
    let mut rest = text.as_bytes();
    out.reserve(rest.len() + 2);
    out.push(b'"');
    while let Some(at) = next_escape(rest) {
        out.extend_from_slice(&rest[..at]);
        escape(out, rest[at]);
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

fn escape(out: &mut Vec<u8>, byte: u8) {
    let short = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0C => b'f',
        _ => {
            const HEX: &[u8; 16] = b"0123456789abcdef";
            out.extend_from_slice(b"\\u00");
            out.extend_from_slice(&[HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

/// The first byte that needs an escape, looked for eight bytes at a time.
fn next_escape(text: &[u8]) -> Option<usize> {
    let (words, tail) = text.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let marks = escape_marks(u64::from_le_bytes(*word));
        if marks != 0 {
            return Some(index * 8 + marks.trailing_zeros() as usize / 8);
        }
    }
    let found = tail.iter().position(|byte| matches!(byte, 0..0x20 | b'"' | b'\\'))?;
    Some(words.len() * 8 + found)
}

/// Sets the high bit of each byte that needs an escape. A borrow may mark further bytes, but only above a right one, so
/// the lowest mark is exact.
fn escape_marks(word: u64) -> u64 {
    const ONES: u64 = u64::MAX / 255;
    let below = |word: u64, bound: u8| word.wrapping_sub(ONES * u64::from(bound)) & !word;
    let equal = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    (below(word, 0x20) | equal(b'"') | equal(b'\\')) & (ONES * 0x80)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::value::RawValue;

    fn written(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn messages_are_compact() {
        let id = RequestId::Str("a\"".into());
        assert_eq!(
            written(|out| result(out, &id, |out| out.extend_from_slice(br#"{"n":1.00}"#))),
            r#"{"jsonrpc":"2.0","id":"a\"","result":{"n":1.00}}"#
        );
        assert_eq!(
            written(|out| request(out, &RequestId::Int(-1), "ping", None)),
            r#"{"jsonrpc":"2.0","id":-1,"method":"ping"}"#
        );
        assert_eq!(
            written(|out| notification(out, "n/x", Some(b"{}"))),
            r#"{"jsonrpc":"2.0","method":"n/x","params":{}}"#
        );
        let open = written(|out| {
            request_with(out, &RequestId::Int(2), "m", |out| {
                out.push(b'{');
                member(out, "a", b"1");
                member_string(out, "b", "{");
                member(out, "c", b"null");
                close(out);
            });
        });
        assert_eq!(open, r#"{"jsonrpc":"2.0","id":2,"method":"m","params":{"a":1,"b":"{","c":null}}"#);
        let open = written(|out| {
            notification_with(out, "m", |out| out.extend_from_slice(b"{}"));
        });
        assert_eq!(open, r#"{"jsonrpc":"2.0","method":"m","params":{}}"#);
    }

    #[test]
    fn w26_errors_carry_code_message_and_data() {
        let data = RawValue::from_string("[1.0]".into()).unwrap();
        let failure = Error::invalid_params("no \"x\"").with_data(data);
        assert_eq!(
            written(|out| error(out, Some(&RequestId::Int(7)), &failure)),
            r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no \"x\"","data":[1.0]}}"#
        );
        assert_eq!(
            written(|out| error(out, None, &Error::parse("bad"))),
            r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"bad"}}"#
        );
    }

    #[test]
    fn w18_line_separators_pass_unchanged() {
        let text = "a\u{2028}b\u{2029}c\u{85}d\u{7f}";
        assert_eq!(written(|out| string(out, text)), format!("\"{text}\""));
        assert_eq!(
            written(|out| string(out, "\u{b}\u{0}\u{1f}\n\r\t\u{8}\u{c}/")),
            r#""\u000b\u0000\u001f\n\r\t\b\f/""#
        );
    }

    proptest! {
        #[test]
        fn strings_equal_those_of_serde(text in "[\\x00-\\x7f\u{80}-\u{2fff}]{0,80}") {
            prop_assert_eq!(written(|out| string(out, &text)), serde_json::to_string(&text).unwrap());
        }
    }
}
