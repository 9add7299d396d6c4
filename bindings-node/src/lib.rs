//! The boundary to Node: JSON text crosses, and no thread of ours ever runs JavaScript. `ts/native.ts` beside the crate is its contract.

// The macros of napi write the functions that Node calls.
#![allow(clippy::missing_const_for_fn)]

mod batch;
mod client;
mod engine;
mod fault;
mod inbox;
mod kinds;
mod wake;
