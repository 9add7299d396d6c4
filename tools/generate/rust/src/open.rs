//! What no generator knows: enumerations and unions which keep a value of a later revision.
//!
//! Written as calls of the macros in `core/src/types/open.rs`, so that the code of each kind exists once.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::Failure;

/// The models that are no structs, as source text.
pub fn definitions(models: &Map<String, Value>) -> Result<String, Failure> {
    let mut out = String::new();
    for (name, model) in models.iter().filter(|(_, model)| model.get("properties").is_none()) {
        out.push('\n');
        definition(&mut out, name, model)?;
    }
    Ok(out)
}

fn definition(out: &mut String, name: &str, model: &Value) -> Result<(), Failure> {
    let about = text(&model["description"]);
    if let Some(values) = model["enum"].as_array() {
        writeln!(out, "open_enum! {{\n{}    {name} {{", document(about, "    "))?;
        for value in values.iter().map(text) {
            writeln!(out, "        {} = {value:?},", pascal(value))?;
        }
        writeln!(out, "    }}\n}}")?;
    } else if let Some(variants) = model["x-union"]["variants"].as_array() {
        let about = if about.is_empty() { "One of several kinds, or what was received." } else { about };
        let tag = text(&model["x-union"]["tag"]);
        writeln!(out, "open_union! {{\n{}    {name} by {tag:?} {{", document(about, "    "))?;
        for variant in variants {
            let (short, kind) = (text(&variant["name"]), text(&variant["type"]));
            writeln!(out, "        {short}({kind}) = ({}, {}),", variant["values"], variant["absent"])?;
        }
        writeln!(out, "    }}\n}}")?;
    } else if let Some(item) = model["x-one-or-many"].as_str() {
        writeln!(out, "/// One [`{item}`] or a list of them.\npub type {name} = OneOrMany<{item}>;")?;
    } else {
        let item = text(&model["additionalProperties"]["$ref"]).rsplit('/').next();
        let item = item.filter(|item| !item.is_empty()).ok_or_else(|| format!("no form for {name}"))?;
        writeln!(out, "{}pub type {name} = BTreeMap<String, {item}>;", document(about, ""))?;
    }
    Ok(())
}

fn document(about: &str, indent: &str) -> String {
    about.lines().map(|line| format!("{indent}{}\n", format!("/// {line}").trim_end())).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// `input_required` and `date-time` as variant names.
fn pascal(value: &str) -> String {
    let words = value.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter(|word| !word.is_empty()).map(|word| word[..1].to_uppercase() + &word[1..]).collect()
}
