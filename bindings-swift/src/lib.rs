//! The boundary to Swift: JSON text crosses, in batches that Swift awaits, and no thread of ours ever runs Swift of users. What UniFFI writes of
//! this is never the public face; the package `Omniport` is.

uniffi::setup_scaffolding!();

mod batch;
mod client;
mod engine;
mod event;
mod fault;
mod inbox;
mod wake;
