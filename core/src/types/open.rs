//! Enumerations and unions that a later revision, or a peer's mistake, cannot make unreadable (cases W17, Y14).

use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeOwned, Deserializer, Error, Visitor};
use serde_json::Value;

/// Declares an enumeration of texts with a variant for any other text.
macro_rules! open_enum {
    ($(#[$about:meta])* $name:ident { $($variant:ident = $text:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $(#[doc = concat!("`", $text, "`")] $variant,)+
            /// A text this revision does not know, as received.
            Unknown(String),
        }

        impl $name {
            /// The text on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)+
                    Self::Unknown(text) => text,
                }
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                match text {
                    $($text => Self::$variant,)+
                    _ => Self::Unknown(text.to_owned()),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                super::open::text(deserializer)
            }
        }
    };
}

/// Declares a union of structs told apart by the text of one member, with a variant for any other JSON.
///
/// A variant lists the texts that mean it (none: every text) and whether the member may be absent. Variants are tried
/// in order; the first whose struct decodes is taken.
macro_rules! open_union {
    ($(#[$about:meta])* $name:ident by $tag:literal { $($variant:ident($kind:ident) = ($texts:expr, $absent:literal),)+ }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum $name {
            $(#[doc = concat!("A [`", stringify!($kind), "`].")] $variant($kind),)+
            /// A kind this revision does not know, or one that does not decode, as received.
            Unknown(Value),
        }

        $(impl From<$kind> for $name {
            fn from(value: $kind) -> Self {
                Self::$variant(value)
            }
        })+

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$variant(value) => value.serialize(serializer),)+
                    Self::Unknown(value) => value.serialize(serializer),
                }
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let value = Value::deserialize(deserializer)?;
                let tag = value.get($tag).map(Value::as_str);
                $(if super::open::means(tag, &$texts, $absent)
                    && let Some(known) = super::open::decode(&value)
                {
                    return Ok(Self::$variant(known));
                })+
                Ok(Self::Unknown(value))
            }
        }
    };
}

pub(super) use {open_enum, open_union};

/// Whether a variant is meant: `tag` is the member if present, and its text if it is one.
pub(super) fn means(tag: Option<Option<&str>>, texts: &[&str], absent: bool) -> bool {
    match tag {
        None => absent,
        Some(Some(text)) => texts.is_empty() || texts.contains(&text),
        Some(None) => false,
    }
}

/// Decodes without taking the value: if it is of another kind, or wrong, it must survive.
pub(super) fn decode<T: DeserializeOwned>(value: &Value) -> Option<T> {
    T::deserialize(value).ok()
}

/// Reads a text without an allocation for a known one.
pub(super) fn text<'de, D: Deserializer<'de>, T: for<'a> From<&'a str>>(deserializer: D) -> Result<T, D::Error> {
    struct Text<T>(PhantomData<T>);

    impl<T: for<'a> From<&'a str>> Visitor<'_> for Text<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
            Ok(T::from(text))
        }
    }

    deserializer.deserialize_str(Text(PhantomData))
}
