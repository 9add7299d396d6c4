//! Many exchanges over one stream of messages: a pipe, a socket, a pair in memory, a legacy session. Both eras may share it.

use std::sync::Arc;

use bytes::Bytes;

use super::Engine;
use super::host::{Event, Principal};
use super::serve::{Request, fail};
use crate::error::Error;
use crate::model::{Method, Params, Version};
use crate::protocol::legacy::batch::BatchSink;
use crate::protocol::peer::Peer;
use crate::protocol::sink::{Frame, Sink};
use crate::time::Now;
use crate::wire::envelope::{self, Message};
use crate::wire::{Rejected, RequestId, write};

/// One stream of messages and its peer.
pub struct Connection {
    engine: Arc<Engine>,
    peer: Arc<Peer>,
}

/// What came with a message besides its text.
#[derive(Clone, Default)]
pub(super) struct Carrier {
    pub head: Option<Arc<::http::request::Parts>>,
    pub principal: Option<Arc<Principal>>,
    /// The value of `MCP-Protocol-Version`.
    pub header: Option<Box<str>>,
}

impl Engine {
    /// Opens a connection whose messages go out through `sink`.
    pub fn connect(self: &Arc<Self>, sink: Arc<dyn Sink>) -> Connection {
        Connection { engine: Arc::clone(self), peer: Arc::new(Peer::new(None, true, sink)) }
    }
}

impl Connection {
    /// One message came in. Bad ones are answered where they can be, and harm no other.
    pub fn receive(&self, text: Bytes, now: Now) {
        self.engine.receive(&self.peer, Arc::clone(&self.peer.sink), text, &Carrier::default(), now);
    }

    /// A line came in that was longer than `limit` bytes, and was skipped.
    pub fn receive_too_long(&self, limit: usize) {
        let error = Error::invalid_request(Error::limit("message_bytes", limit, "the message").message());
        reject(&*self.peer.sink, &Rejected { id: None, method: None, error, reply: true });
    }

    /// The stream ended: what runs is cancelled.
    pub fn close(&self, reason: &str) {
        self.peer.close(reason);
    }

    /// How many requests are not answered yet.
    pub fn in_flight(&self) -> usize {
        self.peer.state().in_flight.len()
    }
}

impl Engine {
    /// One message of a peer; its answers go to `sink`.
    pub(super) fn receive(
        self: &Arc<Self>,
        peer: &Arc<Peer>,
        sink: Arc<dyn Sink>,
        text: Bytes,
        carrier: &Carrier,
        now: Now,
    ) {
        self.timers.saw(now);
        if envelope::is_batch(&text) {
            self.receive_batch(peer, &sink, &text, carrier, now);
            return;
        }
        match envelope::parse::<Params<'_>>(&text, self.limits()) {
            Ok(message) => self.handle(peer, sink, &text, message, carrier, now),
            Err(rejected) => self.refuse(peer, &*sink, rejected),
        }
    }

    /// A message that could not be read. A broken answer to a question of ours still ends the question: nobody else will.
    pub(super) fn refuse(&self, peer: &Peer, sink: &dyn Sink, rejected: Rejected) {
        let question = match &rejected.id {
            Some(id) if !rejected.reply => peer.state().outgoing.take(id),
            _ => None,
        };
        match question {
            Some(question) => question.asker.answered(question.number, Err(rejected.error)),
            None => reject(sink, &rejected),
        }
    }

    /// One message that was read already; `text` is the whole of it.
    pub(super) fn handle(
        self: &Arc<Self>,
        peer: &Arc<Peer>,
        sink: Arc<dyn Sink>,
        text: &Bytes,
        message: Message<'_, Params<'_>>,
        carrier: &Carrier,
        now: Now,
    ) {
        match message {
            Message::Request { id, method, params } => {
                let header = carrier.header.as_deref();
                let (head, principal) = (carrier.head.clone(), carrier.principal.clone());
                let request =
                    Request { text, id, method: &method, params, peer: Some(peer), sink, head, principal, header };
                self.serve(request, now);
            }
            Message::Notification { method, params } => self.notified(peer, &method, params.as_ref()),
            Message::Response { id, outcome } => {
                let question = peer.state().outgoing.take(&id);
                // A late answer, or one to nothing we asked, is dropped (X03).
                if let Some(question) = question {
                    match outcome {
                        Ok(result) => question.asker.answered(question.number, Ok(result)),
                        Err(error) => question.asker.answered(question.number, Err(error.into())),
                    }
                }
            }
            Message::Orphan { .. } => {}
        }
    }

    fn receive_batch(
        self: &Arc<Self>,
        peer: &Arc<Peer>,
        sink: &Arc<dyn Sink>,
        text: &Bytes,
        carrier: &Carrier,
        now: Now,
    ) {
        let allowed = self.legacy_version(peer, carrier.header.as_deref()).is_some_and(Version::has_batches);
        let messages = match envelope::split_batch(text) {
            Ok(messages) if allowed => messages,
            Ok(_) => {
                let error = Error::invalid_request("batches exist in 2025-03-26 only");
                return reject(&**sink, &Rejected { id: None, method: None, error, reply: true });
            }
            Err(error) => return reject(&**sink, &Rejected { id: None, method: None, error, reply: true }),
        };
        let limit = self.limits().in_flight;
        if messages.len() > limit {
            let error = Error::invalid_request(
                Error::limit("in_flight", limit, "the number of messages in the batch").message(),
            );
            return reject(&**sink, &Rejected { id: None, method: None, error, reply: true });
        }
        let answered = messages.iter().filter(|message| self.wants_answer(message.get().as_bytes())).count();
        let batch: Arc<dyn Sink> = Arc::new(BatchSink::new(Arc::clone(sink), answered));
        for message in messages {
            let text = text.slice_ref(message.get().as_bytes());
            // Batches do not nest: each level would be one more frame on the stack (security 16).
            match envelope::parse::<Params<'_>>(&text, self.limits()) {
                Ok(Message::Request { id, method, .. }) if method == Method::Initialize.as_str() => {
                    fail(&*batch, &id, &Error::invalid_request("`initialize` is no part of a batch"));
                }
                Ok(message) => self.handle(peer, Arc::clone(&batch), &text, message, carrier, now),
                Err(rejected) => self.refuse(peer, &*batch, rejected),
            }
        }
    }

    /// Whether a message of a batch gets an answer.
    pub(super) fn wants_answer(&self, text: &[u8]) -> bool {
        match envelope::parse::<Params<'_>>(text, self.limits()) {
            Ok(message) => matches!(message, Message::Request { .. }),
            Err(rejected) => rejected.reply,
        }
    }

    fn notified(self: &Arc<Self>, peer: &Arc<Peer>, method: &str, params: Option<&Params<'_>>) {
        match Method::parse(method) {
            Some(Method::Cancelled) => {
                let Some(params) = params else { return };
                let Some(id) =
                    params.request_id.and_then(|raw| RequestId::parse(raw.get(), self.limits().token_bytes).ok())
                else {
                    return;
                };
                let running = peer.state().in_flight.remove(&id);
                if let Some(running) = running {
                    let reason = params.reason.and_then(|raw| serde_json::from_str::<String>(raw.get()).ok());
                    running.cancel(reason.as_deref().unwrap_or("the client cancelled the request"));
                }
            }
            Some(Method::RootsChanged) => self.host.event(Event::RootsChanged),
            // `initialized` needs no action: a session serves from its handshake on (W13, N55). Others are ignored (W04).
            _ => {}
        }
    }
}

/// Answers a message that could not be read, where it may be answered.
pub(super) fn reject(sink: &dyn Sink, rejected: &Rejected) {
    if !rejected.reply {
        return;
    }
    match &rejected.id {
        Some(id) => fail(sink, id, &rejected.error),
        None => {
            let mut out = Vec::with_capacity(160);
            write::error(&mut out, None, &rejected.error);
            sink.send(Frame::Response { message: out.into(), id: None, error: Some(rejected.error.code()) });
        }
    }
}
