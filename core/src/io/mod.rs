//! The only room that touches the world: clocks, randomness, threads, pipes, sockets and processes.

pub mod after_turn;
pub mod clock;
pub mod random;
pub mod runtime;
pub mod timers;

#[cfg(unix)]
mod fd;
pub mod http;
pub mod http_server;
pub mod http_settings;
pub mod service;
#[cfg(unix)]
pub mod serving;
#[cfg(unix)]
pub mod stdio;
#[cfg(unix)]
pub mod wake;

pub mod child;
pub mod client;
pub mod client_face;
pub mod client_http;
pub mod client_memory;
pub mod client_stdio;
pub mod era_memory;
pub mod http_options;
pub mod target;
