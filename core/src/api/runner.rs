//! Runs Rust handlers: polled once where the request came in, and only what is not ready by then becomes a task.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, OnceLock, Weak};
use std::task::{Context as TaskContext, Poll, Waker};

use arc_swap::ArcSwap;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::runtime::Handle;

use super::attach;
use super::context::Context;
use super::error::ToolError;
use super::handler::{Handler, HandlerFuture};
use super::hooks::Hooks;
use super::runtime;
use crate::engine::{Call, Engine, Event, Host, Job, JobKind};
use crate::error::Result;
use crate::io::clock;
use crate::registry::Slot;

/// The handlers of one server.
pub(super) struct Runner {
    engine: OnceLock<Weak<Engine>>,
    handlers: ArcSwap<FxHashMap<Slot, Handler>>,
    hooks: Hooks,
    /// Where handlers run that are called from a thread without a runtime.
    home: OnceLock<Handle>,
}

impl Runner {
    pub fn new(hooks: Hooks) -> Self {
        Self { engine: OnceLock::new(), handlers: ArcSwap::default(), hooks, home: OnceLock::new() }
    }

    /// Remembers the runtime around the caller; the first one counts.
    pub fn settle(&self) {
        if let Ok(home) = Handle::try_current() {
            self.home.get_or_init(|| home);
        }
    }

    /// Sets whose calls it runs; once.
    pub fn serve(&self, engine: &Arc<Engine>) {
        self.engine.get_or_init(|| Arc::downgrade(engine));
    }

    /// Adds handlers, before what they handle is offered.
    pub fn add(&self, new: Vec<(Slot, Handler)>) {
        self.handlers.rcu(|handlers| {
            let mut handlers = FxHashMap::clone(handlers);
            handlers.extend(new.iter().cloned());
            handlers
        });
    }

    /// Takes handlers away, after what they handle is no longer offered.
    pub fn remove(&self, old: &[Slot]) {
        if old.is_empty() {
            return;
        }
        self.handlers.rcu(|handlers| {
            let mut handlers = FxHashMap::clone(handlers);
            handlers.retain(|slot, _| !old.contains(slot));
            handlers
        });
    }

    fn handler(&self, job: &Job) -> Option<Handler> {
        match job.kind {
            JobKind::Authenticate => self.hooks.auth.clone(),
            _ => self.handlers.load().get(&job.slot).cloned(),
        }
    }
}

impl Host for Runner {
    fn start(&self, job: Job) {
        let Some(engine) = self.engine.get().and_then(Weak::upgrade) else { return };
        if job.kind == JobKind::Visible {
            return self.view(&engine, &job);
        }
        match self.handler(&job) {
            Some(handler) => self.run(&engine, &handler, &job),
            // It was taken away between the look into the catalog and now.
            None => finish(&engine, &job.call, Err(ToolError::not_found())),
        }
    }

    fn answer(&self, call: &Arc<Call>, number: u32, answer: Result<Box<RawValue>>) {
        if let Some(waiting) = attach::with(call, |extras| extras.take_waiting(number)) {
            // Nobody there: the handler went on without the answer.
            let _ = waiting.send(answer);
        }
        // Of several questions some may be left, which the next round asks again.
        attach::needs_flush(call);
    }

    fn cancel(&self, call: &Arc<Call>, _: &str) {
        attach::stop(call);
    }

    fn event(&self, event: Event) {
        // A panic of a hook must not end the connection that the event came from.
        let _ = catch_unwind(AssertUnwindSafe(|| self.hooks.event(event)));
    }
}

impl Runner {
    fn view(&self, engine: &Arc<Engine>, job: &Job) {
        #[derive(Deserialize)]
        struct Input<'a> {
            kind: &'a str,
            names: Vec<String>,
        }
        let seen = catch_unwind(AssertUnwindSafe(|| {
            let mut input: Input<'_> = serde_json::from_slice(&job.text)?;
            self.hooks.retain_visible(&job.call, input.kind, &mut input.names);
            Ok(serde_json::to_string(&input.names)?)
        }));
        finish(engine, &job.call, seen.unwrap_or_else(|_| Err(panicked())));
    }

    /// Runs a handler as far as it gets at once.
    fn run(&self, engine: &Arc<Engine>, handler: &Handler, job: &Job) {
        let (runtime, outside) = match runtime::find(self.home.get()) {
            Ok(found) => found,
            Err(error) => return finish(engine, &job.call, Err(error.into())),
        };
        let _entered = outside.then(|| runtime.enter());
        let cx = Context::new(Arc::clone(engine), Arc::clone(&job.call));
        let polled = catch_unwind(AssertUnwindSafe(|| {
            let mut future = handler(&job.text, cx);
            // Nobody needs to be woken: a task polls again as its first act.
            match future.as_mut().poll(&mut TaskContext::from_waker(Waker::noop())) {
                Poll::Ready(outcome) => Ok(outcome),
                Poll::Pending => Err(future),
            }
        }));
        match polled {
            Ok(Ok(outcome)) => finish(engine, &job.call, outcome),
            Ok(Err(future)) => {
                flush(engine, &job.call);
                spawn(engine, &job.call, future, &runtime);
            }
            Err(_) => finish(engine, &job.call, Err(panicked())),
        }
    }
}

/// Lets a handler that was not ready go on as a task.
fn spawn(engine: &Arc<Engine>, call: &Arc<Call>, future: HandlerFuture, runtime: &Handle) {
    if call.is_over() {
        return;
    }
    let task = runtime.spawn(Task { engine: Arc::clone(engine), call: Arc::clone(call), future: Some(future) });
    attach::with(call, |extras| extras.set_abort(task.abort_handle()));
    // It may have been cancelled before there was anything to stop.
    if call.is_over() {
        attach::stop(call);
        task.abort();
    }
}

/// A handler that was not ready at once.
struct Task {
    engine: Arc<Engine>,
    call: Arc<Call>,
    future: Option<HandlerFuture>,
}

impl Future for Task {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<()> {
        attach::with(&self.call, |extras| extras.set_waker(cx.waker()));
        let Some(future) = &mut self.future else { return Poll::Ready(()) };
        let outcome = match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))) {
            Ok(Poll::Ready(outcome)) => outcome,
            Ok(Poll::Pending) => {
                flush(&self.engine, &self.call);
                return Poll::Pending;
            }
            Err(_) => Err(panicked()),
        };
        self.future = None;
        finish(&self.engine, &self.call, outcome);
        Poll::Ready(())
    }
}

impl Drop for Task {
    /// A runtime that ends drops its tasks; the client must not wait for one of them for ever.
    fn drop(&mut self) {
        if self.future.is_some() && !self.call.is_over() {
            finish(&self.engine, &self.call, Err(ToolError::internal("the handler was stopped: its runtime ended")));
        }
    }
}

/// Sends the questions that were asked in the last poll, in one round.
fn flush(engine: &Arc<Engine>, call: &Arc<Call>) {
    if attach::take_needs_flush(call) {
        engine.flush_call(call, clock::now());
    }
}

fn finish(engine: &Arc<Engine>, call: &Arc<Call>, outcome: Result<String, ToolError>) {
    match outcome {
        Ok(text) => engine.complete(call, &text, clock::now()),
        Err(error) => engine.fail(call, error.into_failure(), clock::now()),
    }
    attach::clear(call);
}

/// The panic's own text went to the panic hook; a client learns no more than that there was one.
fn panicked() -> ToolError {
    ToolError::internal("the handler panicked")
}
