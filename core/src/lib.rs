#![cfg_attr(all(feature = "io", feature = "schemars"), doc = include_str!("../README.md"))]
//! # The rooms of the crate
//!
//! The engine is the Model Context Protocol as a library without IO; `io` is what runs it, `api` what users of Rust see.
//!
//! Rooms, lowest first; a room imports only lower ones (`tests/layering` checks it):
//! `wire`, `model`, `schema`, `store`, `protocol`, `registry`, `engine`, `bridge`, `io`, `api`.
//! `types` stands beside them: the protocol's types for users; of the rooms only `api` needs it.

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

#[cfg(feature = "io")]
pub mod api;

pub mod types;

pub use {bytes, http};
