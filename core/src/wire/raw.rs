//! Work on raw JSON text without a tree.

use std::borrow::Cow;

use memchr::memchr2;
use serde_json::value::RawValue;

use super::scan;
use super::shape::Text;
use crate::error::{Error, Result};

/// Whether `raw` is an object.
pub fn is_object(raw: &RawValue) -> bool {
    raw.get().starts_with('{')
}

/// The text without a byte order mark in front and JSON white space around.
pub fn trim(text: &[u8]) -> &[u8] {
    let white = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let text = scan::strip_bom(text);
    let start = text.iter().position(|byte| !white(byte)).unwrap_or(text.len());
    let end = text.iter().rposition(|byte| !white(byte)).map_or(start, |last| last + 1);
    &text[start..end]
}

/// The members of an object in their order, duplicates included.
///
/// # Errors
/// `-32600` when `raw` is no object.
pub fn members(raw: &RawValue) -> Result<Members<'_>> {
    let inner = raw.get().strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    inner.map(|rest| Members { rest }).ok_or_else(|| Error::invalid_request("expected an object"))
}

/// The member `key` of an object, compared byte by byte.
///
/// # Errors
/// `-32600` when `raw` is no object, or has the member twice: readers that take the first and readers that take the
/// last would see two messages (X01).
pub fn get<'a>(raw: &'a RawValue, key: &str) -> Result<Option<&'a RawValue>> {
    let mut found = members(raw)?.filter(|(name, _)| name == key).map(|(_, value)| value);
    match (found.next(), found.next()) {
        (_, Some(_)) => Err(Error::invalid_request(format!("the member `{key}` appears twice"))),
        (found, None) => Ok(found),
    }
}

/// See [`members`].
#[derive(Clone, Debug)]
pub struct Members<'a> {
    rest: &'a str,
}

impl<'a> Members<'a> {
    fn value(&mut self) -> Option<&'a RawValue> {
        let mut values = serde_json::Deserializer::from_str(self.rest).into_iter::<&RawValue>();
        let value = values.next()?.ok()?;
        self.rest = self.rest.get(values.byte_offset()..)?;
        Some(value)
    }

    fn punctuation(&mut self, mark: char) -> Option<()> {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n']).strip_prefix(mark)?;
        Some(())
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = (Cow<'a, str>, &'a RawValue);

    fn next(&mut self) -> Option<Self::Item> {
        let key = self.value()?.get();
        self.punctuation(':')?;
        let value = self.value()?;
        if self.punctuation(',').is_none() {
            self.rest = "";
        }
        // A key that is no text (half a surrogate pair) keeps its escapes; it equals no name that anyone looks for.
        let key = serde_json::from_str(key).map_or(Cow::Borrowed(key), |Text(key)| key);
        Some((key, value))
    }
}

/// The dotted path of the innermost member whose value holds the byte `offset` of the object `raw`.
pub(super) fn path_at(raw: &RawValue, offset: usize) -> String {
    let mut path = String::new();
    let (mut raw, mut offset) = (raw, offset);
    while let Ok(mut members) = members(raw) {
        let base = raw.get().as_ptr().addr();
        let holds = |value: &RawValue| {
            let start = value.get().as_ptr().addr() - base;
            (start..=start + value.get().len()).contains(&offset).then_some(start)
        };
        let Some((key, value, start)) = members.find_map(|(key, value)| Some((key, value, holds(value)?))) else {
            break;
        };
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(&key);
        (raw, offset) = (value, offset - start);
        // Behind the closing brace the fault is the object's own: a missing member.
        if offset == raw.get().len() {
            break;
        }
    }
    path
}

/// The same JSON without line ends, which newline framing needs. Copies only when there are some: they stand between
/// tokens, or (in text that is no JSON, which must not break the framing either) inside a string, where they become
/// escapes.
pub fn one_line(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr2(b'\n', b'\r', text).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => {
                let end = scan::string_end(text, at + 1).min(text.len());
                push_string(&mut out, &text[at..end]);
                at = end;
                continue;
            }
            b' ' | b'\t' | b'\r' | b'\n' => {}
            other => out.push(*other),
        }
        at += 1;
    }
    Cow::Owned(out)
}

fn push_string(out: &mut Vec<u8>, mut string: &[u8]) {
    while let Some(found) = memchr2(b'\n', b'\r', string) {
        out.extend_from_slice(&string[..found]);
        // A line end that was itself escaped by a backslash completes that escape.
        let escaped = out.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1;
        out.extend_from_slice(if escaped { b"" } else { b"\\" });
        out.push(if string[found] == b'\n' { b'n' } else { b'r' });
        string = &string[found + 1..];
    }
    out.extend_from_slice(string);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn raw(text: &str) -> &RawValue {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn members_come_in_order_and_raw() {
        let object = raw("{ \"b\" : 1.00 ,\n\"\\u0061\":[1, {\"x\":2}],\"\":null , \"s\":\"q\\\"}\" }");
        let found: Vec<_> = members(object).unwrap().map(|(key, value)| (key.into_owned(), value.get())).collect();
        let expected = [("b", "1.00"), ("a", "[1, {\"x\":2}]"), ("", "null"), ("s", "\"q\\\"}\"")];
        assert_eq!(found, expected.map(|(key, value)| (key.to_owned(), value)));
        assert_eq!(members(raw("{ }")).unwrap().count(), 0);
        assert!(members(raw("[1]")).is_err() && members(raw("null")).is_err());
    }

    #[test]
    fn x01_keys_are_exact_and_single() {
        let object = raw(r#"{"Name":1,"name\u0000":2,"ſ":3,"name":4,"x":1,"\u0078":2,"\ud800":5}"#);
        assert_eq!(get(object, "name").unwrap().unwrap().get(), "4");
        assert!(get(object, "s").unwrap().is_none());
        assert!(get(object, "x").is_err());
    }

    #[test]
    fn a_path_names_the_member() {
        let object = raw(r#"{"a":1,"b":{"c":[1],"d":"x"}}"#);
        for (needle, path) in [("1,", "a"), ("[1]", "b.c"), ("x\"", "b.d")] {
            assert_eq!(path_at(object, object.get().find(needle).unwrap()), path);
        }
        assert_eq!(path_at(object, object.get().len() - 1), "b");
        assert_eq!(path_at(object, object.get().len()), "");
    }

    #[test]
    fn line_ends_go_and_strings_stay() {
        assert!(matches!(one_line(b"{ \"a\": 1 }"), Cow::Borrowed(_)));
        let pretty = "{\n  \"a b\": [\r\n 1, \"x \\\" y\\n\u{2028}\"\n]\t}\n";
        assert_eq!(&*one_line(pretty.as_bytes()), "{\"a b\":[1,\"x \\\" y\\n\u{2028}\"]}".as_bytes());
        assert_eq!(&*one_line(b"\"a\nb\\\nc\\\\\n"), b"\"a\\nb\\nc\\\\\\n");
    }

    #[test]
    fn trim_takes_the_mark_and_white_space() {
        assert_eq!(trim(b"\xEF\xBB\xBF \t{}\r\n"), b"{}");
        assert_eq!(trim(b" \n"), b"");
    }

    proptest! {
        #[test]
        fn pretty_json_becomes_one_equal_line(keys in prop::collection::btree_map(".{0,8}", ".{0,8}", 0..6)) {
            let pretty = serde_json::to_string_pretty(&keys).unwrap();
            let line = one_line(pretty.as_bytes());
            prop_assert!(!line.contains(&b'\n') && !line.contains(&b'\r'));
            prop_assert_eq!(serde_json::from_slice::<std::collections::BTreeMap<String, String>>(&line).unwrap(), keys);
        }

        #[test]
        fn no_bytes_make_two_lines(bytes in prop::collection::vec(prop::sample::select(b"\"\\\n\r a{".to_vec()), 0..40)) {
            let line = one_line(&bytes);
            prop_assert!(!line.contains(&b'\n') && !line.contains(&b'\r'));
        }

        #[test]
        fn members_agree_with_a_tree(keys in prop::collection::btree_map(".{0,8}", any::<f64>(), 0..6)) {
            let text = serde_json::to_string_pretty(&keys).unwrap();
            let found: Vec<_> = members(raw(&text)).unwrap().map(|(key, _)| key.into_owned()).collect();
            prop_assert_eq!(found, keys.into_keys().collect::<Vec<_>>());
        }
    }
}
