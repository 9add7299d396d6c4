//! A schema made ready: checked against its bounds and compiled, at most once.

use std::sync::OnceLock;

use jsonschema::PatternOptions;

use super::bounds::bounded;
use super::graph::Graph;
use crate::error::{Error, Result};
use crate::limits::Limits;

/// Bytes that one `pattern` may become; the engine is linear in the text it reads, whatever the pattern (S13).
const PATTERN_BYTES: usize = 256 << 10;

/// A schema that can check instances. Cheap to hold for definitions of a peer that are never used: those compile at first use,
/// so that one bad schema spoils no listing (S02).
///
/// Dialects: 2020-12 (default), 2019-09, draft-07, draft-06, draft-04, each by its own rules. `format`, `contentEncoding` and
/// `contentMediaType` of a dialect that leaves them open are annotations and assert nothing. Patterns are those of the
/// linear-time engine: look-around and back-references are refused when the schema is compiled.
#[derive(Debug)]
pub struct Validator {
    text: Box<str>,
    limits: Limits,
    compiled: OnceLock<Result<Compiled>>,
}

/// What checking needs.
#[derive(Debug)]
pub(super) struct Compiled {
    pub validator: jsonschema::Validator,
    pub graph: Graph,
    pub cost: usize,
    pub recursive: bool,
}

impl Validator {
    /// Compiles an own definition now, so that a mistake shows when it is registered.
    ///
    /// # Errors
    /// `Definition` with the place in the schema, or `Limit` naming `schema_bytes`, `schema_depth` or `schema_cost`.
    pub fn new(text: &str, limits: &Limits) -> Result<Self> {
        let validator = Self::lazy(text, limits);
        validator.ready()?;
        Ok(validator)
    }

    /// Keeps a foreign definition; what is wrong with it shows when [`Validator::check`] first needs it.
    pub fn lazy(text: &str, limits: &Limits) -> Self {
        Self { text: text.into(), limits: limits.clone(), compiled: OnceLock::new() }
    }

    /// The schema as it was given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Compiles the schema unless that has happened.
    ///
    /// # Errors
    /// Those of [`Validator::new`], the same ones each time.
    pub fn ready(&self) -> Result<()> {
        self.compiled().map(drop)
    }

    pub(super) fn compiled(&self) -> Result<&Compiled> {
        self.compiled.get_or_init(|| compile(&self.text, &self.limits)).as_ref().map_err(copy)
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }
}

fn compile(text: &str, limits: &Limits) -> Result<Compiled> {
    let bounded = bounded(text, limits)?;
    let validator = jsonschema::options()
        .with_draft(bounded.draft)
        .offline()
        .should_validate_formats(false)
        .with_pattern_options(PatternOptions::regex().size_limit(PATTERN_BYTES).dfa_size_limit(PATTERN_BYTES))
        .build(&bounded.value)
        .map_err(|error| {
            Error::definition(format!("invalid schema at {:?}: {error}", error.instance_path().as_str()))
        })?;
    Ok(Compiled { validator, graph: bounded.graph, cost: bounded.cost, recursive: bounded.recursive })
}

/// The kept error for one more caller.
fn copy(error: &Error) -> Error {
    let copy = Error::new(error.kind(), error.message());
    error.context().iter().fold(copy, |copy, (name, value)| copy.with(name, value))
}
