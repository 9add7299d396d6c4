//! What the server asked and told.

use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};

use omniport::api::client::ClientHandler;
use omniport::engine::client::{AskKind, Change};
use omniport::error::Result;
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

    fn keep(&self, change: impl FnOnce(&mut News)) {
        change(&mut self.news());
        self.came.notify_waiters();
    }
}

impl ClientHandler for Told {
    fn answer(&self, kind: AskKind, _: Value) -> Pin<Box<dyn Future<Output = Result<Value>> + Send>> {
        self.keep(|news| news.asked.push(kind.word().into()));
        Box::pin(ready(Ok(self.answers[kind.word()].clone())))
    }

    fn progress(&self, params: Value) {
        self.keep(|news| news.steps.push(params["progress"].clone()));
    }

    fn log(&self, params: Value) {
        self.keep(|news| news.logged.push(params));
    }

    fn change(&self, change: Change) {
        let said = match change {
            Change::Tools(_) => json!({ "changed": "tools" }),
            Change::Resources => json!({ "changed": "resources" }),
            Change::Prompts => json!({ "changed": "prompts" }),
            Change::Resource { uri } => json!({ "changed": "resource", "uri": uri }),
            Change::Ended { .. } => json!({ "changed": "ended" }),
        };
        self.keep(|news| news.changed.push(said));
    }
}
