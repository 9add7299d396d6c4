//! Expected values: JSON with a few matchers, and values that are caught in one step and used in another.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// Members that are no matchers: `$closed` belongs to its object, the others are words of JSON Schema.
const LITERAL: [&str; 3] = ["$closed", "$schema", "$defs"];

/// Values by name.
pub type Bindings = BTreeMap<String, Value>;

/// Compares a value with a pattern. The error names the place and both sides.
pub fn check(pattern: &Value, actual: &Value, bindings: &mut Bindings) -> Result<(), String> {
    at("", pattern, Some(actual), bindings)
}

fn at(path: &str, pattern: &Value, actual: Option<&Value>, bindings: &mut Bindings) -> Result<(), String> {
    if let Value::Object(members) = pattern
        && members.keys().any(|key| key.starts_with('$') && !LITERAL.contains(&key.as_str()))
    {
        return matchers(path, members, actual, bindings);
    }
    let Some(actual) = actual else { return Err(format!("{path}: expected {pattern}, found nothing")) };
    match (pattern, actual) {
        (Value::Object(expected), Value::Object(found)) => object(path, expected, found, bindings),
        (Value::Array(expected), Value::Array(found)) => {
            if expected.len() != found.len() {
                return Err(format!("{path}: expected {} items, found {}: {actual}", expected.len(), found.len()));
            }
            for (index, (expected, found)) in expected.iter().zip(found).enumerate() {
                at(&format!("{path}[{index}]"), expected, Some(found), bindings)?;
            }
            Ok(())
        }
        _ if same(pattern, actual) => Ok(()),
        _ => Err(format!("{path}: expected {pattern}, found {actual}")),
    }
}

/// Integers are compared exactly, other numbers by value: `1` and `1.0` are the same.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) if x.is_f64() || y.is_f64() => x.as_f64() == y.as_f64(),
        _ => a == b,
    }
}

/// Objects are open: members that the pattern does not name may be there, unless it says `$closed`.
fn object(
    path: &str,
    expected: &Map<String, Value>,
    found: &Map<String, Value>,
    bindings: &mut Bindings,
) -> Result<(), String> {
    for (key, pattern) in expected.iter().filter(|(key, _)| *key != "$closed") {
        at(&format!("{path}.{key}"), pattern, found.get(key), bindings)?;
    }
    if expected.get("$closed") == Some(&Value::Bool(true))
        && let Some(extra) = found.keys().find(|key| !expected.contains_key(*key))
    {
        return Err(format!("{path}: the member `{extra}` should not be there"));
    }
    Ok(())
}

fn matchers(
    path: &str,
    matchers: &Map<String, Value>,
    actual: Option<&Value>,
    bindings: &mut Bindings,
) -> Result<(), String> {
    for (name, argument) in matchers {
        let wrong = |what: &str| {
            let found = actual.map_or_else(|| "nothing".to_owned(), Value::to_string);
            Err(format!("{path}: expected {what}, found {found}"))
        };
        if name == "$absent" {
            if (argument == &Value::Bool(true)) != actual.is_none() {
                return wrong(if argument == &Value::Bool(true) { "nothing" } else { "something" });
            }
            continue;
        }
        let Some(value) = actual else { return wrong(&format!("{name} {argument}")) };
        let text = value.as_str();
        let holds = match name.as_str() {
            "$any" => true,
            "$bind" => {
                bindings.insert(string(argument, name)?, value.clone());
                true
            }
            "$ref" => bindings.get(&string(argument, name)?).is_some_and(|bound| same(bound, value)),
            "$type" => kind(value) == string(argument, name)?,
            "$has" => text.is_some_and(|text| strings(argument).iter().all(|part| text.contains(part))),
            "$lacks" => text.is_some_and(|text| strings(argument).iter().all(|part| !text.contains(part))),
            "$starts" => text.is_some_and(|text| strings(argument).iter().all(|part| text.starts_with(part))),
            "$not" => at(path, argument, actual, bindings).is_err(),
            "$length" => length(value) == argument.as_u64(),
            "$min_length" => length(value) >= argument.as_u64(),
            "$contains" => return contains(path, argument, value, bindings),
            "$excludes" => {
                let Value::Array(items) = value else { return wrong("an array") };
                !items.iter().any(|item| at(path, argument, Some(item), bindings).is_ok())
            }
            "$each" => {
                let Value::Array(items) = value else { return wrong("an array") };
                for (index, item) in items.iter().enumerate() {
                    at(&format!("{path}[{index}]"), argument, Some(item), bindings)?;
                }
                true
            }
            other => return Err(format!("{path}: unknown matcher {other}")),
        };
        if !holds {
            return wrong(&format!("{name} {argument}"));
        }
    }
    Ok(())
}

/// Each pattern matches some item, and no item two of them.
fn contains(path: &str, patterns: &Value, value: &Value, bindings: &mut Bindings) -> Result<(), String> {
    let (Value::Array(patterns), Value::Array(items)) = (patterns, value) else {
        return Err(format!("{path}: expected an array, found {value}"));
    };
    let mut left: Vec<&Value> = items.iter().collect();
    for pattern in patterns {
        match left.iter().position(|item| at(path, pattern, Some(item), bindings).is_ok()) {
            Some(place) => drop(left.remove(place)),
            None => return Err(format!("{path}: no item matches {pattern}: {value}")),
        }
    }
    Ok(())
}

fn length(value: &Value) -> Option<u64> {
    Some(match value {
        Value::String(text) => text.chars().count() as u64,
        Value::Array(items) => items.len() as u64,
        Value::Object(members) => members.len() as u64,
        _ => return None,
    })
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn string(value: &Value, of: &str) -> Result<String, String> {
    value.as_str().map(ToOwned::to_owned).ok_or_else(|| format!("{of} needs a string"))
}

fn strings(value: &Value) -> Vec<&str> {
    match value {
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        other => other.as_str().into_iter().collect(),
    }
}

/// Puts values in: `"${name}"` becomes the value itself, `${name}` inside a longer text its text, `${repeat:text:times}` a long text.
pub fn fill(value: &Value, bindings: &Bindings) -> Result<Value, String> {
    Ok(match value {
        Value::String(text) => {
            let whole = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
            match whole.filter(|name| !name.contains(['$', '{', ':'])) {
                Some(name) => bindings.get(name).cloned().ok_or_else(|| format!("nothing is called {name:?}"))?,
                None => Value::String(fill_text(text, bindings)?),
            }
        }
        Value::Array(items) => Value::Array(items.iter().map(|item| fill(item, bindings)).collect::<Result<_, _>>()?),
        Value::Object(members) => {
            let filled = members.iter().map(|(key, value)| Ok((fill_text(key, bindings)?, fill(value, bindings)?)));
            Value::Object(filled.collect::<Result<_, String>>()?)
        }
        other => other.clone(),
    })
}

fn fill_text(text: &str, bindings: &Bindings) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        out.push_str(&rest[..start]);
        let end = rest[start..].find('}').ok_or("`${` without `}`")? + start;
        let name = &rest[start + 2..end];
        match name.strip_prefix("repeat:").and_then(|arguments| arguments.rsplit_once(':')) {
            Some((piece, times)) => out.push_str(&piece.repeat(times.parse().map_err(|_| "`repeat` needs a number")?)),
            None => match bindings.get(name).ok_or_else(|| format!("nothing is called {name:?}"))? {
                Value::String(text) => out.push_str(text),
                other => out.push_str(&other.to_string()),
            },
        }
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn matches(pattern: Value, actual: Value) -> bool {
        check(&pattern, &actual, &mut Bindings::new()).is_ok()
    }

    #[test]
    fn objects_are_open_and_arrays_are_exact() {
        assert!(matches(json!({"a": 1}), json!({"a": 1, "b": 2})));
        assert!(!matches(json!({"$closed": true, "a": 1}), json!({"a": 1, "b": 2})));
        assert!(!matches(json!([1]), json!([1, 2])));
        assert!(!matches(json!({"a": 1}), json!({})));
    }

    #[test]
    fn matchers_say_no_too() {
        assert!(matches(json!({"a": {"$absent": true}}), json!({})));
        assert!(!matches(json!({"a": {"$absent": true}}), json!({"a": null})));
        assert!(!matches(json!({"$type": "string"}), json!(1)));
        assert!(!matches(json!({"$has": "x"}), json!("abc")));
        assert!(!matches(json!({"$lacks": "b"}), json!("abc")));
        assert!(!matches(json!({"$length": 2}), json!([1])));
        assert!(!matches(json!({"$contains": [1, 1]}), json!([1, 2])));
        assert!(!matches(json!({"$excludes": 1}), json!([1, 2])));
        assert!(!matches(json!({"$each": {"$type": "integer"}}), json!([1, "a"])));
        assert!(!matches(json!({"$not": 1}), json!(1)));
        assert!(!matches(json!({"$unheard": 1}), json!(1)));
    }

    #[test]
    fn values_are_caught_and_filled_in() {
        let mut bindings = Bindings::new();
        check(&json!({"id": {"$bind": "id"}}), &json!({"id": 7}), &mut bindings).unwrap();
        assert_eq!(fill(&json!(["${id}", "n${id}", "${repeat:ab:2}"]), &bindings).unwrap(), json!([7, "n7", "abab"]));
        assert!(fill(&json!("${nothing}"), &bindings).is_err());
    }
}
