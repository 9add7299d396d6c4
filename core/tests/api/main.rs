//! Servers as users write them, spoken to over a stream of messages in memory, in both eras.

mod changes;
mod guards;
mod http;
mod offers;
mod questions;
mod support;
mod tools;
