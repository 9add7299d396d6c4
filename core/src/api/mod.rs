//! What Rust users see.

pub mod client;
