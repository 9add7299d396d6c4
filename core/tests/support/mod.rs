//! The runner of `tests/vectors` on the engine: a fake clock, fixed randomness, a host without threads.

pub mod client;
pub mod conforms;
pub mod host;
pub mod http;
pub mod invariants;
pub mod pattern;
pub mod replies;
pub mod revisions;
pub mod rule;
pub mod run;
pub mod sending;
pub mod server;
pub mod sse;
pub mod stream;
pub mod vector;
