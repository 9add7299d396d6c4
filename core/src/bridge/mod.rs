//! The queue between the engine and a language: calls out in batches, completions in. The same few calls in every language;
//! a thread of ours never runs foreign code, it only wakes.

mod client;
mod desk;
mod foreign;
mod options;
mod queue;
mod server;

pub use client::{ClientDesk, params_of, parse_client};
pub use desk::{Desk, Failed, answer_text, write_error};
pub use options::parse_limits;
pub use queue::{Item, ItemKind, Queue, Wake};
pub use server::Server;
