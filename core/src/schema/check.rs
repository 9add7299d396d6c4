//! Checking an instance: one strict parse and one pass when it is valid, every problem in words when it is not.

use std::fmt;

use super::compile::{Compiled, Validator};
use super::explain::explain;
use super::parse::{Parsed, Unreadable, parse};
use super::work::{BYTES_PER_STEP, Excess, affordable};
use crate::error::Error;

/// Steps that one validation may take, as a multiple of `schema_cost`: about a second at worst.
const STEPS_PER_COST: usize = 100;

/// Problems that one text lists; more are counted only.
const MAX_LISTED: usize = 32;

/// Why an instance was not accepted.
#[derive(Debug)]
pub enum Invalid {
    /// It breaks the schema: at least one problem. The caller can mend it.
    Problems(Vec<Problem>),
    /// It could not be judged: malformed text, a bound (`json_depth`, `schema_cost`), or a schema that does not compile.
    Unchecked(Error),
}

impl From<Error> for Invalid {
    fn from(error: Error) -> Self {
        Self::Unchecked(error)
    }
}

/// One thing that is wrong, in words for people and models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where: `items[0].name`, empty for the whole instance.
    pub path: String,
    /// What the schema asks for there.
    pub expected: String,
    /// What is there, quoted and cut short.
    pub got: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.expected)?;
        match self.got.as_str() {
            "" => Ok(()),
            "missing" => f.write_str(", missing"),
            got => write!(f, ", got {got}"),
        }
    }
}

/// The text for a model: what was refused, and every problem on a line of its own (S15).
pub fn describe(problems: &[Problem], what: &str) -> String {
    let count = problems.len();
    let mut text = format!("Invalid {what}: {count} problem{}", if count == 1 { "" } else { "s" });
    for problem in problems.iter().take(MAX_LISTED) {
        text.push_str("\n- ");
        text.push_str(&problem.to_string());
    }
    if count > MAX_LISTED {
        text.push_str(&format!("\n- and {} more", count - MAX_LISTED));
    }
    text
}

impl Validator {
    /// Checks an instance given as JSON text. The text is only read: defaults are not filled in, nothing is converted (S11).
    ///
    /// # Errors
    /// [`Invalid::Problems`] with everything that is wrong, or [`Invalid::Unchecked`] when no judgement is possible.
    pub fn check(&self, instance_text: &str) -> Result<(), Invalid> {
        let compiled = self.compiled()?;
        let parsed = parse(instance_text, self.limits().json_depth).map_err(|why| match why {
            Unreadable::TooDeep => Error::limit("json_depth", self.limits().json_depth, "nesting of the value"),
            Unreadable::Malformed(why) => Error::invalid_params(format!("invalid JSON: {why}")),
        })?;
        let work = self.budget(compiled, &parsed, instance_text.len())?;
        if compiled.validator.is_valid(&parsed.value) {
            return Ok(());
        }
        Err(Invalid::Problems(explain(compiled, self.text(), &parsed.value, work, instance_text.len())))
    }

    /// Refuses what would take too long, before it starts. Returns an upper bound of the steps.
    fn budget(&self, compiled: &Compiled, parsed: &Parsed, bytes: usize) -> Result<usize, Error> {
        let limits = self.limits();
        let budget = limits.schema_cost.saturating_mul(STEPS_PER_COST);
        let product = compiled.cost.saturating_mul(parsed.nodes + bytes / BYTES_PER_STEP);
        if !compiled.recursive && product <= budget {
            return Ok(product);
        }
        match affordable(&compiled.graph, &parsed.value, budget) {
            Ok(steps) => Ok(steps),
            Err(Excess::Steps) => {
                Err(Error::limit("schema_cost", limits.schema_cost, "cost of applying the schema to this value"))
            }
            Err(Excess::Nesting) => {
                Err(Error::limit("schema_depth", limits.schema_depth, "nesting of the schema applied to this value"))
            }
        }
    }
}

#[cfg(test)]
#[path = "check/tests.rs"]
mod tests;
