//! JSON Schemas of Rust types.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use crate::error::{Error, Result};
use crate::types::PromptArgument;

/// The schema of a tool's arguments.
pub(super) fn input<T: JsonSchema>() -> Value {
    derive::<T>(SchemaSettings::draft2020_12())
}

/// The schema of a tool's structured content; none for a type of which it says nothing.
pub(super) fn output<T: JsonSchema>() -> Option<Value> {
    let schema = derive::<T>(SchemaSettings::draft2020_12().for_serialize());
    let says_nothing = match &schema {
        Value::Object(members) => members.is_empty() || members.get("type").is_some_and(|kind| kind == "null"),
        _ => true,
    };
    (!says_nothing).then_some(schema)
}

/// Without `$schema`, which is the default, and without the title, which is a name of the program: models pay for every word.
fn derive<T: JsonSchema>(mut settings: SchemaSettings) -> Value {
    settings.meta_schema = None;
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.remove("title");
    schema.to_value()
}

fn inlined<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    derive::<T>(settings)
}

/// The schema of a form, in the small language that forms have.
/// See <https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#requested-schema>.
pub(super) fn form<T: JsonSchema>() -> Result<Value> {
    let Value::Object(mut root) = inlined::<T>() else { return Err(no_form::<T>("it has no members")) };
    let Some(Value::Object(properties)) = root.remove("properties") else {
        return Err(no_form::<T>("it has no members"));
    };
    let mut fields = Map::new();
    for (name, schema) in properties {
        let field = field(schema).ok_or_else(|| {
            no_form::<T>(&format!("`{name}` is neither a text, a number, a boolean nor a choice of texts"))
        })?;
        fields.insert(name, Value::Object(field));
    }
    let mut form = Map::new();
    form.insert("type".to_owned(), "object".into());
    form.insert("properties".to_owned(), Value::Object(fields));
    if let Some(required) = root.remove("required") {
        form.insert("required".to_owned(), required);
    }
    Ok(Value::Object(form))
}

fn no_form<T: JsonSchema>(why: &str) -> Error {
    Error::definition(format!("`{}` cannot be asked for in a form: {why}", T::schema_name()))
}

/// One field of a form; none if the language of forms has no such field.
fn field(schema: Value) -> Option<Map<String, Value>> {
    let Value::Object(schema) = schema else { return None };
    let mut schema = without_null(schema)?;
    choices(&mut schema);
    if schema.get("format").and_then(Value::as_str).is_some_and(|format| !FORMATS.contains(&format)) {
        schema.remove("format");
    }
    match schema.get("type")?.as_str()? {
        "string" | "number" | "integer" | "boolean" => Some(schema),
        "array" => {
            let Some(Value::Object(mut items)) = schema.remove("items") else { return None };
            choices(&mut items);
            items.get("enum")?;
            schema.insert("items".to_owned(), Value::Object(items));
            Some(schema)
        }
        _ => None,
    }
}

/// The formats that a text of a form may have.
const FORMATS: [&str; 4] = ["email", "uri", "date", "date-time"];

/// An optional member may be left out of a form; that it may also be `null` cannot be said there.
fn without_null(mut schema: Map<String, Value>) -> Option<Map<String, Value>> {
    if let Some(Value::Array(any)) = schema.remove("anyOf") {
        let mut kinds = any.into_iter().filter(|kind| kind.get("type").is_none_or(|kind| kind != "null"));
        let (Some(Value::Object(kind)), None) = (kinds.next(), kinds.next()) else { return None };
        schema.extend(kind);
    }
    if let Some(Value::Array(kinds)) = schema.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        let [kind] = &**kinds else { return None };
        let kind = kind.clone();
        schema.insert("type".to_owned(), kind);
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
    Some(schema)
}

/// A documented choice (`oneOf` of constants) as a plain one, which every revision knows.
fn choices(schema: &mut Map<String, Value>) {
    let Some(Value::Array(kinds)) = schema.get("oneOf") else { return };
    let values: Option<Vec<Value>> = kinds
        .iter()
        .map(|kind| match (kind.get("const"), kind.get("enum")) {
            (Some(value @ Value::String(_)), _) => Some(vec![value.clone()]),
            (None, Some(Value::Array(values))) => Some(values.clone()),
            _ => None,
        })
        .collect::<Option<Vec<_>>>()
        .map(|values| values.concat());
    if let Some(values) = values {
        schema.remove("oneOf");
        schema.insert("type".to_owned(), "string".into());
        schema.insert("enum".to_owned(), Value::Array(values));
    }
}

/// The arguments of a prompt: the members of `T`, all of them texts.
pub(super) fn prompt_arguments<T: JsonSchema>(prompt: &str) -> Result<Vec<PromptArgument>> {
    let Value::Object(mut root) = inlined::<T>() else { return Ok(Vec::new()) };
    let required = root.remove("required").unwrap_or_default();
    let is_required = |name: &str| required.as_array().is_some_and(|names| names.iter().any(|known| known == name));
    let Some(Value::Object(properties)) = root.remove("properties") else { return Ok(Vec::new()) };
    properties
        .into_iter()
        .map(|(name, schema)| {
            let field = field(schema).filter(|field| field.get("type").is_some_and(|kind| kind == "string"));
            let Some(field) = field else {
                return Err(Error::definition(format!(
                    "prompt `{prompt}`: the argument `{name}` must be a text, as prompts take nothing else"
                )));
            };
            let mut argument = PromptArgument::new(name.as_str());
            argument.description = field.get("description").and_then(Value::as_str).map(ToOwned::to_owned);
            argument.required = is_required(&name).then_some(true);
            Ok(argument)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};
    use serde_json::json;

    use super::*;

    #[derive(Serialize, Deserialize, JsonSchema)]
    #[allow(dead_code)]
    struct Booking {
        /// Whose table it is.
        name: String,
        guests: u8,
        window: Option<bool>,
        meal: Option<Meal>,
        menu: Menu,
    }

    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    #[allow(dead_code)]
    enum Meal {
        Lunch,
        Dinner,
    }

    #[derive(Serialize, Deserialize, JsonSchema)]
    #[allow(dead_code)]
    enum Menu {
        /// With meat.
        A,
        /// Without.
        B,
    }

    #[test]
    fn a_form_knows_only_what_forms_know() {
        let form = form::<Booking>().unwrap();
        assert_eq!(
            form,
            json!({
                "type": "object",
                "properties": {
                    "name": {"type": "string", "description": "Whose table it is."},
                    "guests": {"type": "integer", "minimum": 0, "maximum": 255},
                    "window": {"type": "boolean"},
                    "meal": {"type": "string", "enum": ["lunch", "dinner"]},
                    "menu": {"type": "string", "enum": ["A", "B"]},
                },
                "required": ["name", "guests", "menu"],
            })
        );
    }

    #[test]
    fn what_is_no_form_is_named() {
        #[derive(JsonSchema)]
        #[allow(dead_code)]
        struct Nested {
            booking: Booking,
        }
        let error = form::<Nested>().unwrap_err();
        assert!(error.message().contains("`Nested`") && error.message().contains("`booking`"), "{error}");
    }

    #[test]
    fn prompt_arguments_are_texts() {
        #[derive(JsonSchema)]
        #[allow(dead_code)]
        struct Greet {
            /// Who is greeted.
            name: String,
            style: Option<String>,
        }
        let arguments = prompt_arguments::<Greet>("greet").unwrap();
        let text = serde_json::to_value(&arguments).unwrap();
        assert_eq!(
            text,
            json!([{"name": "name", "description": "Who is greeted.", "required": true}, {"name": "style"}])
        );
        assert!(prompt_arguments::<Booking>("book").unwrap_err().message().contains("`guests`"));
    }

    #[test]
    fn a_schema_that_says_nothing_is_not_published() {
        assert_eq!(output::<()>(), None);
        assert_eq!(output::<Value>(), None);
        assert_eq!(output::<String>(), Some(json!({"type": "string"})));
    }
}
