//! The HTTP carrier of the client against servers and proxies of this process.
#![cfg(all(unix, feature = "io"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod answers;
mod bodies;
mod certificates;
mod connections;
mod proxies;
mod redirects;
mod server;
mod session;
