//! The rules of the protocol as state machines without IO.

pub mod exchange;
pub mod http;
pub mod inbound;
pub mod legacy;
pub mod modern;
pub mod outgoing;
pub mod peer;
pub mod sink;
pub mod subscribe;
