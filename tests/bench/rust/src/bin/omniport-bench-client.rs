//! This project's Rust client under load: `omniport-bench-client URL IN_FLIGHT WARM SECONDS`. One JSON object says what was measured.

// A measuring program reads the clock, and its report goes to stdout.
#![allow(clippy::disallowed_methods, clippy::print_stdout)]

use std::sync::Arc;

use omniport::api::client::{Client, Target};
use omniport::error::{Error, Result};
use serde_json::json;

#[path = "../callers.rs"]
mod callers;

async fn load(words: &[String]) -> Result<String> {
    let [url, in_flight, warm, seconds] = words else {
        return Err(Error::definition("omniport-bench-client URL IN_FLIGHT WARM SECONDS"));
    };
    let plan = callers::Plan::parse(in_flight, warm, seconds)
        .ok_or_else(|| Error::definition("IN_FLIGHT, WARM and SECONDS are numbers"))?;
    let client = Arc::new(Client::connect(Target::url(url)).await?);
    let report = callers::run(plan, move |a, b| {
        let client = Arc::clone(&client);
        async move {
            let result = client.call_tool("add", json!({ "a": a, "b": b })).await.map_err(|error| error.to_string())?;
            result.text().parse().map_err(|_| format!("no sum: {}", result.text()))
        }
    });
    report.await.map_err(Error::internal)
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let report = runtime.map_err(|error| Error::internal(error.to_string()))?.block_on(load(&words))?;
    println!("{report}");
    Ok(())
}
