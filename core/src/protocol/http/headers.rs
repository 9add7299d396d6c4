//! Values of HTTP headers: the Base64 form of mirrored ones, media types, and what a peer accepts.
//!
//! See <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding>.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::error::{Error, ErrorKind, Result};

const PREFIX: &str = "=?base64?";
const SUFFIX: &str = "?=";

/// The header value for a text of `Mcp-Name` or `Mcp-Param-*`: the text itself where it is a plain header value, else its Base64 form.
pub fn encode(text: &str) -> Cow<'_, str> {
    let padded = text.starts_with(' ') || text.ends_with(' ');
    // A tab is legal in a header value, but some readers count it among the control characters.
    let plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if plain && !padded && !is_marked(text) {
        return Cow::Borrowed(text);
    }
    let mut header = String::with_capacity(PREFIX.len() + text.len() * 4 / 3 + 4 + SUFFIX.len());
    header.push_str(PREFIX);
    STANDARD.encode_string(text, &mut header);
    header.push_str(SUFFIX);
    Cow::Owned(header)
}

/// The text that a header value stands for. Blanks around the value belong to HTTP, not to the text.
///
/// # Errors
/// `HeaderMismatch` for a character that no header value may have, and for a Base64 form that is not exact (alphabet, padding,
/// unused bits) or not UTF-8: a lenient reader and a strict one would see different names.
pub fn decode(header: &str) -> Result<Cow<'_, str>> {
    let header = header.trim_matches([' ', '\t']);
    if !header.bytes().all(is_plain) {
        return Err(invalid("holds a character that must be Base64-encoded"));
    }
    if !is_marked(header) {
        return Ok(Cow::Borrowed(header));
    }
    let inside = header.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX));
    let bytes = STANDARD.decode(inside.ok_or_else(|| invalid("is marked as Base64 and holds none"))?);
    let bytes = bytes.map_err(|error| invalid("is not valid Base64").caused_by(error))?;
    String::from_utf8(bytes).map(Cow::Owned).map_err(|error| invalid("is not UTF-8 inside its Base64").caused_by(error))
}

/// Whether a header value stands for this text of the body. A malformed one stands for nothing. Values are case-sensitive.
pub fn matches(header: &str, body: &str) -> bool {
    decode(header).is_ok_and(|text| text == body)
}

/// Visible ASCII, space and tab.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\t')
}

fn is_marked(text: &str) -> bool {
    text.starts_with(PREFIX) && text.ends_with(SUFFIX)
}

fn invalid(why: &str) -> Error {
    Error::new(ErrorKind::HeaderMismatch, format!("header value {why}"))
}

/// Whether a `Content-Type` says JSON. Parameters do not matter; a list of types says nothing.
pub fn is_json(content_type: Option<&str>) -> bool {
    content_type.is_some_and(|value| value == "application/json" || is_media_type(value, "application", "json"))
}

/// Whether a `Content-Type` says server-sent events.
pub fn is_event_stream(content_type: Option<&str>) -> bool {
    content_type.is_some_and(|value| is_media_type(value, "text", "event-stream"))
}

/// Compares the type before the parameters and nothing after: `text/plain; note=application/json` is plain text, and a form that a
/// browser may send without asking (N05, security 5).
fn is_media_type(value: &str, kind: &str, subtype: &str) -> bool {
    essence(value).is_some_and(|(a, b)| a.eq_ignore_ascii_case(kind) && b.eq_ignore_ascii_case(subtype))
}

fn essence(value: &str) -> Option<(&str, &str)> {
    let (kind, subtype) = value.split(';').next()?.trim_matches([' ', '\t']).split_once('/')?;
    Some((kind, subtype))
}

/// The answers that a client can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accepts {
    /// `application/json`.
    pub json: bool,
    /// `text/event-stream`.
    pub sse: bool,
}

/// Reads `Accept`: wildcards count, the most specific range decides, `q=0` refuses (N53). Without the header everything is accepted.
/// Several `Accept` headers are to be joined with commas first.
pub fn accepts(accept: Option<&str>) -> Accepts {
    let Some(accept) = accept else { return Accepts { json: true, sse: true } };
    // What nearly every client sends: to parse it took an eighth of a request.
    if matches!(accept, "application/json, text/event-stream" | "text/event-stream, application/json") {
        return Accepts { json: true, sse: true };
    }
    let (mut json, mut sse) = (Range::default(), Range::default());
    for element in elements(accept) {
        let Some((kind, subtype)) = essence(element) else { continue };
        let wanted = !is_refused(element);
        json.see(kind, subtype, ("application", "json"), wanted);
        sse.see(kind, subtype, ("text", "event-stream"), wanted);
    }
    Accepts { json: json.wanted, sse: sse.wanted }
}

/// What the most specific range said so far: 1 for `*/*`, 2 for `type/*`, 3 for the type itself.
#[derive(Default)]
struct Range {
    precision: u8,
    wanted: bool,
}

impl Range {
    fn see(&mut self, kind: &str, subtype: &str, of: (&str, &str), wanted: bool) {
        let precision = match (kind, subtype) {
            ("*", "*") => 1,
            (kind, "*") if kind.eq_ignore_ascii_case(of.0) => 2,
            (kind, subtype) if kind.eq_ignore_ascii_case(of.0) && subtype.eq_ignore_ascii_case(of.1) => 3,
            _ => return,
        };
        if precision > self.precision {
            *self = Self { precision, wanted };
        } else if precision == self.precision {
            self.wanted |= wanted;
        }
    }
}

/// The elements of a comma list; a comma in quotes separates nothing.
fn elements(list: &str) -> impl Iterator<Item = &str> {
    let (mut quoted, mut escaped) = (false, false);
    list.split(move |c| {
        let ends = c == ',' && !quoted;
        quoted ^= c == '"' && !escaped;
        escaped = quoted && c == '\\' && !escaped;
        ends
    })
}

fn is_refused(element: &str) -> bool {
    let quality = element.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim_matches([' ', '\t']).eq_ignore_ascii_case("q").then(|| value.trim_matches([' ', '\t']))
    });
    quality.is_some_and(|value| value.starts_with('0') && value[1..].bytes().all(|byte| matches!(byte, b'.' | b'0')))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn encodes_the_examples_of_the_specification() {
        for (text, header) in [
            ("us-west1", "us-west1"),
            ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
            ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
            ("", ""),
            ("a b\tc", "=?base64?YSBiCWM=?="),
            ("=?base64?open", "=?base64?open"),
            ("=?BASE64?x?=", "=?BASE64?x?="),
        ] {
            assert_eq!(encode(text), header);
            assert_eq!(decode(header).unwrap(), text);
        }
        assert!(encode("=?base64?=").starts_with("=?base64?PT"));
    }

    #[test]
    fn refuses_forms_that_readers_could_read_differently() {
        for header in [
            "=?base64?SGVsbG8?=",
            "=?base64?SGVs!!!bG8=?=",
            "=?base64?SGVsbG9=?=",
            "=?base64?SGVs bG8=?=",
            "=?base64?/w==?=",
            "=?base64?=",
            "café",
            "a\r\nb",
            "a\0",
        ] {
            assert_eq!(decode(header).unwrap_err().kind(), ErrorKind::HeaderMismatch, "{header:?}");
            assert!(!matches(header, header));
        }
    }

    #[test]
    fn security_49_compares_the_decoded_value_exactly() {
        assert!(matches("=?base64?SGVsbG8=?=", "Hello"));
        assert!(matches(" safe ", "safe") && matches("a\tb", "a\tb"));
        assert!(!matches("safe", "danger") && !matches("Safe", "safe"));
        assert!(!matches("=?base64?SGVsbG8=?=", "=?base64?SGVsbG8=?="));
    }

    #[test]
    fn n05_reads_the_media_type_and_not_its_parameters() {
        for json in ["application/json", "Application/JSON; charset=utf-8", " application/json ;x=y"] {
            assert!(is_json(Some(json)), "{json}");
        }
        for other in [
            "text/plain; note=application/json",
            "application/json, text/plain",
            "application/jsonx",
            "json",
            "",
            "text/application/json",
        ] {
            assert!(!is_json(Some(other)), "{other}");
        }
        assert!(!is_json(None));
        assert!(is_event_stream(Some("text/event-stream;charset=UTF-8")) && !is_event_stream(Some("text/plain")));
    }

    #[test]
    fn n53_reads_accept_with_wildcards_and_refusals() {
        for (accept, json, sse) in [
            ("application/json, text/event-stream", true, true),
            ("*/*", true, true),
            ("application/*;q=0.5", true, false),
            ("text/*, APPLICATION/JSON", true, true),
            ("*/*, text/event-stream;q=0", true, false),
            ("text/event-stream;Q=0.000, */*;q=0.1", true, false),
            ("application/json;note=\"a,text/event-stream\"", true, false),
            ("application/json;q=0", false, false),
            ("text/html", false, false),
            ("", false, false),
        ] {
            assert_eq!(accepts(Some(accept)), Accepts { json, sse }, "{accept}");
        }
        assert_eq!(accepts(None), Accepts { json: true, sse: true });
    }

    proptest! {
        #[test]
        fn every_text_survives_the_header(text in any::<String>()) {
            let header = encode(&text);
            prop_assert!(header.bytes().all(is_plain));
            prop_assert_eq!(decode(&header).unwrap(), text.as_str());
            prop_assert!(matches(&header, &text));
        }

        #[test]
        fn texts_near_the_marks_survive_too(text in "(=\\?base64\\?|\\?=|[ a=?\t\n]){0,5}") {
            let header = encode(&text);
            prop_assert_eq!(decode(&header).unwrap(), text.as_str());
        }

        #[test]
        fn any_header_is_read_without_a_panic(header in any::<String>()) {
            let _ = (decode(&header), accepts(Some(&header)), is_json(Some(&header)));
        }
    }
}
