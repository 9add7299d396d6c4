//! Our Rust client against one foreign server: `omniport-interop CASE.json`, a case of servers.json as walks.py prepares it.
//!
//! Prints a line of JSON for each check; after the last one it waits for the end of stdin, so that what the closed connection left
//! behind can be looked for while this process still lives.

use std::error::Error;
use std::fmt::Display;
use std::io::Write;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, stdin};

mod arguments;
mod case;
mod told;
mod walk;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("omniport-interop CASE.json")?;
    let case: Value = serde_json::from_slice(&std::fs::read(path)?)?;
    walk::run(case).await?;
    stdin().read_to_end(&mut Vec::new()).await?;
    Ok(())
}

/// Prints how a check went.
fn report(check: impl Display, outcome: Result<(), String>) -> std::io::Result<()> {
    let (ok, detail) = outcome.map_or_else(|problem| (false, problem), |()| (true, String::new()));
    let line = json!({ "check": check.to_string(), "ok": ok, "detail": detail });
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}
