//! The least arguments that a JSON Schema takes, for tools of which servers.json says nothing. The Python walker has the same rules.

use serde_json::{Map, Value};

/// An object with the required members only; of several choices the first.
pub fn example(schema: &Value) -> Value {
    one(schema, schema)
}

fn one(schema: &Value, root: &Value) -> Value {
    let first = |name: &str| schema[name].as_array().and_then(|choices| choices.first());
    if let Some(target) = schema["$ref"].as_str().and_then(|target| root.pointer(target.trim_start_matches('#'))) {
        return one(target, root);
    }
    if let Some(given) = schema.get("const").or_else(|| schema.get("default")) {
        return given.clone();
    }
    if let Some(given) = first("enum").or_else(|| first("examples")) {
        return given.clone();
    }
    if let Some(choice) = first("anyOf").or_else(|| first("oneOf")).or_else(|| first("allOf")) {
        return one(choice, root);
    }
    let otherwise = if schema.get("properties").is_some() { "object" } else { "string" };
    match schema["type"].as_str().or_else(|| first("type").and_then(Value::as_str)).unwrap_or(otherwise) {
        "object" => {
            let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
            let members = required.iter().filter_map(Value::as_str);
            Value::Object(
                members.map(|name| (name.to_owned(), one(&schema["properties"][name], root))).collect::<Map<_, _>>(),
            )
        }
        "array" => {
            let count = usize::try_from(schema["minItems"].as_u64().unwrap_or(0)).unwrap_or(0);
            vec![one(&schema["items"], root); count].into()
        }
        "integer" | "number" if schema["minimum"].as_f64().is_some_and(|least| least > 1.0) => {
            schema["minimum"].clone()
        }
        "integer" | "number" => 1.into(),
        "boolean" => false.into(),
        "null" => Value::Null,
        _ => "text".into(),
    }
}
