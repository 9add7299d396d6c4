//! The Rust client under orders: one JSON object per line comes in, one per answer goes out; see the README of `tests/faults`.

// The answers go to stdout, where no server speaks.
#![allow(clippy::print_stdout)]

mod client;
mod order;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use omniport::error::{Error, Result};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::task::AbortHandle;

use client::Driven;
use order::Order;

type Running = Arc<Mutex<HashMap<u64, AbortHandle>>>;

#[tokio::main]
async fn main() -> Result<()> {
    let driven = Arc::new(Driven::default());
    let running = Running::default();
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        let order: Order = serde_json::from_str(&line).map_err(|error| Error::definition(error.to_string()))?;
        if order.what == "cancel" {
            let call = order.call.and_then(|call| lock(&running).remove(&call).map(|task| (call, task)));
            if let Some((call, task)) = call {
                task.abort();
                println!("{}", json!({ "as": call, "failed": { "kind": "cancelled" } }));
            }
            println!("{}", json!({ "as": order.number, "ok": null }));
            continue;
        }
        let (driven, tasks, number) = (Arc::clone(&driven), Arc::clone(&running), order.number);
        // Held until the task is entered, so that it cannot leave before.
        let mut entered = lock(&running);
        let task = tokio::spawn(async move {
            let said = said(number, driven.obey(order).await);
            if lock(&tasks).remove(&number).is_some() {
                println!("{said}");
            }
        });
        entered.insert(number, task.abort_handle());
    }
    driven.close().await;
    Ok(())
}

fn said(number: u64, outcome: Result<Value>) -> Value {
    match outcome {
        Ok(value) => json!({ "as": number, "ok": value }),
        Err(error) => {
            let facts: HashMap<_, _> = error.context().iter().map(|(name, value)| (*name, value.as_str())).collect();
            let failed = json!({
                "kind": error.kind().word(), "message": error.message(), "code": error.code(), "facts": facts,
            });
            json!({ "as": number, "failed": failed })
        }
    }
}

fn lock(running: &Running) -> std::sync::MutexGuard<'_, HashMap<u64, AbortHandle>> {
    running.lock().unwrap_or_else(PoisonError::into_inner)
}
