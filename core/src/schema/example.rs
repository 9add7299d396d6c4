//! A value that fits a simple schema: whoever answered a form wrongly is shown what would be right.

use serde_json::{Map, Value};

use super::compile::Validator;
use crate::limits::Limits;

/// Bytes of an example that is worth showing.
const MAX_BYTES: usize = 1000;
/// Length of a text or a list that is worth showing.
const MAX_LENGTH: u64 = 100;

/// The JSON text of an object that fits the schema of a form: its required members, or all when none is. None where a simple guess does
/// not fit.
pub fn of_form(schema: &str, limits: &Limits) -> Option<String> {
    let text = members_of(&serde_json::from_str(schema).ok()?)?.to_string();
    let validator = Validator::new(schema, limits).ok()?;
    (text.len() <= MAX_BYTES && validator.check(&text).is_ok()).then_some(text)
}

fn members_of(schema: &Value) -> Option<Value> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Some(Map::new().into()) };
    let required: Vec<_> = schema.get("required").and_then(Value::as_array).into_iter().flatten().collect();
    let is_wanted = |name: &str| required.is_empty() || required.iter().any(|required| required.as_str() == Some(name));
    let wanted = properties.iter().filter(|(name, _)| is_wanted(name));
    wanted
        .map(|(name, schema)| Some((name.clone(), value_of(schema)?)))
        .collect::<Option<Map<_, _>>>()
        .map(Value::Object)
}

fn value_of(schema: &Value) -> Option<Value> {
    let first = |member: &str| schema.get(member).and_then(|values| values.get(0));
    let choice = || first("oneOf").or_else(|| first("anyOf")).and_then(|choice| choice.get("const"));
    let given = schema.get("default").or_else(|| schema.get("const")).or_else(|| first("enum")).or_else(choice);
    if let Some(given) = given {
        return Some(given.clone());
    }
    match schema.get("type")?.as_str()? {
        "string" => Some(text_of(schema).into()),
        "integer" => Some((number_of(schema, f64::ceil) as i64).into()),
        "number" => Some(number_of(schema, |number| number).into()),
        "boolean" => Some(true.into()),
        "array" => list_of(schema).map(Value::Array),
        _ => None,
    }
}

fn text_of(schema: &Value) -> String {
    let text = match schema.get("format").and_then(Value::as_str) {
        Some("email") => "ada@example.com",
        Some("uri") => "https://example.com",
        Some("date") => "2026-01-31",
        Some("date-time") => "2026-01-31T12:00:00Z",
        _ => "text",
    };
    let bound = |name: &str| schema.get(name).and_then(Value::as_u64);
    let least = bound("minLength").unwrap_or(0).min(MAX_LENGTH) as usize;
    let most = bound("maxLength").unwrap_or(MAX_LENGTH) as usize;
    text.chars().chain(std::iter::repeat_n('x', least.saturating_sub(text.len()))).take(most).collect()
}

fn number_of(schema: &Value, round: fn(f64) -> f64) -> f64 {
    let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
    let most = bound("maximum").unwrap_or(f64::INFINITY);
    bound("minimum").map_or(1.0, round).min(most)
}

fn list_of(schema: &Value) -> Option<Vec<Value>> {
    let items = schema.get("items")?;
    let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(1).clamp(1, MAX_LENGTH) as usize;
    let choices = |member: &str| items.get(member).and_then(Value::as_array).filter(|choices| choices.len() >= least);
    if let Some(values) = choices("enum") {
        return Some(values[..least].to_vec());
    }
    if let Some(choices) = choices("anyOf").or_else(|| choices("oneOf")) {
        return choices[..least].iter().map(|choice| choice.get("const").cloned()).collect();
    }
    Some(vec![value_of(items)?; least])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(properties: &str, required: &str) -> Option<String> {
        let schema = format!(r#"{{"type":"object","properties":{properties},"required":{required}}}"#);
        of_form(&schema, &Limits::default())
    }

    #[test]
    fn an_example_fits_its_form() {
        for (property, expected) in [
            (r#"{"type":"string"}"#, r#""text""#),
            (r#"{"type":"string","minLength":6}"#, r#""textxx""#),
            (r#"{"type":"string","maxLength":2}"#, r#""te""#),
            (r#"{"type":"string","format":"email"}"#, r#""ada@example.com""#),
            (r#"{"type":"string","enum":["red","blue"]}"#, r#""red""#),
            (r#"{"type":"string","oneOf":[{"const":"r","title":"Red"}]}"#, r#""r""#),
            (r#"{"type":"string","enum":["red","blue"],"default":"blue"}"#, r#""blue""#),
            (r#"{"type":"integer"}"#, "1"),
            (r#"{"type":"integer","minimum":1.5,"maximum":9}"#, "2"),
            (r#"{"type":"number","maximum":-0.5}"#, "-0.5"),
            (r#"{"type":"boolean"}"#, "true"),
            (r#"{"type":"array","minItems":2,"items":{"type":"string","enum":["a","b","c"]}}"#, r#"["a","b"]"#),
            (r#"{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}"#, r#"["a"]"#),
        ] {
            assert_eq!(example(&format!(r#"{{"p":{property}}}"#), r#"["p"]"#), Some(format!(r#"{{"p":{expected}}}"#)));
        }
        let both = r#"{"a":{"type":"boolean"},"b":{"type":"string"}}"#;
        assert_eq!(example(both, r#"["b"]"#).as_deref(), Some(r#"{"b":"text"}"#));
        assert_eq!(example(both, "[]").as_deref(), Some(r#"{"a":true,"b":"text"}"#));
        assert_eq!(of_form(r#"{"type":"object"}"#, &Limits::default()).as_deref(), Some("{}"));
    }

    #[test]
    fn what_a_guess_does_not_fit_has_no_example() {
        for property in [
            r#"{"type":"string","pattern":"^[0-9]{4}$"}"#,
            r#"{"type":"string","minLength":4000000000}"#,
            r#"{"type":"integer","minimum":5,"maximum":4}"#,
            r#"{"type":"object"}"#,
            "true",
        ] {
            assert_eq!(example(&format!(r#"{{"p":{property}}}"#), r#"["p"]"#), None, "{property}");
        }
        assert_eq!(of_form("[", &Limits::default()), None);
    }
}
