//! What an idle legacy session costs in memory.

use serde_json::{Value, json};

use crate::fault::{Fault, Result};
use crate::http::Connection;
use crate::options::Options;
use crate::process::memory;

/// Opened before the first look, so that pools and caches are filled.
const WARM: usize = 200;

pub fn run(options: &Options) -> Result<Value> {
    let pid = options.pid.ok_or_else(|| Fault("sessions needs --pid".into()))?;
    let read = || memory(pid).ok_or_else(|| Fault(format!("no memory figures of process {pid}")));
    let mut connection = Connection::open(&options.address)?;
    for _ in 0..WARM {
        connection.begin_session()?;
    }
    let before = read()?;
    for _ in 0..options.count {
        connection.begin_session()?;
    }
    let after = read()?;
    let grown = after.saturating_sub(before) as f64;
    Ok(json!({
        "sessions": options.count,
        "memory_kib_before": before,
        "memory_kib_after": after,
        "kib_per_session": grown / options.count.max(1) as f64,
    }))
}
