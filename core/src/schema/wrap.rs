//! Schemas made to fit where the protocol wants an object at the root.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::bounds::{dialect, read};
use super::parse::parse;
use super::refs::id_keyword;
use crate::error::{Error, Result};

/// Nesting up to which a schema is looked at here; what is deeper is refused by `bounds` anyway.
const MAX_DEPTH: usize = 127;

/// An input schema whose root says `"type":"object"`, as `tools/list` must show it. A root without a type (a union, say) gets
/// one; everything else, and the order of the members, stays as it is (S09, S12).
///
/// # Errors
/// `Definition` when the text is no JSON object or its root has another type.
pub fn root_object(schema_text: &str) -> Result<Cow<'_, str>> {
    let root = read(schema_text, MAX_DEPTH)?;
    let Some(members) = root.as_object() else {
        return Err(Error::definition("an input schema must be a JSON object"));
    };
    match members.get("type") {
        Some(Value::String(kind)) if kind == "object" => Ok(Cow::Borrowed(schema_text)),
        Some(kind) => {
            Err(Error::definition(format!("an input schema must have \"type\":\"object\" at its root, not {kind}")))
        }
        None => {
            let inside = schema_text.trim_start().strip_prefix('{').unwrap_or_default();
            let comma = if members.is_empty() { "" } else { "," };
            Ok(Cow::Owned(format!(r#"{{"type":"object"{comma}{inside}"#)))
        }
    }
}

/// For a legacy peer: the schema of `{"result": <value>}` when `schema_text` describes anything but objects, else `None` (S12).
///
/// Definitions stay where local references look for them: `$defs`, `definitions` and `$schema` move to the new root, and a
/// reference to another part of the old root follows it to the `result` property.
pub fn wrap_output(schema_text: &str) -> Option<String> {
    let mut root = parse(schema_text, MAX_DEPTH).ok()?.value;
    if root.get("type").and_then(Value::as_str) == Some("object") {
        return None;
    }
    if !root.is_object() {
        return Some(format!(
            r#"{{"type":"object","properties":{{"result":{}}},"required":["result"]}}"#,
            schema_text.trim()
        ));
    }
    // With an identifier of its own the old root stays a resource in which its references resolve as before.
    let embedded = root.get(id_keyword(dialect(&root).unwrap_or_default())).is_some_and(Value::is_string);
    let members = if !embedded && repoint(&mut root) { members_of(&root) } else { members_in_order(schema_text)? };
    let (hoisted, kept): (Vec<_>, Vec<_>) = members
        .into_iter()
        .partition(|(name, _)| name == "$schema" || (!embedded && matches!(name.as_str(), "$defs" | "definitions")));
    let mut wrapped = String::with_capacity(schema_text.len() + 96);
    wrapped.push('{');
    for (name, value) in hoisted {
        let _ = write!(wrapped, "{}:{value},", Value::from(name));
    }
    wrapped.push_str(r#""type":"object","properties":{"result":{"#);
    for (index, (name, value)) in kept.into_iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let _ = write!(wrapped, "{comma}{}:{value}", Value::from(name));
    }
    wrapped.push_str(r#"}},"required":["result"]}"#);
    Some(wrapped)
}

type Member = (String, String);

fn members_of(root: &Value) -> Vec<Member> {
    root.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), value.to_string())).collect()
}

/// The members as they are written: a `Value` would sort them.
fn members_in_order(object_text: &str) -> Option<Vec<Member>> {
    struct Members;
    impl<'de> Visitor<'de> for Members {
        type Value = Vec<Member>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Vec<Member>, A::Error> {
            let mut members = Vec::new();
            while let Some((name, value)) = map.next_entry::<String, Box<RawValue>>()? {
                members.push((name, value.get().to_owned()));
            }
            Ok(members)
        }
    }
    serde_json::Deserializer::from_str(object_text).deserialize_map(Members).ok()
}

/// Leads references to parts of the root that move below `result` there. Says whether there were any.
fn repoint(schema: &mut Value) -> bool {
    let Value::Object(members) = schema else { return false };
    let mut changed = false;
    for (keyword, value) in members {
        changed |= match keyword.as_str() {
            "$ref" | "$dynamicRef" => repoint_reference(value),
            "properties" | "patternProperties" | "dependentSchemas" | "dependencies" | "$defs" | "definitions" => value
                .as_object_mut()
                .is_some_and(|named| named.values_mut().fold(false, |any, value| repoint(value) | any)),
            // Data, not schemas.
            "enum" | "const" | "default" | "examples" => false,
            _ => match value {
                Value::Array(branches) => branches.iter_mut().fold(false, |any, branch| repoint(branch) | any),
                _ => repoint(value),
            },
        };
    }
    changed
}

fn repoint_reference(value: &mut Value) -> bool {
    let Some(path) = value.as_str().and_then(|reference| reference.strip_prefix('#')) else { return false };
    let stays = path.starts_with("/$defs/") || path.starts_with("/definitions/");
    if stays || !(path.is_empty() || path.starts_with('/')) {
        return false;
    }
    *value = Value::from(format!("#/properties/result{path}"));
    true
}

#[cfg(test)]
mod tests {
    use super::super::compile::Validator;
    use super::*;
    use crate::limits::Limits;

    #[test]
    fn s12_adds_the_type_to_a_union_and_keeps_the_order() {
        let union = r#" {"title":"T","anyOf":[{"required":["a"]},{"required":["b"]}],"$comment":"last"}"#;
        let rooted = root_object(union).unwrap();
        assert_eq!(
            rooted,
            r#"{"type":"object","title":"T","anyOf":[{"required":["a"]},{"required":["b"]}],"$comment":"last"}"#
        );
        assert_eq!(root_object("{ }").unwrap(), r#"{"type":"object" }"#);
        assert!(matches!(root_object(r#"{"b":1,"type":"object"}"#).unwrap(), Cow::Borrowed(_)));
    }

    #[test]
    fn s12_refuses_inputs_of_another_type() {
        for other in [r#"{"type":"array"}"#, r#"{"type":["object","null"]}"#, "true", "[]", "{"] {
            root_object(other).unwrap_err();
        }
    }

    fn wrapped(schema: &str) -> (String, Validator) {
        let text = wrap_output(schema).unwrap();
        let validator = Validator::new(&text, &Limits::default()).unwrap_or_else(|error| panic!("{text}: {error}"));
        (text, validator)
    }

    #[test]
    fn s12_wraps_what_is_no_object_for_legacy_peers() {
        assert_eq!(wrap_output(r#"{"type":"object"}"#), None);
        let (text, validator) = wrapped(r#"{"type":"array","items":{"type":"integer"}}"#);
        let expected = r#"{"type":"object","properties":{"result":{"type":"array","items":{"type":"integer"}}},"required":["result"]}"#;
        assert_eq!(text, expected);
        assert!(validator.check(r#"{"result":[1]}"#).is_ok());
        assert!(validator.check(r#"{"result":["x"]}"#).is_err());
        assert!(validator.check("[1]").is_err());
        assert!(wrapped("false").1.check(r#"{"result":1}"#).is_err());
    }

    #[test]
    fn wrapped_references_find_their_definitions() {
        let schema = r##"{"$schema":"http://json-schema.org/draft-07/schema#","type":"array","items":{"$ref":"#/definitions/a"},
            "definitions":{"a":{"type":"string"}}}"##;
        let (text, validator) = wrapped(schema);
        assert!(text.starts_with(r##"{"$schema":"http://json-schema.org/draft-07/schema#","definitions""##), "{text}");
        assert!(validator.check(r#"{"result":["x"]}"#).is_ok());
        assert!(validator.check(r#"{"result":[1]}"#).is_err());
    }

    #[test]
    fn wrapped_references_to_the_root_follow_it() {
        let tree = r##"{"type":"array","items":{"$ref":"#"}}"##;
        let (_, validator) = wrapped(tree);
        assert!(validator.check(r#"{"result":[[],[[]]]}"#).is_ok());
        assert!(validator.check(r#"{"result":[1]}"#).is_err());
        let (_, embedded) = wrapped(r##"{"$id":"urn:x:tree","type":"array","items":{"$ref":"#"}}"##);
        assert!(embedded.check(r#"{"result":[[],[[]]]}"#).is_ok());
        assert!(embedded.check(r#"{"result":[1]}"#).is_err());
    }
}
