//! Clients of real processes, of a real socket, and of a server in this process.
#![cfg(all(unix, feature = "io"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod elsewhere;
mod exit;
mod flow;
mod many;
mod start;
mod support;
