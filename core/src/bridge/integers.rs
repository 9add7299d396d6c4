//! Integers that a language's numbers cannot hold: JavaScript's doubles lose digits above 2^53. They are handed over as strings, together
//! with the places where they stand, so that no text of a user can be mistaken for one.

use std::fmt::Write as _;
use std::ops::Range;

/// The largest integer of which every smaller one is a double, too.
const SAFE: u64 = (1 << 53) - 1;
/// No shorter literal exceeds it.
const SAFE_DIGITS: usize = 16;

/// JSON text whose large integers are strings of digits.
#[derive(Debug, PartialEq, Eq)]
pub struct Marked {
    /// The text.
    pub text: String,
    /// Where they stand: a JSON array with one array of keys and indices for each.
    pub paths: String,
}

/// Marks the integers of `json`, which must be valid, that a double cannot hold. None where there is none.
pub fn mark_integers(json: &str) -> Option<Marked> {
    if !may_have_large(json.as_bytes()) {
        return None;
    }
    let mut walk = Walk { json, at: 0, steps: Vec::new(), found: Vec::new(), paths: String::from("[") };
    walk.text();
    if walk.found.is_empty() {
        return None;
    }
    walk.paths.push(']');
    let mut text = String::with_capacity(json.len() + 2 * walk.found.len());
    let mut copied = 0;
    for Range { start, end } in walk.found {
        text.push_str(&json[copied..start]);
        text.push('"');
        text.push_str(&json[start..end]);
        text.push('"');
        copied = end;
    }
    text.push_str(&json[copied..]);
    Some(Marked { text, paths: walk.paths })
}

/// Whether so many digits stand in a row anywhere, also within strings: one pass over the text that most never go beyond.
fn may_have_large(json: &[u8]) -> bool {
    // Every run of that length covers one of these places.
    let mut at = SAFE_DIGITS - 1;
    while at < json.len() {
        if json[at].is_ascii_digit() {
            let before = json[..at].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
            let after = json[at..].iter().take(SAFE_DIGITS).take_while(|byte| byte.is_ascii_digit()).count();
            if before + after >= SAFE_DIGITS {
                return true;
            }
        }
        at += SAFE_DIGITS;
    }
    false
}

/// A step into a value.
enum Step<'a> {
    /// The member whose key is this literal, with its quotes.
    Key(&'a str),
    /// The item at this index.
    Index(usize),
}

/// Goes over JSON text once, without recursion: the depth of a text is its sender's choice.
struct Walk<'a> {
    json: &'a str,
    at: usize,
    steps: Vec<Step<'a>>,
    found: Vec<Range<usize>>,
    paths: String,
}

impl<'a> Walk<'a> {
    fn text(&mut self) {
        let bytes = self.json.as_bytes();
        // Whether the next string is a key.
        let mut expects_key = false;
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b'{' => {
                    self.steps.push(Step::Key("\"\""));
                    expects_key = true;
                    self.at += 1;
                }
                b'[' => {
                    self.steps.push(Step::Index(0));
                    expects_key = false;
                    self.at += 1;
                }
                b'}' | b']' => {
                    self.steps.pop();
                    expects_key = false;
                    self.at += 1;
                }
                b',' => {
                    match self.steps.last_mut() {
                        Some(Step::Index(index)) => *index += 1,
                        _ => expects_key = true,
                    }
                    self.at += 1;
                }
                b'"' => {
                    let literal = self.string();
                    if expects_key && let Some(Step::Key(key)) = self.steps.last_mut() {
                        *key = literal;
                        expects_key = false;
                    }
                }
                b'-' | b'0'..=b'9' => self.number(),
                _ => self.at += 1,
            }
        }
    }

    fn string(&mut self) -> &'a str {
        let bytes = self.json.as_bytes();
        let start = self.at;
        self.at += 1;
        while let Some(&byte) = bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'"' => break,
                _ => {}
            }
        }
        self.json.get(start..self.at).unwrap_or_default()
    }

    fn number(&mut self) {
        let bytes = self.json.as_bytes();
        let start = self.at;
        while let Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9') = bytes.get(self.at) {
            self.at += 1;
        }
        let literal = &self.json[start..self.at];
        let digits = literal.trim_start_matches('-');
        let is_integer = digits.bytes().all(|byte| byte.is_ascii_digit());
        // What is no u64 is larger still.
        if is_integer && digits.len() >= SAFE_DIGITS && digits.parse::<u64>().map_or(true, |value| value > SAFE) {
            self.found.push(start..self.at);
            self.path();
        }
    }

    fn path(&mut self) {
        self.paths.push_str(if self.paths.len() > 1 { ",[" } else { "[" });
        for (place, step) in self.steps.iter().enumerate() {
            if place > 0 {
                self.paths.push(',');
            }
            match step {
                Step::Key(literal) => self.paths.push_str(literal),
                Step::Index(index) => {
                    let _ = write!(self.paths, "{index}");
                }
            }
        }
        self.paths.push(']');
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn marked(json: &str) -> Option<(String, String)> {
        mark_integers(json).map(|marked| (marked.text, marked.paths))
    }

    #[test]
    fn only_integers_that_a_double_cannot_hold_are_marked() {
        assert_eq!(marked("9007199254740991"), None);
        assert_eq!(marked(r#"{"a":-9007199254740991,"b":1234567890.1234567890,"c":1e300}"#), None);
        assert_eq!(marked(r#""9007199254740993""#), None);
        assert_eq!(marked("9007199254740993"), Some((r#""9007199254740993""#.into(), "[[]]".into())));
        let json = r#"{"a\"":[1,{"b":-9007199254740993},"9007199254740993"],"c":123456789012345678901234567890}"#;
        let text = r#"{"a\"":[1,{"b":"-9007199254740993"},"9007199254740993"],"c":"123456789012345678901234567890"}"#;
        assert_eq!(marked(json), Some((text.into(), r#"[["a\"",1,"b"],["c"]]"#.into())));
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<u64>().prop_map(|number| json!(number)),
            any::<i64>().prop_map(|number| json!(number)),
            any::<i16>().prop_map(|number| json!(number)),
            any::<String>().prop_map(|text| json!(text)),
            Just(json!("9007199254740993")),
            Just(json!({})),
            Just(json!([])),
            Just(Value::Null),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec((any::<String>(), inner), 0..5)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_marked_can_be_put_back(value in value()) {
            let json = value.to_string();
            let Some(marked) = mark_integers(&json) else { return Ok(()) };
            let mut back: Value = serde_json::from_str(&marked.text).unwrap();
            for path in serde_json::from_str::<Vec<Vec<Value>>>(&marked.paths).unwrap() {
                let place = path.iter().fold(&mut back, |place, step| match step {
                    Value::String(key) => &mut place[key.as_str()],
                    step => &mut place[step.as_u64().unwrap() as usize],
                });
                *place = serde_json::from_str(place.as_str().unwrap()).unwrap();
            }
            prop_assert_eq!(back, value);
        }
    }
}
