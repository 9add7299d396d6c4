//! The only room that touches the world: clocks, randomness, threads, pipes and sockets.

pub mod child;
pub mod client;
pub mod client_http;
pub mod client_memory;
pub mod client_stdio;
pub mod clock;
