//! The Omniport engine: the Model Context Protocol as a library without IO, and the IO to run it.
//!
//! Rooms, lowest first; a room imports only lower ones (`tests/layering` checks it):
//! `wire`, `model`, `schema`, `store`, `protocol`, `registry`, `engine`, `bridge`, `io`, `api`.
//! `types` stands beside them: the protocol's types for users; no room needs it.

pub mod entropy;
pub mod error;
pub mod limits;
pub mod time;

pub mod model;
pub mod schema;
pub mod wire;

pub mod protocol;
pub mod registry;
pub mod store;

pub mod engine;

pub mod bridge;

#[cfg(feature = "io")]
pub mod io;

pub mod types;

pub use {bytes, http};
