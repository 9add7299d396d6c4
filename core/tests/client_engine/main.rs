//! The client engine without sockets and with a fake clock: against the server engine, and against scripted servers.

mod http;
mod pair;
mod pairs;
mod recorder;
mod scripted;
