//! Reading JSON text into a `Value` without forgiving anything: one member per name, bounded depth, counted nodes.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// What came out of a text.
#[derive(Debug)]
pub(super) struct Parsed {
    pub value: Value,
    /// Values in it: scalars, arrays and objects, the root included.
    pub nodes: usize,
}

/// Why a text was not taken.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unreadable {
    /// Nested deeper than the bound.
    TooDeep,
    /// Not JSON, or a member name twice; the text says where.
    Malformed(String),
}

/// Reads one JSON value. A repeated member name is refused at any depth: two readers could pick different ones
/// (security 50). serde_json itself stops at 127 levels, whatever `max_depth` says.
pub(super) fn parse(text: &str, max_depth: usize) -> Result<Parsed, Unreadable> {
    let mut state = State { nodes: 0, too_deep: false };
    let mut reader = serde_json::Deserializer::from_str(text);
    let read = Seed { state: &mut state, left: max_depth }.deserialize(&mut reader).and_then(|value| {
        reader.end()?;
        Ok(value)
    });
    match read {
        Ok(value) => Ok(Parsed { value, nodes: state.nodes }),
        Err(_) if state.too_deep => Err(Unreadable::TooDeep),
        Err(error) => {
            let message = error.to_string();
            // serde_json has no category of its own for its recursion limit.
            if message.starts_with("recursion limit") {
                return Err(Unreadable::TooDeep);
            }
            Err(Unreadable::Malformed(message))
        }
    }
}

struct State {
    nodes: usize,
    too_deep: bool,
}

struct Seed<'a> {
    state: &'a mut State,
    left: usize,
}

impl Seed<'_> {
    fn enter<E: serde::de::Error>(&mut self) -> Result<usize, E> {
        self.left.checked_sub(1).ok_or_else(|| {
            self.state.too_deep = true;
            E::custom("nested too deeply")
        })
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.state.nodes += 1;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Value, A::Error> {
        let left = self.enter()?;
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(Seed { state: &mut *self.state, left })? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<Value, A::Error> {
        let left = self.enter()?;
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            if object.contains_key(&name) {
                return Err(A::Error::custom(format_args!("member {name:?} appears twice")));
            }
            let value = members.next_value_seed(Seed { state: &mut *self.state, left })?;
            object.insert(name, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_serde_json_reads() {
        let text = r#"{"a":[1,-2,3.5,null,true,"x\n"],"b":{"c":{}}, "big":18446744073709551615}"#;
        let parsed = parse(text, 8).unwrap();
        assert_eq!(parsed.value, serde_json::from_str::<Value>(text).unwrap());
        assert_eq!(parsed.nodes, 11);
    }

    #[test]
    fn refuses_a_repeated_member_at_any_depth() {
        assert!(
            matches!(parse(r#"{"a":[{"b":1,"\u0062":2}]}"#, 8), Err(Unreadable::Malformed(m)) if m.contains("twice"))
        );
    }

    #[test]
    fn refuses_depth_beyond_the_bound_and_never_overflows() {
        assert!(parse("[[[]]]", 3).is_ok());
        assert_eq!(parse("[[[[]]]]", 3).unwrap_err(), Unreadable::TooDeep);
        assert_eq!(parse(&"[".repeat(100_000), usize::MAX).unwrap_err(), Unreadable::TooDeep);
    }

    #[test]
    fn refuses_rests_and_endless_numbers() {
        assert!(parse("1 2", 3).is_err());
        assert!(parse("1e400", 3).is_err());
        assert!(parse("", 3).is_err());
    }
}
