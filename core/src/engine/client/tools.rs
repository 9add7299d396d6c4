//! What a client knows of its server's tools, learned from each listing: what calls need of them, and what tells one state of the
//! list from another.

use std::sync::Arc;

use ring::digest::{self, SHA256};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::host::{Token, ToolsDiff};
use super::output::Output;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::model::params;
use crate::schema::xheader::HeaderMap;
use crate::wire::{raw, write};

/// A SHA-256 digest.
type Digest = [u8; 32];

/// One tool.
#[derive(Debug)]
pub(super) struct Tool {
    pub name: Box<str>,
    /// Of the definition as it came: what is the same text needs no second look, and keeps its compiled schema.
    text: Digest,
    /// Of what a model sees of it; see [`tool_hash`].
    hash: Digest,
    /// It says that it only reads or is idempotent, so that a call whose fate is unknown may be sent again.
    pub may_repeat: bool,
    /// What HTTP headers repeat of its arguments.
    pub mirror: HeaderMap,
    /// How its structured results must be.
    pub output: Option<Output>,
}

impl Tool {
    /// The result of a call of it, if it keeps to the output schema.
    ///
    /// # Errors
    /// See [`Output::check`].
    pub fn checked(&self, result: Box<RawValue>, report: impl FnOnce(String)) -> Result<Box<RawValue>> {
        match &self.output {
            Some(output) => output.check(&self.name, result, report),
            None => Ok(result),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Definition<'a> {
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    description: Option<&'a RawValue>,
    #[serde(borrow)]
    input_schema: Option<&'a RawValue>,
    #[serde(borrow)]
    output_schema: Option<&'a RawValue>,
    #[serde(borrow)]
    annotations: Option<&'a RawValue>,
}

impl<'a> Definition<'a> {
    fn read(raw: &'a RawValue) -> Result<Self> {
        match raw::is_object(raw) {
            true => serde_json::from_str(raw.get()).map_err(|error| Error::definition(error.to_string())),
            false => Err(Error::definition(format!("it is {}, not an object", params::kind_of(raw)))),
        }
    }

    fn hash(&self) -> Digest {
        let mut out = Vec::with_capacity(512);
        for part in [self.name, self.description, self.input_schema, self.output_schema] {
            out.push(if out.is_empty() { b'[' } else { b',' });
            match part.map(|part| (part.get(), serde_json::from_str::<Value>(part.get()))) {
                Some((_, Ok(value))) => canonical(&mut out, &value),
                // Too deep for a tree: such a schema is compared as it is written.
                Some((text, Err(_))) => out.extend_from_slice(text.as_bytes()),
                None => out.extend_from_slice(b"null"),
            }
        }
        out.push(b']');
        digest_of(&[&out])
    }

    fn says(&self, hint: &str) -> bool {
        let hint = self.annotations.and_then(|annotations| raw::get(annotations, hint).ok().flatten());
        hint.is_some_and(|hint| hint.get() == "true")
    }
}

/// The definition with an `inputSchema` that takes any arguments, if it has none or null: the tool can be called all the same (F06), and every
/// language's type of a tool has that member. None for a definition that has one, or that is no object.
pub(super) fn whole(definition: &RawValue) -> Option<Box<RawValue>> {
    let members = raw::members(definition).ok()?;
    // First, because nearly every tool has one: nothing is written for those.
    if members.clone().any(|(name, value)| name == "inputSchema" && value.get() != "null") {
        return None;
    }
    let mut out = b"{".to_vec();
    for (name, value) in members.filter(|(name, _)| name != "inputSchema") {
        write::member(&mut out, &name, value.get().as_bytes());
    }
    write::member(&mut out, "inputSchema", br#"{"type":"object"}"#);
    write::close(&mut out);
    RawValue::from_string(String::from_utf8(out).ok()?).ok()
}

/// The SHA-256 digest of what a model sees of a tool: `[name, description, inputSchema, outputSchema]` as canonical JSON, without
/// white space and with the members of objects sorted. Two definitions with the same digest differ in nothing that a host would have
/// to ask its user about again.
///
/// # Errors
/// `Definition` for text that is no JSON object, or that has one of these members twice.
pub fn tool_hash(definition: &RawValue) -> Result<[u8; 32]> {
    Definition::read(definition).map(|definition| definition.hash())
}

/// Writes a value with sorted members. A map of `serde_json` keeps them sorted or in their order, as the features of a build have it.
fn canonical(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            out.push(b'{');
            for (name, value) in members {
                write::key(out, name);
                canonical(out, value);
            }
            write::close(out);
        }
        Value::Array(items) => {
            out.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                canonical(out, item);
            }
            out.push(b']');
        }
        Value::String(text) => write::string(out, text),
        Value::Null | Value::Bool(_) | Value::Number(_) => out.extend_from_slice(value.to_string().as_bytes()),
    }
}

fn digest_of(parts: &[&[u8]]) -> Digest {
    let mut context = digest::Context::new(&SHA256);
    parts.iter().for_each(|part| context.update(part));
    let mut digest = Digest::default();
    digest.copy_from_slice(context.finish().as_ref());
    digest
}

/// How the tools of a listing are read.
#[derive(Clone, Copy)]
pub(super) struct Reading<'a> {
    /// Arguments are mirrored into headers, so a tool whose annotations break a rule is unusable (X10).
    pub mirrors: bool,
    /// Results are checked.
    pub checks: bool,
    pub limits: &'a Limits,
}

/// The tools that were listed.
#[derive(Debug, Default)]
pub(super) struct Tools {
    known: FxHashMap<Box<str>, Arc<Tool>>,
    /// The call that the whole list was learned from; none when it was never listed.
    from: Option<Token>,
    /// Whether a tool mirrors arguments or describes its results.
    have_rules: bool,
}

impl Tools {
    pub fn get(&self, name: &str) -> Option<&Arc<Tool>> {
        self.known.get(name)
    }

    /// Whether a call must look its tool up: most servers' tools neither mirror arguments nor describe results.
    pub fn have_rules(&self) -> bool {
        self.have_rules
    }

    /// Whether the whole list was read once.
    pub fn are_listed(&self) -> bool {
        self.from.is_some()
    }

    /// Reads one definition.
    ///
    /// # Errors
    /// `Definition` for one that nobody could call: it is set aside, and the others of its list are not.
    pub fn read(&self, definition: &RawValue, how: Reading<'_>) -> Result<Arc<Tool>> {
        let read = Definition::read(definition)?;
        let name = match read.name {
            Some(name) => params::text(name, "name").map_err(|error| Error::definition(error.message()))?,
            None => return Err(Error::definition("it has no `name`")),
        };
        let wrong = |what: &str| Error::definition(format!("the tool `{}` {what}", name.escape_debug()));
        let text = digest_of(&[definition.get().as_bytes(), &[how.mirrors.into(), how.checks.into()]]);
        if let Some(known) = self.get(&name).filter(|known| known.text == text) {
            return Ok(Arc::clone(known));
        }
        let input = read.input_schema.ok_or_else(|| wrong("has no `inputSchema`"))?;
        if !raw::is_object(input) {
            return Err(wrong(&format!("has an `inputSchema` that is {}", params::kind_of(input))));
        }
        let mirror = match how.mirrors {
            true => HeaderMap::from_schema(input.get()).map_err(|error| wrong(&format!("is unusable: {error}")))?,
            false => HeaderMap::default(),
        };
        let output = read.output_schema.filter(|_| how.checks).map(|schema| Output::new(schema.get(), how.limits));
        Ok(Arc::new(Tool {
            text,
            hash: read.hash(),
            may_repeat: read.says("readOnlyHint") || read.says("idempotentHint"),
            mirror,
            output,
            name: name.into(),
        }))
    }

    /// Adds tools of one page, or of a list that only this caller sees.
    pub fn add(&mut self, tools: Vec<Arc<Tool>>) {
        self.known.extend(tools.into_iter().map(|tool| (tool.name.clone(), tool)));
        self.look();
    }

    fn look(&mut self) {
        self.have_rules = self.known.values().any(|tool| tool.output.is_some() || !tool.mirror.is_empty());
    }

    /// Takes the whole list as call `from` read it, unless a younger call was here first: the last state wins. Says what is different.
    pub fn replace(&mut self, tools: Vec<Arc<Tool>>, from: Token) -> ToolsDiff {
        if self.from.is_some_and(|last| last > from) {
            return ToolsDiff::default();
        }
        self.from = Some(from);
        let new = tools.into_iter().map(|tool| (tool.name.clone(), tool)).collect();
        let old = std::mem::replace(&mut self.known, new);
        self.look();
        let mut diff = ToolsDiff::default();
        for (name, tool) in &self.known {
            match old.get(name) {
                None => diff.added.push(name.clone()),
                Some(before) if before.hash != tool.hash => diff.changed.push(name.clone()),
                Some(_) => {}
            }
        }
        diff.removed.extend(old.into_keys().filter(|name| !self.known.contains_key(name)));
        for names in [&mut diff.added, &mut diff.removed, &mut diff.changed] {
            names.sort_unstable();
        }
        diff
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> &RawValue {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_hash_is_of_meaning_and_not_of_spelling() {
        let hash = |text| tool_hash(raw(text)).unwrap();
        let one = hash(r#"{"name":"t","inputSchema":{"type":"object","properties":{"a":{},"b":{}}},"title":"T"}"#);
        let same = hash(r#"{"inputSchema":{"properties":{"b":{}, "\u0061":{}},"type":"object"},"name":"t"}"#);
        assert_eq!(one, same);
        for other in [
            r#"{"name":"t","description":"d","inputSchema":{"type":"object","properties":{"a":{},"b":{}}}}"#,
            r#"{"name":"t","inputSchema":{"type":"object","properties":{"a":{},"b":{}}},"outputSchema":{}}"#,
            r#"{"name":"u","inputSchema":{"type":"object","properties":{"a":{},"b":{}}}}"#,
        ] {
            assert_ne!(one, hash(other), "{other}");
        }
        assert!(tool_hash(raw("[]")).is_err());
    }

    #[test]
    fn a_tool_without_an_input_schema_gets_one() {
        let made = whole(raw(r#"{"name":"t","x":[1]}"#)).unwrap();
        assert_eq!(made.get(), r#"{"name":"t","x":[1],"inputSchema":{"type":"object"}}"#);
        assert_eq!(whole(raw(r#"{"inputSchem\u0061":null}"#)).unwrap().get(), r#"{"inputSchema":{"type":"object"}}"#);
        for kept in [r#"{"name":"t","inputSchema":"x"}"#, "[]", "7"] {
            assert!(whole(raw(kept)).is_none(), "{kept}");
        }
    }

    #[test]
    fn what_a_tool_says_of_repeats_counts_and_nothing_else() {
        let limits = Limits::default();
        let read = |annotations: &str| {
            let text = format!(r#"{{"name":"t","inputSchema":{{}},"annotations":{annotations}}}"#);
            let how = Reading { mirrors: true, checks: true, limits: &limits };
            Tools::default().read(raw(&text), how).unwrap().may_repeat
        };
        assert!(read(r#"{"readOnlyHint":true}"#) && read(r#"{"idempotentHint":true,"destructiveHint":true}"#));
        for no in ["null", "{}", r#"{"readOnlyHint":false}"#, r#"{"readOnlyHint":"true"}"#, "[]"] {
            assert!(!read(no), "{no}");
        }
    }

    #[test]
    fn a_diff_is_sorted_and_an_old_list_does_not_win() {
        let limits = Limits::default();
        let how = Reading { mirrors: false, checks: true, limits: &limits };
        let mut tools = Tools::default();
        let read = |tools: &Tools, names: &[(&str, &str)]| -> Vec<_> {
            let define = |(name, text): &(&str, &str)| {
                format!(r#"{{"name":"{name}","description":"{text}","inputSchema":{{}}}}"#)
            };
            names.iter().map(|tool| tools.read(raw(&define(tool)), how).unwrap()).collect()
        };
        let first = read(&tools, &[("b", ""), ("a", ""), ("c", "")]);
        assert_eq!(tools.replace(first, 5).added, ["a".into(), "b".into(), "c".into()]);
        let second = read(&tools, &[("d", ""), ("b", "new"), ("a", "")]);
        assert!(Arc::ptr_eq(&second[2], tools.get("a").unwrap()), "the same text is not read again");
        let expected = ToolsDiff { added: vec!["d".into()], removed: vec!["c".into()], changed: vec!["b".into()] };
        assert_eq!(tools.replace(second, 9), expected);
        let late = read(&tools, &[]);
        assert_eq!(tools.replace(late, 7), ToolsDiff::default());
        assert!(tools.get("a").is_some());
    }
}
