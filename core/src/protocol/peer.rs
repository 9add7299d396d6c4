//! What is remembered of one connection or legacy session: the handshake, what is in flight both ways, what it listens to.
//! Nothing of it is shared between connections, so that no answer can reach another client (security 6, Z12).

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;
use serde_json::value::RawValue;

use super::outgoing::Outgoing;
use super::sink::Sink;
use crate::model::{ClientCapabilities, Level, Version};
use crate::wire::RequestId;

/// One connection or session.
pub struct Peer {
    /// The session's id, where the transport has one.
    pub session_id: Option<Box<str>>,
    /// Whether `initialize` opens a session here; a stateless server answers each request for itself.
    pub stateful: bool,
    /// The way for messages that belong to no request.
    pub sink: Arc<dyn Sink>,
    level: AtomicU8,
    closed: AtomicBool,
    state: Mutex<State>,
}

/// The state of a [`Peer`]; the lock is never held across a call to a sink or a host.
#[derive(Default)]
pub struct State {
    pub negotiated: Option<Arc<Negotiated>>,
    /// Requests of the client that are not answered yet.
    pub in_flight: FxHashMap<RequestId, InFlight>,
    /// Questions to the client that are not answered yet.
    pub outgoing: Outgoing,
    /// Resources that a legacy client subscribed to.
    pub subscribed: Vec<Box<str>>,
}

/// What a legacy handshake agreed on.
#[derive(Debug)]
pub struct Negotiated {
    pub version: Version,
    pub capabilities: ClientCapabilities,
    pub capabilities_text: Box<RawValue>,
    pub client_info: Option<Box<RawValue>>,
}

/// Something that can be told that its request is over.
pub trait Running: Send + Sync {
    /// The client took the request back, or is gone.
    fn cancel(self: Arc<Self>, reason: &str);
}

/// A request that is not answered yet.
pub type InFlight = Arc<dyn Running>;

/// No level was set.
const UNSET: u8 = u8::MAX;

impl Peer {
    /// A peer of which nothing is known yet.
    pub fn new(session_id: Option<Box<str>>, stateful: bool, sink: Arc<dyn Sink>) -> Self {
        Self {
            session_id,
            stateful,
            sink,
            level: AtomicU8::new(UNSET),
            closed: AtomicBool::new(false),
            state: Mutex::default(),
        }
    }

    /// Its state. A panic while it was held left nothing half done: every change is one assignment.
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the handshake agreed on, if there was one.
    pub fn negotiated(&self) -> Option<Arc<Negotiated>> {
        self.state().negotiated.clone()
    }

    /// The least severe level it wants; all of them until it says otherwise, as the specification leaves to the server.
    pub fn level(&self) -> Level {
        Level::from_number(self.level.load(Ordering::Relaxed)).unwrap_or(Level::Debug)
    }

    /// Sets the least severe level it wants.
    pub fn set_level(&self, level: Level) {
        self.level.store(level as u8, Ordering::Relaxed);
    }

    /// Whether the connection ended.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Ends it: everything in flight is cancelled, every question is given up (N14).
    pub fn close(&self, reason: &str) {
        self.closed.store(true, Ordering::Release);
        let (running, questions) = {
            let mut state = self.state();
            state.subscribed.clear();
            (std::mem::take(&mut state.in_flight), state.outgoing.take_all())
        };
        for (_, running) in running {
            running.cancel(reason);
        }
        for question in questions {
            question.give_up(reason);
        }
    }
}
