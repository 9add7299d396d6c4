//! The client engine without sockets and with a fake clock: against the server engine, and against scripted servers.
#![allow(clippy::unwrap_used, clippy::type_complexity, reason = "a test fails by panicking")]

mod asking;
mod caching;
mod chaos;
mod eras;
mod general;
mod http;
mod listing;
mod outputs;
mod pair;
mod pairs;
mod pulse;
mod recorder;
mod recovery;
mod refresh;
mod restarts;
mod scripted;
mod sessions;
mod subscriptions;
mod talk;
mod trouble;
