//! Where the references of a schema lead, inside that schema only.

use std::collections::HashMap;

use jsonschema::Draft;
use serde_json::{Map, Value};

use super::graph::applicators;
use crate::error::{Error, Result};

/// Identifiers and anchors of one schema document.
///
/// An embedded resource is found by the very text of its identifier: an absolute one from anywhere, a relative one from the
/// resource that holds it. Two spellings of one URI are therefore two names here, which can only refuse, never misdirect.
pub(super) struct Index<'v> {
    root: &'v Value,
    /// The keyword that names a resource: `id` in draft-04, where others have it as a mere annotation.
    id_keyword: &'static str,
    resources: Vec<&'v Value>,
    resource_of: HashMap<*const Value, usize>,
    ids: HashMap<(Option<usize>, &'v str), usize>,
    anchors: HashMap<(usize, &'v str), &'v Value>,
    dynamic: HashMap<&'v str, Vec<&'v Value>>,
}

impl<'v> Index<'v> {
    /// Reads every identifier and anchor; a name given twice is refused, since readers could disagree about its meaning.
    pub fn new(root: &'v Value, draft: Draft) -> Result<Self> {
        let mut index = Self {
            root,
            id_keyword: id_keyword(draft),
            resources: vec![root],
            resource_of: HashMap::new(),
            ids: HashMap::new(),
            anchors: HashMap::new(),
            dynamic: HashMap::new(),
        };
        let mut open = vec![(root, 0)];
        while let Some((value, outer)) = open.pop() {
            let Value::Object(schema) = value else { continue };
            let resource = index.read_id(value, schema, outer)?;
            index.resource_of.insert(value, resource);
            if let Some(name) = text(schema, "$anchor") {
                index.anchor(resource, name, value)?;
            }
            if let Some(name) = text(schema, "$dynamicAnchor") {
                index.anchor(resource, name, value)?;
                index.dynamic.entry(name).or_default().push(value);
            }
            open.extend(applicators(schema).into_iter().map(|(_, child)| (child, resource)));
        }
        Ok(index)
    }

    fn read_id(&mut self, value: &'v Value, schema: &'v Map<String, Value>, outer: usize) -> Result<usize> {
        let Some(id) = text(schema, self.id_keyword) else { return Ok(outer) };
        // Before 2019-09 an identifier that is only a fragment was what `$anchor` is now.
        if let Some(name) = id.strip_prefix('#').filter(|name| !name.is_empty()) {
            self.anchor(outer, name, value)?;
            return Ok(outer);
        }
        let id = id.trim_end_matches('#');
        let resource = if std::ptr::eq(value, self.root) {
            0
        } else {
            self.resources.push(value);
            self.resources.len() - 1
        };
        let scope = if is_absolute(id) { None } else { Some(outer) };
        if !id.is_empty() && self.ids.insert((scope, id), resource).is_some() {
            return Err(Error::definition(format!("schema identifier {id:?} appears twice")));
        }
        Ok(resource)
    }

    fn anchor(&mut self, resource: usize, name: &'v str, value: &'v Value) -> Result<()> {
        match self.anchors.insert((resource, name), value) {
            Some(other) if !std::ptr::eq(other, value) => {
                Err(Error::definition(format!("schema anchor {name:?} appears twice")))
            }
            _ => Ok(()),
        }
    }

    /// Every schema that the references of `holder` may lead to.
    pub fn targets(&self, holder: &'v Value, schema: &'v Map<String, Value>) -> Result<Vec<&'v Value>> {
        let mut found = Vec::new();
        if let Some(reference) = text(schema, "$ref") {
            found.push(self.resolve(holder, "$ref", reference)?);
        }
        if let Some(reference) = text(schema, "$dynamicRef") {
            let target = self.resolve(holder, "$dynamicRef", reference)?;
            found.push(target);
            // Which of the equally named anchors is meant depends on the way taken: count them all.
            if let Some((_, name)) = reference.split_once('#') {
                let others = self.dynamic.get(name).into_iter().flatten().copied();
                found.extend(others.filter(|other| !std::ptr::eq(*other, target)));
            }
        }
        if schema.contains_key("$recursiveRef") {
            found.push(self.resources[self.resource(holder)]);
            found.push(self.root);
        }
        Ok(found)
    }

    fn resolve(&self, holder: &Value, keyword: &str, reference: &str) -> Result<&'v Value> {
        let here = self.resource(holder);
        let (uri, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let scope = if is_absolute(uri) { None } else { Some(here) };
        let resource = if uri.is_empty() { Some(here) } else { self.ids.get(&(scope, uri)).copied() };
        let Some(resource) = resource else {
            return Err(self.unresolved(holder, keyword, reference, "external reference; nothing is ever fetched"));
        };
        let fragment = decode_fragment(fragment);
        let target = if fragment.is_empty() || fragment.starts_with('/') {
            self.resources[resource].pointer(&fragment)
        } else {
            self.anchors.get(&(resource, fragment.as_str())).copied()
        };
        match target {
            Some(target) if target.is_object() || target.is_boolean() => Ok(target),
            Some(_) => Err(self.unresolved(holder, keyword, reference, "its target is not a schema")),
            None => Err(self.unresolved(holder, keyword, reference, "no such definition")),
        }
    }

    fn resource(&self, holder: &Value) -> usize {
        self.resource_of.get(&std::ptr::from_ref(holder)).copied().unwrap_or(0)
    }

    fn unresolved(&self, holder: &Value, keyword: &str, reference: &str, why: &str) -> Error {
        let at = pointer_to(self.root, holder).unwrap_or_default();
        Error::definition(format!("unresolved {keyword} {reference:?} at {at}/{keyword}: {why}"))
    }
}

pub(super) fn id_keyword(draft: Draft) -> &'static str {
    if draft == Draft::Draft4 { "id" } else { "$id" }
}

/// The JSON pointer of `target` in `root`. Searched only when an error needs it, so that a walk keeps no paths.
pub(super) fn pointer_to(root: &Value, target: &Value) -> Option<String> {
    if std::ptr::eq(root, target) {
        return Some(String::new());
    }
    match root {
        Value::Array(items) => items.iter().enumerate().find_map(|(index, item)| {
            let rest = pointer_to(item, target)?;
            Some(format!("/{index}{rest}"))
        }),
        Value::Object(members) => members.iter().find_map(|(name, value)| {
            let rest = pointer_to(value, target)?;
            Some(format!("/{}{rest}", name.replace('~', "~0").replace('/', "~1")))
        }),
        _ => None,
    }
}

fn text<'v>(schema: &'v Map<String, Value>, keyword: &str) -> Option<&'v str> {
    schema.get(keyword).and_then(Value::as_str)
}

/// Whether a URI reference starts with a scheme.
fn is_absolute(uri: &str) -> bool {
    uri.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    })
}

fn decode_fragment(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let [first, tail @ ..] = rest {
        let pair = tail.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        match pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
