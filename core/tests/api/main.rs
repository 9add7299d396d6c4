//! Servers as users write them, spoken to over a stream of messages in memory, in both eras.

#![cfg(all(feature = "io", feature = "schemars"))]
#![allow(clippy::unwrap_used, reason = "in a test a panic is the message")]

mod changes;
mod client;
mod guards;
mod http;
mod offers;
mod questions;
mod support;
mod tools;
