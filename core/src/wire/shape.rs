//! Serde shapes that JSON-RPC needs: text without a copy, and objects that really are objects.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde_json::value::RawValue;

use super::raw;
use crate::error::Result;

/// A string, borrowed unless escapes had to be decoded. An `Option<Cow<str>>` always copies, whatever
/// `#[serde(borrow)]` says; an `Option<Text>` does not.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Text<'a>(pub Cow<'a, str>);

impl std::ops::Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;

        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_str(TextVisitor)
    }
}

/// The text of a JSON object that stays raw.
#[derive(Clone, Copy, Debug)]
pub struct Object<'a>(&'a RawValue);

impl<'a> Object<'a> {
    /// `raw`, if it is an object.
    pub fn new(raw: &'a RawValue) -> Option<Self> {
        raw::is_object(raw).then_some(Self(raw))
    }

    /// The object as JSON.
    pub fn raw(self) -> &'a RawValue {
        self.0
    }

    /// The object as JSON text, from brace to brace.
    pub fn text(self) -> &'a str {
        self.0.get()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?;
        Self::new(raw).ok_or_else(|| de::Error::custom("invalid type: expected an object"))
    }
}

/// Reads a struct from an object only. Serde's derived structs also take an array, member by member in the order of
/// declaration; on a wire with named members that is a second spelling nobody checks. For
/// `#[serde(deserialize_with = "...")]`.
///
/// # Errors
/// What `T` refuses, and everything that is no object.
pub fn object<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::deserialize(ObjectOnly(deserializer))
}

/// [`object`], where `null` counts as absent (W03).
///
/// # Errors
/// What `T` refuses, and everything that is neither an object nor `null`.
pub fn optional_object<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    struct OptionVisitor<T>(std::marker::PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for OptionVisitor<T> {
        type Value = Option<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_none<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
            object(deserializer).map(Some)
        }
    }

    deserializer.deserialize_option(OptionVisitor(std::marker::PhantomData))
}

/// Asks for a map where a struct is asked for. A newtype is passed on, since raw JSON reads itself through one.
struct ObjectOnly<D>(D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for ObjectOnly<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_newtype_struct(name, visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    struct Point {
        x: i64,
        y: i64,
    }

    #[derive(Debug, serde::Deserialize)]
    struct Holder {
        #[serde(deserialize_with = "object")]
        must: Point,
        #[serde(default, deserialize_with = "optional_object")]
        may: Option<Point>,
    }

    #[test]
    fn a_struct_is_no_array() {
        assert!(serde_json::from_str::<Point>("[1,2]").is_ok(), "serde takes it, hence this module");
        let holder: Holder = serde_json::from_str(r#"{"must":{"x":1,"y":2},"may":null}"#).unwrap();
        assert_eq!((holder.must.x, holder.must.y, holder.may.is_none()), (1, 2, true));
        assert!(serde_json::from_str::<Holder>(r#"{"must":{"x":1,"y":2}}"#).is_ok());
        for text in [r#"{"must":[1,2]}"#, r#"{"must":{"x":1,"y":2},"may":[1,2]}"#, r#"{"must":null}"#] {
            assert!(serde_json::from_str::<Holder>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_object_stays_text() {
        let object: Object<'_> = serde_json::from_str(r#" {"n":1.00, "n2":18446744073709551616} "#).unwrap();
        assert_eq!(object.text(), r#"{"n":1.00, "n2":18446744073709551616}"#);
        assert!(serde_json::from_str::<Object<'_>>("[1]").is_err());
        assert!(serde_json::from_str::<Option<Object<'_>>>("null").unwrap().is_none());
    }
}
