//! The ways out of a client, which keep what was sent.

use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use http::Request;
use omniport::engine::client::{LineSink, RequestSink};

/// What a client sent since the last look.
#[derive(Default)]
pub struct Sent {
    pub lines: Vec<Bytes>,
    pub requests: Vec<(u64, Request<Bytes>)>,
    pub aborted: Vec<u64>,
    pub restarts: usize,
    pub closed: bool,
}

/// Both ways out; a client has one of them.
#[derive(Default)]
pub struct Outbox(Mutex<Sent>);

impl Outbox {
    pub fn sent(&self) -> MutexGuard<'_, Sent> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LineSink for Outbox {
    fn send(&self, message: Bytes) {
        self.sent().lines.push(message);
    }

    fn restart(&self) {
        self.sent().restarts += 1;
    }

    fn close(&self) {
        self.sent().closed = true;
    }
}

impl RequestSink for Outbox {
    fn start(&self, id: u64, request: Request<Bytes>) {
        self.sent().requests.push((id, request));
    }

    fn abort(&self, id: u64) {
        self.sent().aborted.push(id);
    }

    fn close(&self) {
        self.sent().closed = true;
    }
}
