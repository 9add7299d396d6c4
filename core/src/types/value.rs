//! The few types whose form the schema leaves to each language.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// A JSON object of any shape.
pub type JSONObject = Map<String, Value>;

/// The `_meta` member: an object whose keys belong to the specification (`io.modelcontextprotocol/..`) or to vendors.
///
/// See [General fields](https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta).
pub type MetaObject = JSONObject;

/// What tells the progress of one request from that of another, chosen by who sent the request.
pub type ProgressToken = RequestId;

/// What tells the response to one request from the response to another.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RequestId {
    /// A whole number; exact over 64 bits.
    Number(i64),
    /// A text.
    String(String),
}

impl From<i64> for RequestId {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<String> for RequestId {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl From<&str> for RequestId {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

/// The constant `"2.0"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum JSONRPCVersion {
    /// JSON-RPC 2.0, the only version the protocol speaks.
    #[default]
    #[serde(rename = "2.0")]
    V2,
}

/// One `T` or a list of them; which of the two is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum OneOrMany<T> {
    /// A list, which may be empty.
    Many(Vec<T>),
    /// A single item without a list around it.
    One(T),
}

impl<T> OneOrMany<T> {
    /// The items in order.
    pub fn as_slice(&self) -> &[T] {
        match self {
            Self::Many(items) => items,
            Self::One(item) => std::slice::from_ref(item),
        }
    }
}

impl<T> From<T> for OneOrMany<T> {
    fn from(item: T) -> Self {
        Self::One(item)
    }
}

impl<T> From<Vec<T>> for OneOrMany<T> {
    fn from(items: Vec<T>) -> Self {
        Self::Many(items)
    }
}

/// Reads a member that is there: `null` is a value of it, and not its absence.
pub(super) fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// `{"type": "object"}`, the schema of a tool that names none (case F06).
pub(super) fn object_schema() -> JSONObject {
    Map::from_iter([("type".to_owned(), Value::from("object"))])
}

/// Writes a whole number without a fraction: `50`, as peers send it, and not `50.0`.
pub(super) fn number<S: Serializer, T: Copy + Into<Option<f64>>>(number: &T, serializer: S) -> Result<S::Ok, S::Error> {
    /// From here on not every whole number is an `f64`.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match (*number).into() {
        Some(number) if number.fract() == 0.0 && number.abs() < EXACT => serializer.serialize_i64(number as i64),
        number => number.serialize(serializer),
    }
}
