//! Percent-encoding: one spelling for every URI, and back to text.

use std::borrow::Cow;

/// The bytes of a URI one by one, a percent-encoded byte as a unit of three.
pub(super) fn units(text: &str) -> impl Iterator<Item = &[u8]> {
    let mut rest = text.as_bytes();
    std::iter::from_fn(move || {
        let size = if encoded(rest).is_some() { 3 } else { 1 };
        let (unit, tail) = rest.split_at_checked(size)?;
        rest = tail;
        Some(unit)
    })
}

/// The byte that a percent-encoded triplet at the start of `bytes` stands for.
pub(super) fn encoded(bytes: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = bytes else { return None };
    let digit = |byte: u8| (byte as char).to_digit(16);
    Some((digit(*high)? * 16 + digit(*low)?) as u8)
}

pub(super) fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

pub(super) fn is_reserved(byte: u8) -> bool {
    b":/?#[]@!$&'()*+,;=".contains(&byte)
}

/// One spelling (T03): unreserved characters plain, all others that are not reserved encoded, digits in upper case. `None` for
/// raw control characters, which no URI has (N49), and for a `%` that encodes nothing.
pub(super) fn normalize(uri: &str) -> Option<Cow<'_, str>> {
    if uri.bytes().all(|byte| is_unreserved(byte) || is_reserved(byte)) {
        return Some(Cow::Borrowed(uri));
    }
    let mut normal = String::with_capacity(uri.len() + 16);
    for unit in units(uri) {
        match (encoded(unit), unit[0]) {
            (None, b'%') => return None,
            (None, byte) if byte.is_ascii_control() => return None,
            (None, byte) if is_reserved(byte) => normal.push(byte as char),
            (Some(byte), _) | (None, byte) => push_unless(&mut normal, byte, is_unreserved),
        }
    }
    Some(Cow::Owned(normal))
}

/// Appends `byte`, encoded unless `plain` says otherwise.
pub(super) fn push_unless(text: &mut String, byte: u8, plain: fn(u8) -> bool) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    if plain(byte) {
        text.push(byte as char);
    } else {
        text.push('%');
        text.push(DIGITS[usize::from(byte >> 4)] as char);
        text.push(DIGITS[usize::from(byte & 15)] as char);
    }
}

/// The text that a normalised part of a URI stands for; `None` when it is not UTF-8.
pub(super) fn decode(part: &str) -> Option<String> {
    let bytes = units(part).map(|unit| encoded(unit).unwrap_or(unit[0])).collect();
    String::from_utf8(bytes).ok()
}
