//! The HTTP binding's rules: mirrored headers, origins, the server's checks, event streams.

pub mod client;
pub mod headers;
pub mod origin;
pub mod reply;
pub mod server;
