//! Where the engine puts an answer, and where the connection picks it up.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http::Response;

use super::Body;
use crate::engine::http::Ticket;
use crate::protocol::http::reply::HttpReply;
use crate::protocol::sink::Message;

/// The answer of one request. An answer that is there when the engine returns is taken without waking anybody.
#[derive(Default)]
pub(super) struct Slot {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    head: Head,
    chunks: VecDeque<Bytes>,
    queued: usize,
    closed: bool,
    /// Nobody will read what is still written.
    left: bool,
    waker: Option<Waker>,
}

#[derive(Default)]
enum Head {
    #[default]
    None,
    Whole(Response<Message>),
    Stream(Response<()>),
    Taken,
}

impl State {
    fn wake(mut state: MutexGuard<'_, Self>) {
        let waker = state.waker.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn wait(&mut self, context: &Context<'_>) {
        match &mut self.waker {
            Some(waker) => waker.clone_from(context.waker()),
            none => *none = Some(context.waker().clone()),
        }
    }
}

impl Slot {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HttpReply for Slot {
    fn respond(&self, response: Response<Message>) {
        let mut state = self.state();
        if matches!(state.head, Head::None) {
            state.head = Head::Whole(response);
        }
        State::wake(state);
    }

    fn open(&self, head: Response<()>) {
        let mut state = self.state();
        if matches!(state.head, Head::None) {
            state.head = Head::Stream(head);
        }
        State::wake(state);
    }

    fn write(&self, bytes: Bytes) {
        let mut state = self.state();
        if state.left || bytes.is_empty() {
            return;
        }
        state.queued += bytes.len();
        state.chunks.push_back(bytes);
        State::wake(state);
    }

    fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        State::wake(state);
    }

    fn queued(&self) -> usize {
        self.state().queued
    }
}

/// The reader's side of a slot. Dropping it before the end tells the engine that the client went away.
pub(super) struct Awaited {
    slot: Arc<Slot>,
    ticket: Arc<Ticket>,
    complete: bool,
}

impl Awaited {
    pub fn new(slot: Arc<Slot>, ticket: Arc<Ticket>) -> Self {
        Self { slot, ticket, complete: false }
    }

    /// The answer's head if it is there, and its body; a stream's body goes on reading. What is left comes back otherwise.
    pub fn take(mut self) -> Result<Response<Body>, Self> {
        let head = {
            let mut state = self.slot.state();
            match state.head {
                Head::Whole(_) | Head::Stream(_) => std::mem::replace(&mut state.head, Head::Taken),
                _ => Head::None,
            }
        };
        match head {
            Head::Whole(response) => {
                self.complete = true;
                Ok(response.map(Body::from))
            }
            Head::Stream(head) => Ok(head.map(|()| Body::stream(self))),
            _ => Err(self),
        }
    }

    /// Whether the head is there; the task is woken when it is.
    pub fn poll_head(&self, context: &Context<'_>) -> Poll<()> {
        let mut state = self.slot.state();
        if matches!(state.head, Head::None) {
            state.wait(context);
            return Poll::Pending;
        }
        Poll::Ready(())
    }

    /// The next bytes of a stream.
    pub fn poll_chunk(&mut self, context: &Context<'_>) -> Poll<Option<Bytes>> {
        let mut state = self.slot.state();
        if let Some(chunk) = state.chunks.pop_front() {
            state.queued -= chunk.len();
            return Poll::Ready(Some(chunk));
        }
        if state.closed {
            drop(state);
            self.complete = true;
            return Poll::Ready(None);
        }
        state.wait(context);
        Poll::Pending
    }
}

impl Drop for Awaited {
    fn drop(&mut self) {
        if self.complete {
            return;
        }
        {
            let mut state = self.slot.state();
            state.left = true;
            state.chunks.clear();
            state.queued = 0;
        }
        self.ticket.gone();
    }
}
