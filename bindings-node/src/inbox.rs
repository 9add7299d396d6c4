//! `Inbox`: what clients tell one JavaScript thread; see `native.ts`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use napi::bindgen_prelude::{Function, Result};
use napi_derive::napi;
use omniport::bridge::{self, Part};

use crate::batch::{BATCH, Batch, Payload};
use crate::wake::JsWake;

/// What clients tell one reader.
#[napi]
pub struct Inbox {
    pub(crate) inner: Arc<bridge::Inbox>,
    /// Whether any client of it wants integers marked.
    pub(crate) bigint: AtomicBool,
}

#[napi]
impl Inbox {
    #[napi(constructor, catch_unwind)]
    pub fn new(wake: Function<'_, (), ()>) -> Result<Self> {
        let inner = Arc::new(bridge::Inbox::new(Box::new(JsWake::new(wake)?)));
        Ok(Self { inner, bigint: AtomicBool::new(false) })
    }

    #[napi(catch_unwind)]
    pub fn take(&self) -> String {
        let told = self.inner.take(BATCH);
        if told.is_empty() {
            return String::new();
        }
        let room = Batch::room(told.iter().map(|told| &told.text));
        let mut batch = Batch::new(room, self.bigint.load(Ordering::Relaxed));
        for told in &told {
            let payload = match told.part {
                _ if told.text.is_empty() => Payload::Null,
                Part::Stderr | Part::Report => Payload::Text(&told.text),
                _ => Payload::Json(&told.text),
            };
            batch.add([told.client, told.part as u64, told.token], &payload);
        }
        batch.finish()
    }
}
