//! From the start of the process to its first answer.

use std::time::Instant;

use serde_json::{Value, json};

use crate::answer;
use crate::fault::Result;
use crate::options::Options;
use crate::process::{Server, memory};
use crate::request::initialize;

pub fn run(options: &Options) -> Result<Value> {
    let (mut times, mut sizes, mut line) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..options.count.max(1) {
        let began = Instant::now();
        let mut server = Server::spawn(&options.command)?;
        server.send(&initialize(0))?;
        server.line(&mut line)?;
        times.push(began.elapsed().as_secs_f64() * 1e3);
        answer::check_initialize(&line)?;
        sizes.extend(memory(server.pid()));
        server.end()?;
    }
    times.sort_by(f64::total_cmp);
    sizes.sort_unstable();
    Ok(json!({ "ms": times[times.len() / 2], "ms_least": times[0], "memory_kib": sizes.get(sizes.len() / 2) }))
}
