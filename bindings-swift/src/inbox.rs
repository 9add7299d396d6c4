//! `Inbox`: what clients tell one reader.

use std::sync::Arc;

use omniport::bridge;

use crate::batch::{BATCH, Batch};
use crate::event::ToldKind;
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

    /// Waits for what is told, a `Batch` of `kind token client`; empty once `stop` was called. Of one task only.
    pub async fn next_batch(&self) -> String {
        loop {
            self.wake.rung().await;
            let told = self.inner.take(BATCH);
            if !told.is_empty() || self.wake.has_ended() {
                let mut batch = Batch::default();
                for told in told {
                    batch.add(ToldKind::from(told.part) as u8, told.token, told.client, &told.text);
                }
                return batch.finish();
            }
        }
    }

    /// Lets the reader go.
    pub fn stop(&self) {
        self.wake.end();
    }
}
