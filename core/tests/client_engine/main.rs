//! The client engine without sockets and with a fake clock: against the server engine, and against scripted servers.
#![allow(clippy::unwrap_used, clippy::type_complexity, reason = "a test fails by panicking")]

mod asking;
mod caching;
mod http;
mod listing;
mod outputs;
mod pair;
mod pairs;
mod recorder;
mod refresh;
mod scripted;
mod talk;
