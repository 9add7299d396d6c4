//! Where messages go: the one thing the engine needs of a transport.

use std::sync::Arc;

use bytes::Bytes;

use super::peer::Running;
use crate::wire::RequestId;

/// One JSON-RPC message without line end, in up to three pieces, so that a prepared listing is sent without a copy.
#[derive(Debug, Default)]
pub struct Message {
    pub head: Vec<u8>,
    pub shared: Bytes,
    pub tail: &'static [u8],
}

impl Message {
    /// The length of all pieces.
    pub fn len(&self) -> usize {
        self.head.len() + self.shared.len() + self.tail.len()
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The message in one piece.
    pub fn into_bytes(self) -> Bytes {
        if self.shared.is_empty() && self.tail.is_empty() {
            return self.head.into();
        }
        let mut all = Vec::with_capacity(self.len());
        self.append_to(&mut all);
        all.into()
    }

    /// Writes all pieces to `out`.
    pub fn append_to(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.head);
        out.extend_from_slice(&self.shared);
        out.extend_from_slice(self.tail);
    }
}

impl From<Vec<u8>> for Message {
    fn from(head: Vec<u8>) -> Self {
        Self { head, ..Self::default() }
    }
}

/// What a message is to the stream that carries it.
#[derive(Debug)]
pub enum Frame {
    /// May be dropped when the reader is slow.
    Notification(Message),
    /// A question to the client.
    Request(Message),
    /// The answer to `id`; ends the request's own stream where it has one. `error` is the JSON-RPC code of an error answer.
    Response { message: Message, id: Option<RequestId>, error: Option<i64> },
}

impl Frame {
    /// The message, whatever it is.
    pub fn into_message(self) -> Message {
        match self {
            Self::Notification(message) | Self::Request(message) | Self::Response { message, .. } => message,
        }
    }
}

/// A way out. Implementations queue and return; they never block and never call the engine.
pub trait Sink: Send + Sync {
    /// Queues one message, in order.
    fn send(&self, frame: Frame);

    /// Whether the reader is so slow that notifications should be dropped (Y09).
    fn is_congested(&self) -> bool {
        false
    }

    /// Whether questions can reach the client on this way and their answers can come back.
    fn carries_requests(&self) -> bool {
        true
    }

    /// What to cancel when the stream's reader goes away; streams that outlive their reader ignore it.
    fn runs(&self, _running: &Arc<dyn Running>) {}

    /// A request was cancelled: its answer will not come.
    fn withdrawn(&self) {}

    /// Ends the stream early so that its client polls for the rest; only resumable streams can.
    fn close_early(&self) {}
}
