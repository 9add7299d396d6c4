//! Checks of a whole message text that its parse does not make, because the parse skips what stays raw.

use memchr::{memchr, memchr2, memchr2_iter};

/// The text without the byte order mark that some writers put first.
pub(super) fn strip_bom(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text)
}

/// Whether arrays and objects nest deeper than `limit`.
///
/// Most messages have fewer brackets than the limit in all, and one vectorised count settles them; only the others are
/// walked with regard to strings.
pub(super) fn deeper_than(text: &[u8], limit: usize) -> bool {
    if memchr2_iter(b'[', b'{', text).nth(limit).is_none() {
        return false;
    }
    let (mut at, mut depth) = (0, 0usize);
    while let Some(byte) = text.get(at) {
        at += 1;
        match byte {
            b'"' => at = string_end(text, at),
            b'[' | b'{' if depth == limit => return true,
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

/// The index behind the closing quote of the string whose content starts at `at`.
pub(super) fn string_end(text: &[u8], mut at: usize) -> usize {
    while let Some(found) = memchr2(b'"', b'\\', text.get(at..).unwrap_or_default()) {
        at += found;
        if text[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    text.len()
}

/// Whether a string holds half a surrogate pair, written as an escape. JSON's grammar allows it, but it is no text:
/// one language's parser refuses it, the next replaces it, so two readers would see two messages (security 50).
pub(super) fn has_lone_surrogate(text: &[u8]) -> bool {
    let mut rest = text;
    // Outside of strings a backslash is a syntax error, which the parse reports.
    while let Some(found) = memchr(b'\\', rest) {
        rest = &rest[found..];
        rest = match escaped_unit(rest) {
            Some(0xD800..=0xDBFF) => match escaped_unit(&rest[6..]) {
                Some(0xDC00..=0xDFFF) => &rest[12..],
                _ => return true,
            },
            Some(0xDC00..=0xDFFF) => return true,
            _ => rest.get(2..).unwrap_or_default(),
        };
    }
    false
}

/// The UTF-16 unit of the `\uXXXX` that `text` starts with.
fn escaped_unit(text: &[u8]) -> Option<u32> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    digits.iter().try_fold(0, |unit, digit| Some(unit * 16 + char::from(*digit).to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_counts_nesting_and_not_brackets() {
        assert!(!deeper_than(b"[[],[],[],[]]", 2));
        assert!(deeper_than(b"[[[]]]", 2));
        assert!(!deeper_than(br#"["[[[[{{{{\"[[[["]"#, 2));
        assert!(!deeper_than(br#"["\\",[],[]]"#, 2));
        assert!(deeper_than(br#"{"a":{"b":[1]}}"#, 2));
        assert!(!deeper_than(br#"["[[[["#, 2));
        assert!(!deeper_than(br#"["[[[[\"#, 2));
    }

    #[test]
    fn surrogates_must_come_in_pairs() {
        for text in [r#""\ud83d\ude42""#, r#""\uD83D\uDE42""#, r#""\\ud800""#, r#""\u0041""#, r#""\ud8""#, "\\"] {
            assert!(!has_lone_surrogate(text.as_bytes()), "{text}");
        }
        for text in [r#""\ud83d""#, r#""\ude42""#, r#""\ud83d\u0041""#, r#""\ud83dx""#, r#""\\\ud800""#] {
            assert!(has_lone_surrogate(text.as_bytes()), "{text}");
        }
    }
}
