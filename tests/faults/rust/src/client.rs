//! The client that is driven, and what it was told.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use omniport::api::client::{Client, Operation};
use omniport::error::{Error, ErrorKind, Result};
use serde_json::{Value, json};

use crate::order::Order;

#[derive(Default)]
pub struct Driven {
    client: Mutex<Option<Client>>,
    told: Arc<Told>,
}

#[derive(Default)]
struct Told(Mutex<Counts>);

#[derive(Default)]
struct Counts {
    log: u64,
    changes: u64,
    states: Vec<&'static str>,
}

impl Told {
    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Driven {
    pub async fn obey(&self, mut order: Order) -> Result<Value> {
        match order.what.as_str() {
            "connect" => {
                let (logs, changes, states) = (Arc::clone(&self.told), Arc::clone(&self.told), Arc::clone(&self.told));
                let client = order
                    .builder()?
                    .on_log(move |_| logs.counts().log += 1)
                    .on_change(move |_| changes.counts().changes += 1)
                    .on_state(move |state| states.counts().states.push(state.word()))
                    .connect()
                    .await?;
                let version = client.server().protocol_version;
                *self.slot() = Some(client);
                Ok(json!({ "protocol_version": version }))
            }
            "call" => {
                let params = json!({ "name": order.tool, "arguments": order.arguments }).to_string();
                let client = self.client()?;
                let result = client.request(Operation::CallTool, &params, order.call_options()).await?;
                let result: Value = serde_json::from_str(result.get()).unwrap_or_default();
                let blocks = result["content"].as_array().cloned().unwrap_or_default();
                Ok(blocks.into_iter().map(|block| block["text"].clone()).collect())
            }
            "list" => Ok(self.client()?.list_tools().await?.into_iter().map(|tool| json!(tool.name)).collect()),
            "ping" => self.client()?.ping().await.map(|()| Value::Null),
            "tell" => {
                let told = self.told.counts();
                Ok(json!({
                    "log": told.log, "change": told.changes, "states": told.states,
                }))
            }
            "close" => {
                self.close().await;
                Ok(Value::Null)
            }
            other => Err(Error::definition(format!("there is no order `{other}`"))),
        }
    }

    /// Closes the client; its calls have failed by then.
    pub async fn close(&self) {
        let client = self.slot().take();
        if let Some(client) = client {
            client.close().await;
        }
    }

    fn slot(&self) -> MutexGuard<'_, Option<Client>> {
        self.client.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn client(&self) -> Result<Client> {
        self.slot().clone().ok_or_else(|| Error::new(ErrorKind::Closed, "there is no connection"))
    }
}
