//! What a schema may be: its size, depth, cost, dialect and references. Checked before anything is compiled.
//!
//! See <https://modelcontextprotocol.io/specification/2026-07-28/basic#json-schema-usage>.

use jsonschema::Draft;
use serde_json::Value;

use super::graph::{Graph, Place};
use super::parse::{Unreadable, parse};
use crate::error::{Error, Result};
use crate::limits::Limits;

/// References let a short schema be deep; this many times `schema_depth` sub-schemas may hang below one another.
const DEPTH_BY_REFERENCE: usize = 4;

/// A schema that passed, with what later budgets need to know of it.
#[derive(Debug)]
pub(super) struct Bounded {
    pub value: Value,
    pub draft: Draft,
    pub graph: Graph,
    /// Sub-schemas after references are followed; a recursive reference counts once.
    pub cost: usize,
    /// Whether a sub-schema contains itself, so that the instance decides how often it is applied.
    pub recursive: bool,
}

/// Checks a schema without compiling it.
///
/// # Errors
/// `Limit` naming `schema_bytes`, `schema_depth` or `schema_cost`; `Definition` for text that is no JSON object or boolean, an
/// unknown dialect, and a reference that leads out of the schema, to nothing, or straight back to itself.
pub fn check(text: &str, limits: &Limits) -> Result<()> {
    bounded(text, limits).map(drop)
}

pub(super) fn bounded(text: &str, limits: &Limits) -> Result<Bounded> {
    if text.len() > limits.schema_bytes {
        return Err(Error::limit("schema_bytes", limits.schema_bytes, format_args!("schema of {} bytes", text.len())));
    }
    let value = read(text, limits.schema_depth)?;
    let draft = dialect(&value)?;
    let graph = Graph::new(&value, draft)?;
    let survey = Survey::of(&graph, limits)?;
    Ok(Bounded { value, draft, cost: survey.cost, recursive: survey.recursive, graph })
}

/// Parses a schema; `depth` bounds the nesting of its text.
pub(super) fn read(text: &str, depth: usize) -> Result<Value> {
    match parse(text, depth) {
        Ok(parsed) if parsed.value.is_object() || parsed.value.is_boolean() => Ok(parsed.value),
        Ok(_) => Err(Error::definition("a schema must be a JSON object or a boolean")),
        Err(Unreadable::TooDeep) => Err(Error::limit("schema_depth", depth, "nesting of the schema")),
        Err(Unreadable::Malformed(why)) => Err(Error::definition(format!("schema is not valid JSON: {why}"))),
    }
}

/// The dialect that `$schema` names; 2020-12 when it is absent. One document has one dialect.
pub(super) fn dialect(schema: &Value) -> Result<Draft> {
    let Some(named) = schema.get("$schema") else { return Ok(Draft::Draft202012) };
    let uri = named.as_str().unwrap_or_default();
    let bare = uri.trim_end_matches('#');
    let path = bare.strip_prefix("https://").or_else(|| bare.strip_prefix("http://")).unwrap_or_default();
    match path {
        "json-schema.org/draft/2020-12/schema" => Ok(Draft::Draft202012),
        "json-schema.org/draft/2019-09/schema" => Ok(Draft::Draft201909),
        "json-schema.org/draft-07/schema" => Ok(Draft::Draft7),
        "json-schema.org/draft-06/schema" => Ok(Draft::Draft6),
        "json-schema.org/draft-04/schema" => Ok(Draft::Draft4),
        _ => Err(Error::definition(format!(
            "schema dialect not supported: $schema is {named} (supported: 2020-12, 2019-09, draft-07, draft-06, draft-04)"
        ))),
    }
}

/// The cost of a schema by one depth-first walk: each sub-schema is costed once, however many ways lead to it, so that 2^20
/// ways are counted in 20 steps (S13).
struct Survey<'a> {
    graph: &'a Graph,
    seen: Vec<Seen>,
    max_depth: usize,
    too_deep: bool,
    recursive: bool,
    cost: usize,
}

#[derive(Clone, Copy)]
enum Seen {
    Never,
    Open,
    Done { cost: usize, height: usize },
}

impl<'a> Survey<'a> {
    fn of(graph: &'a Graph, limits: &Limits) -> Result<Self> {
        let unseen = || vec![Seen::Never; graph.nodes.len()];
        let max_depth = limits.schema_depth;
        let mut survey = Self { graph, seen: unseen(), max_depth, too_deep: false, recursive: false, cost: 0 };
        for node in 0..graph.nodes.len() {
            survey.walk(node, 1, |place| *place == Place::Here);
        }
        if survey.recursive && !survey.too_deep {
            return Err(Error::definition("schema refers to itself without going into a member or an item"));
        }
        survey.seen = unseen();
        survey.max_depth = max_depth * DEPTH_BY_REFERENCE;
        survey.cost = survey.walk(0, 1, |_| true).0;
        if survey.too_deep {
            return Err(Error::limit("schema_depth", limits.schema_depth, "nesting of the schema by its references"));
        }
        if survey.cost > limits.schema_cost {
            return Err(Error::limit(
                "schema_cost",
                limits.schema_cost,
                "cost of the schema after following its references",
            ));
        }
        Ok(survey)
    }

    /// Cost and height of `node` over the edges that `follow` takes. Deeper than the bound it stops, so that the walk itself is
    /// safe on any stack.
    fn walk(&mut self, node: usize, depth: usize, follow: fn(&Place) -> bool) -> (usize, usize) {
        match self.seen[node] {
            Seen::Done { cost, height } => {
                self.too_deep |= depth + height > self.max_depth + 1;
                return (cost, height);
            }
            Seen::Open => {
                self.recursive = true;
                return (1, 0);
            }
            Seen::Never if depth > self.max_depth => {
                self.too_deep = true;
                return (1, 0);
            }
            Seen::Never => self.seen[node] = Seen::Open,
        }
        let graph = self.graph;
        let (mut cost, mut height) = (graph.nodes[node].weight + graph.nodes[node].build, 0);
        for (_, child) in graph.nodes[node].edges.iter().filter(|(place, _)| follow(place)) {
            let (below, under) = self.walk(*child as usize, depth + 1, follow);
            cost = cost.saturating_add(below);
            height = height.max(under);
        }
        height += 1;
        self.seen[node] = Seen::Done { cost, height };
        (cost, height)
    }
}
#[cfg(test)]
#[path = "bounds/tests.rs"]
mod tests;
