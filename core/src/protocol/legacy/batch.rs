//! Batches, which only 2025-03-26 has: the answers of one batch go back together.
//! See <https://modelcontextprotocol.io/specification/2025-03-26/basic#batching>.

use std::sync::{Arc, Mutex, PoisonError};

use crate::protocol::peer::Running;
use crate::protocol::sink::{Frame, Message, Sink};

/// Collects the answers to the requests of one batch; everything else passes.
pub struct BatchSink {
    inner: Arc<dyn Sink>,
    state: Mutex<State>,
}

struct State {
    expected: usize,
    answers: Vec<Message>,
}

impl BatchSink {
    /// For a batch with that many requests.
    pub fn new(inner: Arc<dyn Sink>, expected: usize) -> Self {
        Self { inner, state: Mutex::new(State { expected, answers: Vec::with_capacity(expected) }) }
    }

    fn send_if_complete(&self, state: &mut State) {
        if state.answers.len() < state.expected {
            return;
        }
        if state.answers.is_empty() {
            // All its requests were cancelled: there is nothing to send, but whoever carries the batch must not wait on.
            return self.inner.withdrawn();
        }
        let answers = std::mem::take(&mut state.answers);
        state.expected = 0;
        let mut out = Vec::with_capacity(answers.iter().map(|answer| answer.len() + 1).sum::<usize>() + 1);
        for (index, answer) in answers.iter().enumerate() {
            out.push(if index == 0 { b'[' } else { b',' });
            answer.append_to(&mut out);
        }
        out.push(b']');
        self.inner.send(Frame::Response { message: out.into(), id: None, error: None });
    }
}

impl Sink for BatchSink {
    fn send(&self, frame: Frame) {
        match frame {
            Frame::Response { message, .. } => {
                let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                state.answers.push(message);
                self.send_if_complete(&mut state);
            }
            other => self.inner.send(other),
        }
    }

    fn is_congested(&self) -> bool {
        self.inner.is_congested()
    }

    fn carries_requests(&self) -> bool {
        self.inner.carries_requests()
    }

    fn runs(&self, running: &Arc<dyn Running>) {
        self.inner.runs(running);
    }

    /// One request fewer will be answered.
    fn withdrawn(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.expected = state.expected.saturating_sub(1);
        self.send_if_complete(&mut state);
    }
}
