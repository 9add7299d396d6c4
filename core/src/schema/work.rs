//! The work of one validation, counted before it is done.

use serde_json::Value;

use super::graph::{Graph, Place};

/// Bytes of text that weigh as much as one value, where text is compared or measured.
pub(super) const BYTES_PER_STEP: usize = 64;

/// The same where a pattern reads it: linear, but slow when its automaton outgrows its cache.
const PATTERN_BYTES_PER_STEP: usize = 4;

/// Sub-schemas that may be entered inside one another while one instance is validated: the bound of the validator's stack.
const MAX_NESTING: usize = 1024;

/// Which bound a validation would break.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Excess {
    Steps,
    Nesting,
}

/// Walks schema and instance as a validator that never stops early would, and gives up after `budget` steps. Recursive schemas
/// need this (how often a sub-schema applies depends on the instance: two references per level double the work at each
/// level of nesting); others only when the product of sizes is not small enough already. Returns the steps.
pub(super) fn affordable(graph: &Graph, instance: &Value, budget: usize) -> Result<usize, Excess> {
    let mut count = Count { graph, left: budget };
    count.apply(0, Part::Value(instance), 0)?;
    Ok(budget - count.left)
}

#[derive(Clone, Copy)]
enum Part<'v> {
    Value(&'v Value),
    Name(&'v str),
}

struct Count<'g> {
    graph: &'g Graph,
    left: usize,
}

impl<'g> Count<'g> {
    fn apply(&mut self, node: u32, part: Part<'_>, nesting: usize) -> Result<(), Excess> {
        if nesting > MAX_NESTING {
            return Err(Excess::Nesting);
        }
        let graph: &'g Graph = self.graph;
        let node = &graph.nodes[node as usize];
        let text = match part {
            Part::Name(text) => text.len(),
            Part::Value(Value::String(text)) => text.len(),
            Part::Value(_) => 0,
        };
        let bytes_per_step = if node.build > 0 { PATTERN_BYTES_PER_STEP } else { BYTES_PER_STEP };
        self.spend(node.weight + text / bytes_per_step)?;
        for (place, child) in &node.edges {
            match (place, part) {
                (Place::Here, _) => self.apply(*child, part, nesting + 1)?,
                (Place::Member(name), Part::Value(Value::Object(members))) => {
                    if let Some(value) = members.get(&**name) {
                        self.apply(*child, Part::Value(value), nesting + 1)?;
                    }
                }
                (Place::Members, Part::Value(Value::Object(members))) => {
                    for (name, value) in members {
                        self.spend(name.len() / bytes_per_step)?;
                        self.apply(*child, Part::Value(value), nesting + 1)?;
                    }
                }
                (Place::Names, Part::Value(Value::Object(members))) => {
                    for name in members.keys() {
                        self.apply(*child, Part::Name(name), nesting + 1)?;
                    }
                }
                (Place::Item(index), Part::Value(Value::Array(items))) => {
                    if let Some(value) = items.get(*index) {
                        self.apply(*child, Part::Value(value), nesting + 1)?;
                    }
                }
                (Place::Items(from), Part::Value(Value::Array(items))) => {
                    for value in items.iter().skip(*from) {
                        self.apply(*child, Part::Value(value), nesting + 1)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn spend(&mut self, steps: usize) -> Result<(), Excess> {
        self.left = self.left.checked_sub(steps).ok_or(Excess::Steps)?;
        Ok(())
    }
}
