//! The specification's own schemas, one for each revision.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde_json::{Value, json};

type Compiled = Arc<jsonschema::Validator>;
/// By revision and definition; none where the revision has no such definition.
type Cache = Mutex<HashMap<(String, String), Option<Compiled>>>;

/// Checks against the specification's own schema of the revision.
pub fn conforms(revision: &str, kind: &str, value: &Value) -> Result<(), String> {
    let Some(validator) = validator(revision, kind) else { return Ok(()) };
    let problems: Vec<_> =
        validator.iter_errors(value).map(|error| format!("{} at {}", error, error.instance_path())).collect();
    if problems.is_empty() { Ok(()) } else { Err(problems.join("; ")) }
}

fn validator(revision: &str, kind: &str) -> Option<Compiled> {
    static CACHE: OnceLock<Cache> = OnceLock::new();
    let mut cache = CACHE.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    let key = (revision.to_owned(), kind.to_owned());
    cache.entry(key).or_insert_with(|| compile(revision, kind)).clone()
}

fn compile(revision: &str, kind: &str) -> Option<Compiled> {
    let path = format!("{}/../spec/{revision}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the specification's schema");
    let mut schema: Value = serde_json::from_str(&text).expect("the specification's schema is JSON");
    let place = if schema.get("$defs").is_some() { "$defs" } else { "definitions" };
    schema[place].get(kind)?;
    schema["$ref"] = json!(format!("#/{place}/{kind}"));
    let options = jsonschema::options().should_validate_formats(false);
    Some(Arc::new(options.build(&schema).expect("the specification's schema compiles")))
}
