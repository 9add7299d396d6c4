//! A schema as a graph: which sub-schema applies to which part of an instance. What bounds and budgets count on.

use std::collections::HashMap;

use jsonschema::Draft;
use serde_json::{Map, Value};

use super::refs::Index;
use crate::error::Result;

/// The part of an instance that a sub-schema applies to. Where the exact rule would need a look at patterns or at other
/// keywords' results, the larger part is named: counting too much is safe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The instance itself.
    Here,
    /// The member of this name.
    Member(Box<str>),
    /// Every member's value.
    Members,
    /// Every member's name.
    Names,
    /// The item at this index.
    Item(usize),
    /// The items from this index on.
    Items(usize),
    /// Nothing: a definition that only references lead to.
    Nowhere,
}

/// One sub-schema.
#[derive(Debug)]
pub(super) struct Node {
    /// Comparisons that applying it once may need.
    pub weight: usize,
    /// What compiling it costs beyond that: each pattern becomes an automaton.
    pub build: usize,
    pub edges: Box<[(Place, u32)]>,
}

/// All sub-schemas of a schema; the first is the root.
#[derive(Debug)]
pub(super) struct Graph {
    pub nodes: Vec<Node>,
    /// Whether failed branches of `anyOf` or `oneOf` exist, whose errors hold copies of the instance.
    pub has_unions: bool,
}

impl Graph {
    /// Follows every keyword and reference of `root` once.
    ///
    /// # Errors
    /// A reference that leads out of the schema or to nothing.
    pub fn new(root: &Value, draft: Draft) -> Result<Self> {
        let index = Index::new(root, draft)?;
        let mut numbers = HashMap::from([(std::ptr::from_ref(root), 0)]);
        let mut order = vec![root];
        let mut graph = Self { nodes: Vec::new(), has_unions: false };
        while let Some(&value) = order.get(graph.nodes.len()) {
            let mut edges = Vec::new();
            let (mut weight, mut build) = (1, 0);
            if let Value::Object(schema) = value {
                let mut number = |child| {
                    *numbers.entry(std::ptr::from_ref(child)).or_insert_with(|| {
                        order.push(child);
                        (order.len() - 1) as u32
                    })
                };
                for (place, child) in applicators(schema) {
                    let child = number(child);
                    if place != Place::Nowhere {
                        edges.push((place, child));
                    }
                }
                edges.extend(index.targets(value, schema)?.into_iter().map(|target| (Place::Here, number(target))));
                weight += own_weight(schema);
                build = patterns(schema) * PATTERN_COST;
                graph.has_unions |= schema.contains_key("anyOf") || schema.contains_key("oneOf");
            }
            graph.nodes.push(Node { weight, build, edges: edges.into_boxed_slice() });
        }
        Ok(graph)
    }
}

/// An automaton may take 256 KiB (`compile`), so that a schema at the default cost limit stays below half a GiB at worst.
const PATTERN_COST: usize = 64;

fn patterns(schema: &Map<String, Value>) -> usize {
    let of_members = schema.get("patternProperties").and_then(Value::as_object).map_or(0, Map::len);
    of_members + usize::from(schema.contains_key("pattern"))
}

/// Mixed enumerations are compared one by one; those of strings are looked up, however long (S13).
fn own_weight(schema: &Map<String, Value>) -> usize {
    let compared = schema.get("enum").and_then(Value::as_array).filter(|options| !options.iter().all(Value::is_string));
    compared.map_or(0, Vec::len) + schema.get("required").and_then(Value::as_array).map_or(0, |names| names.len() / 8)
}

/// The sub-schemas directly in `schema`, with the place that each applies to, over all supported dialects.
pub(super) fn applicators(schema: &Map<String, Value>) -> Vec<(Place, &Value)> {
    let mut found = Vec::new();
    for (keyword, value) in schema {
        match (keyword.as_str(), value) {
            ("allOf" | "anyOf" | "oneOf", Value::Array(branches)) => {
                found.extend(branches.iter().map(|branch| (Place::Here, branch)));
            }
            ("not" | "if" | "then" | "else", _) => found.push((Place::Here, value)),
            ("dependentSchemas" | "dependencies", Value::Object(members)) => {
                let schemas = members.values().filter(|value| !value.is_array());
                found.extend(schemas.map(|branch| (Place::Here, branch)));
            }
            ("properties", Value::Object(members)) => {
                found.extend(members.iter().map(|(name, value)| (Place::Member(name.as_str().into()), value)));
            }
            ("patternProperties", Value::Object(members)) => {
                found.extend(members.values().map(|value| (Place::Members, value)));
            }
            ("additionalProperties" | "unevaluatedProperties", _) => found.push((Place::Members, value)),
            ("propertyNames", _) => found.push((Place::Names, value)),
            ("prefixItems" | "items", Value::Array(items)) => {
                found.extend(items.iter().enumerate().map(|(index, item)| (Place::Item(index), item)));
            }
            ("items" | "additionalItems" | "unevaluatedItems" | "contains", _) => {
                let first = if keyword == "items" { prefix_items(schema) } else { 0 };
                found.push((Place::Items(first), value));
            }
            ("$defs" | "definitions", Value::Object(members)) => {
                found.extend(members.values().map(|value| (Place::Nowhere, value)));
            }
            ("contentSchema", _) => found.push((Place::Nowhere, value)),
            _ => {}
        }
    }
    found
}

fn prefix_items(schema: &Map<String, Value>) -> usize {
    schema.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len)
}
