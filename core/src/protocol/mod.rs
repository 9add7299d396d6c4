//! The rules of the protocol as state machines without IO.

pub mod http;
