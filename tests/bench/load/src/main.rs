//! Load for MCP servers: over HTTP/1.1 keep-alive sockets or the pipes of a child, in both eras. Knows nothing of the engine, so
//! that a fault of the engine cannot hide itself here. Every answer is checked; a wrong one ends the run with exit code 1.
//!
//! ```text
//! load http     HOST:PORT [--era modern|legacy] [--what add|echo|list|big] [--connections N] [--seconds S] [--warm S] [--pid P] [--tools N]
//! load stdio    [--era ..] [--what ..] [--depth N] [--seconds S] [--warm S] [--tools N] -- COMMAND...
//! load cold     [--count N] -- COMMAND...
//! load sessions HOST:PORT --pid P [--count N]
//! ```
//!
//! One JSON object on stdout says what was measured.

// A measuring program reads the clock, and its report goes to stdout.
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod answer;
mod cold;
mod fault;
mod http;
mod options;
mod process;
mod request;
mod response;
mod sessions;
mod stdio;
mod tally;

use std::process::ExitCode;

use options::Options;

fn main() -> ExitCode {
    let outcome = Options::parse(std::env::args().skip(1)).and_then(|options| match options.mode.as_str() {
        "http" => http::run(&options),
        "stdio" => stdio::run(&options),
        "cold" => cold::run(&options),
        "sessions" => sessions::run(&options),
        other => Err(fault::Fault(format!("unknown mode {other:?}: http, stdio, cold or sessions"))),
    });
    match outcome {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(fault) => {
            eprintln!("load: {fault}");
            ExitCode::FAILURE
        }
    }
}
