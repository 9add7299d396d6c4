//! The client's side of the engine: every event to whoever waits for it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::changes::Listeners;
use super::questions::{Callbacks, Questions};
use super::queue::{Receiver, Sender, queue};
use super::waiters::Waiters;
use crate::engine::client::{AskKind, Change, ClientHost, ClientState, Token};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::model::Level;
use crate::types;

/// How far a call is.
pub(super) type Progress = types::ProgressNotificationParams;

type Tell<T> = Box<dyn Fn(T) + Send + Sync>;

/// Who is told of what. All but `progress` are called in one task, one after the other and in the order of events.
#[derive(Default)]
pub(super) struct Observers {
    /// Called by whoever awaits the call.
    pub progress: Option<Tell<Progress>>,
    pub log: Option<Tell<types::LoggingMessageNotificationParams>>,
    pub change: Option<Tell<Change>>,
    pub state: Option<Tell<ClientState>>,
    pub stderr: Option<Tell<String>>,
}

enum Event {
    Log(Box<RawValue>),
    Change(Change),
    State(ClientState),
    Stderr(String),
}

/// What one client knows beside its engine.
pub(super) struct Desk {
    pub waiters: Waiters,
    pub listeners: Listeners,
    pub questions: Questions,
    pub state: watch::Sender<ClientState>,
    observers: Arc<Observers>,
    events: Option<Sender<Event>>,
    dropped: Arc<AtomicU64>,
}

impl Desk {
    /// A desk whose callbacks run on `runtime`.
    pub fn new(callbacks: Callbacks, observers: Observers, limits: &Limits, runtime: &Handle) -> Self {
        let bound = limits.host_events;
        let dropped = Arc::<AtomicU64>::default();
        let observers = Arc::new(observers);
        Self {
            waiters: Waiters::new(bound, Arc::clone(&dropped)),
            listeners: Listeners::new(bound, Arc::clone(&dropped)),
            questions: Questions::new(callbacks, limits.in_flight, runtime.clone()),
            state: watch::Sender::new(ClientState::Connecting),
            events: observers.start(bound, Arc::clone(&dropped), runtime),
            observers,
            dropped,
        }
    }

    /// How many events were dropped because their reader was too slow.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Whether progress of any call is heard.
    pub fn hears_progress(&self) -> bool {
        self.observers.progress.is_some()
    }

    /// Tells how far a call is.
    pub fn tell_progress(&self, progress: Progress) {
        guarded(|| tell(self.observers.progress.as_ref(), Some(progress)));
    }

    fn offer(&self, is_wanted: bool, event: impl FnOnce() -> Event) {
        if let Some(events) = self.events.as_ref().filter(|_| is_wanted) {
            events.offer(event());
        }
    }
}

impl ClientHost for Desk {
    fn result(&self, token: Token, result: Result<Box<RawValue>>) {
        self.waiters.answer(token, result);
    }

    fn progress(&self, token: Token, params: Box<RawValue>) {
        self.waiters.progress(token, params);
    }

    fn log(&self, _: Option<Token>, params: Box<RawValue>) {
        self.offer(self.observers.log.is_some(), || Event::Log(params));
    }

    fn change(&self, change: Change) {
        self.listeners.tell(&change);
        self.offer(self.observers.change.is_some(), || Event::Change(change));
    }

    fn ask(&self, number: u64, kind: AskKind, params: Box<RawValue>) {
        self.questions.ask(number, kind, params);
    }

    fn withdrawn(&self, number: u64) {
        self.questions.withdraw(number);
    }

    fn state(&self, state: ClientState) {
        if let Some(events) = self.events.as_ref().filter(|_| self.observers.state.is_some()) {
            // States are few, and the last one must not be lost.
            events.push(Event::State(state.clone()));
        }
        self.state.send_replace(state);
    }

    fn closed(&self, error: Error) {
        tracing::debug!("the connection is over: {error}");
        self.listeners.close();
    }

    fn report(&self, level: Level, text: String) {
        match level {
            Level::Debug => tracing::debug!("{text}"),
            Level::Error => tracing::error!("{text}"),
            _ => tracing::warn!("{text}"),
        }
    }

    fn stderr(&self, line: &str) {
        self.offer(self.observers.stderr.is_some(), || Event::Stderr(line.to_owned()));
    }
}

impl Observers {
    /// Starts the task that tells them, if there are any. It ends with the desk.
    fn start(self: &Arc<Self>, bound: usize, dropped: Arc<AtomicU64>, runtime: &Handle) -> Option<Sender<Event>> {
        let Self { progress: _, log, change, state, stderr } = &**self;
        if log.is_none() && change.is_none() && state.is_none() && stderr.is_none() {
            return None;
        }
        let (sender, events) = queue(bound, dropped);
        runtime.spawn(Arc::clone(self).run(events));
        Some(sender)
    }

    async fn run(self: Arc<Self>, mut events: Receiver<Event>) {
        while let Some(event) = events.next().await {
            guarded(|| self.tell(event));
        }
    }

    fn tell(&self, event: Event) {
        match event {
            Event::Log(params) => tell(self.log.as_ref(), read(&params)),
            Event::Change(change) => tell(self.change.as_ref(), Some(change)),
            Event::State(state) => tell(self.state.as_ref(), Some(state)),
            Event::Stderr(line) => tell(self.stderr.as_ref(), Some(line)),
        }
    }
}

/// Runs a callback. One that panics must cost its client neither later events nor the answer of a call.
fn guarded(run: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(run)).is_err() {
        tracing::error!("a callback of the client panicked");
    }
}

fn tell<T>(observer: Option<&Tell<T>>, event: Option<T>) {
    if let (Some(observer), Some(event)) = (observer, event) {
        observer(event);
    }
}

/// Reads the parameters of a notification.
pub(super) fn read<T: DeserializeOwned>(params: &RawValue) -> Option<T> {
    serde_json::from_str(params.get())
        .inspect_err(|error| tracing::warn!("a notification of the server cannot be read: {error}"))
        .ok()
}
