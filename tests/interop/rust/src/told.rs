//! What the server asked and told.

use std::sync::{Mutex, MutexGuard, PoisonError};

use omniport::engine::client::Change;
use omniport::error::{Error, Result};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::Notify;

/// Since the call under way began.
#[derive(Default)]
pub struct News {
    pub asked: Vec<Value>,
    pub steps: Vec<Value>,
    pub logged: Vec<Value>,
    pub changed: Vec<Value>,
}

/// Answers as servers.json says, and keeps what came.
pub struct Told {
    answers: Value,
    news: Mutex<News>,
    came: Notify,
}

impl Told {
    pub fn new(answers: Value) -> Self {
        Self { answers, news: Mutex::default(), came: Notify::new() }
    }

    pub fn news(&self) -> MutexGuard<'_, News> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the news to be so: notifications may come after the answer, since over HTTP they have a stream of their own.
    pub async fn until(&self, mut there: impl FnMut(&News) -> bool) {
        loop {
            let came = self.came.notified();
            if there(&self.news()) {
                return;
            }
            came.await;
        }
    }

    pub fn keep(&self, change: impl FnOnce(&mut News)) {
        change(&mut self.news());
        self.came.notify_waiters();
    }

    pub fn answer<A: DeserializeOwned>(&self, kind: &str) -> Result<A> {
        self.keep(|news| news.asked.push(kind.into()));
        serde_json::from_value(self.answers[kind].clone()).map_err(|error| Error::internal(error.to_string()))
    }

    pub fn change(&self, change: Change) {
        let mut said = json!({ "changed": change.word() });
        if let Change::Resource { uri } = change {
            said["uri"] = json!(uri);
        }
        self.keep(|news| news.changed.push(said));
    }
}
