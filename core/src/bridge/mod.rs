//! The queue between the engine and a language: calls out in batches, completions in. The same few calls in every language;
//! a thread of ours never runs foreign code, it only wakes.

mod client;
mod client_options;
mod desk;
mod foreign;
mod inbox;
mod integers;
mod options;
mod queue;
mod server;
mod wake;

pub use client::{ClientDesk, Listens};
pub use client_options::{params_of, parse_call, parse_client};
pub use desk::{Desk, Failed, answer_text, write_error};
pub use inbox::{Inbox, Part, Told};
pub use integers::{Marked, mark_integers};
pub use options::parse_limits;
pub use queue::{Item, ItemKind, Queue};
pub use server::Server;
pub use wake::Wake;
