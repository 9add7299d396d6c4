//! The HTTP binding's rules: mirrored headers, origins, the server's and the client's side of one exchange.

pub mod headers;
pub mod origin;
