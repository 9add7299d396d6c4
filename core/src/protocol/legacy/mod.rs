//! What only revisions with a handshake have. The day they end, this folder goes.

pub mod batch;
pub mod handshake;
pub mod replay;
