//! The queue between the engine and a language: calls out in batches, completions in. The same few calls in every language;
//! a thread of ours never runs foreign code, it only wakes.

mod desk;
mod options;
mod queue;

pub use desk::Desk;
pub use options::{
    HttpSettings, Registration, parse_http, parse_limits, parse_reference, parse_registration, parse_server,
};
pub use queue::{Item, ItemKind, Queue, Wake};
