//! JSON Schema: compiled once, applied under budgets, with error texts a model can act on.
//!
//! Nothing here ever fetches: a reference leads to a definition inside the same schema or the schema is refused.
//! `format` is an annotation (as the specification of 2020-12 has it by default), in every dialect.

pub mod bounds;
pub mod check;
pub mod compile;
pub mod example;
pub mod wrap;
pub mod xheader;

mod explain;
mod graph;
mod parse;
mod refs;
mod work;

pub use check::{Invalid, Problem, describe};
pub use compile::Validator;
pub use wrap::{root_object, wrap_output};
pub use xheader::HeaderMap;
