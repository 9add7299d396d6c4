//! `Inbox`: what clients tell one reader.

use std::sync::Arc;

use omniport::bridge;

use crate::event::{BATCH, Message};
use crate::wake::{SharedWake, TaskWake};

/// What clients tell one reader. Answers overtake logs, changes, lines of stderr and reports.
#[derive(uniffi::Object)]
pub struct Inbox {
    pub(crate) inner: Arc<bridge::Inbox>,
    wake: Arc<TaskWake>,
}

#[uniffi::export]
impl Inbox {
    /// An empty inbox.
    #[uniffi::constructor]
    pub fn new() -> Arc<Self> {
        let wake = Arc::<TaskWake>::default();
        let inner = Arc::new(bridge::Inbox::new(Box::new(SharedWake(Arc::clone(&wake)))));
        Arc::new(Self { inner, wake })
    }

    /// Waits for what is told; empty once `stop` was called. Of one task only.
    pub async fn next_batch(&self) -> Vec<Message> {
        loop {
            self.wake.rung().await;
            let told = self.inner.take(BATCH);
            if !told.is_empty() || self.wake.has_ended() {
                return told.into_iter().map(Message::from).collect();
            }
        }
    }

    /// Lets the reader go.
    pub fn stop(&self) {
        self.wake.end();
    }
}
