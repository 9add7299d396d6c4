//! Load over the pipes of a child, `depth` requests in flight.

use std::collections::HashMap;
use std::io::Write;
use std::time::Instant;

use serde_json::Value;

use crate::answer;
use crate::fault::{Fault, Result};
use crate::options::Options;
use crate::process::Server;
use crate::request::{Era, INITIALIZED, What, body, initialize};
use crate::tally::Tally;

struct Flight {
    began: Instant,
    tools: usize,
}

pub fn run(options: &Options) -> Result<Value> {
    let mut server = Server::spawn(&options.command)?;
    let mut line = Vec::new();
    if options.era == Era::Legacy {
        server.send(&initialize(0))?;
        server.line(&mut line)?;
        answer::check_initialize(&line)?;
        server.send(INITIALIZED)?;
    }
    let mut tally = Tally::new(Some(server.pid()), options.warm, options.seconds);
    let mut flights: HashMap<u64, Flight> = HashMap::new();
    let mut out = Vec::new();
    let mut last_id = 0;
    let mut going = true;
    for _ in 0..options.depth {
        launch(options, &mut last_id, &mut flights, None, Flight { began: Instant::now(), tools: 0 }, &mut out);
    }
    server.input.write_all(&out)?;
    while !flights.is_empty() {
        out.clear();
        // All answers that have arrived, then one write: what a client with many callers does.
        loop {
            server.line(&mut line)?;
            if let Some(answer) = answer::check(options.what, &line)? {
                let now = Instant::now();
                let mut flight =
                    flights.remove(&answer.id).ok_or_else(|| Fault(format!("nobody asked for {}", answer.id)))?;
                flight.tools += answer.tools;
                if let Some(next) = answer.next {
                    launch(options, &mut last_id, &mut flights, Some(&next), flight, &mut out);
                } else {
                    whole(options, &flight)?;
                    going &= tally.done(flight.began, now);
                    if going {
                        let flight = Flight { began: now, tools: 0 };
                        launch(options, &mut last_id, &mut flights, None, flight, &mut out);
                    }
                }
            }
            if memchr::memchr(b'\n', server.output.buffer()).is_none() {
                break;
            }
        }
        server.input.write_all(&out)?;
    }
    let report = tally.report();
    server.end()?;
    Ok(report)
}

fn launch(
    options: &Options,
    last_id: &mut u64,
    flights: &mut HashMap<u64, Flight>,
    cursor: Option<&str>,
    flight: Flight,
    out: &mut Vec<u8>,
) {
    *last_id += 1;
    out.extend_from_slice(body(options.era, options.what, *last_id, cursor).as_bytes());
    out.push(b'\n');
    flights.insert(*last_id, flight);
}

fn whole(options: &Options, flight: &Flight) -> Result<()> {
    if options.what == What::List && flight.tools != options.tools {
        return Err(Fault(format!("a listing of {} tools, not {}", flight.tools, options.tools)));
    }
    Ok(())
}
