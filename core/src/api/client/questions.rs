//! What the server asks, answered by the callbacks of the client's user: one task for each question.
//! See <https://modelcontextprotocol.io/specification/2026-07-28/client>.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use rustc_hash::FxHashMap;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tokio::runtime::Handle;
use tokio::sync::SetOnce;
use tokio::task::AbortHandle;

use crate::engine::client::{AskKind, ClientEngine};
use crate::error::{Error, Result};
use crate::io::clock;
use crate::wire::write;

type Answer = Pin<Box<dyn Future<Output = Result<Box<RawValue>>> + Send>>;

/// A callback of any type: parameters as JSON text in, its result as JSON text out.
pub(super) type Callback = Box<dyn Fn(&RawValue) -> Answer + Send + Sync>;

/// The callback for questions whose parameters are `P` and whose answer becomes an `R`.
pub(super) fn callback<P, A, R, F, Fut>(what: &'static str, run: F) -> Callback
where
    P: DeserializeOwned,
    A: Into<R>,
    R: Serialize,
    F: Fn(P) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<A>> + Send + 'static,
{
    Box::new(move |params| match serde_json::from_str(params.get()) {
        Ok(params) => {
            let answer = run(params);
            Box::pin(async move { write_answer::<R>(what, answer.await?.into()) })
        }
        Err(error) => {
            let error = Error::invalid_params(format!("the parameters of {what} cannot be read: {error}"));
            Box::pin(std::future::ready(Err(error)))
        }
    })
}

fn write_answer<R: Serialize>(what: &str, answer: R) -> Result<Box<RawValue>> {
    serde_json::value::to_raw_value(&answer)
        .map_err(|error| Error::internal(format!("the answer to {what} cannot be written: {error}")))
}

/// One callback for each kind of question.
#[derive(Default)]
pub(super) struct Callbacks {
    pub sample: Option<Callback>,
    pub form: Option<Callback>,
    pub url: Option<Callback>,
    pub roots: Option<Callback>,
}

impl Callbacks {
    fn of(&self, kind: AskKind) -> Option<&Callback> {
        match kind {
            AskKind::Sample => self.sample.as_ref(),
            AskKind::Roots => self.roots.as_ref(),
            AskKind::Elicit => self.form.as_ref(),
            AskKind::ElicitUrl => self.url.as_ref(),
        }
    }
}

/// The questions that wait for an answer.
pub(super) struct Questions {
    callbacks: Arc<Callbacks>,
    /// Known a moment after the connection is opened; a question may come before.
    engine: Arc<SetOnce<Weak<ClientEngine>>>,
    running: Arc<Running>,
    bound: usize,
    runtime: Handle,
}

type Running = Mutex<FxHashMap<u64, Option<AbortHandle>>>;

impl Questions {
    /// Runs callbacks on `runtime`, at most `bound` at a time.
    pub fn new(callbacks: Callbacks, bound: usize, runtime: Handle) -> Self {
        Self { callbacks: Arc::new(callbacks), engine: Arc::default(), running: Arc::default(), bound, runtime }
    }

    /// Sets whose questions these are; once.
    pub fn serve(&self, engine: &Arc<ClientEngine>) {
        let _ = self.engine.set(Arc::downgrade(engine));
    }

    /// Has a question answered in a task of its own; nothing of the user's runs on the carrier's.
    pub fn ask(&self, number: u64, kind: AskKind, params: Box<RawValue>) {
        let (callbacks, engine) = (Arc::clone(&self.callbacks), Arc::clone(&self.engine));
        let mut question = Question { number, answer: None, engine: None, running: Arc::clone(&self.running) };
        let bound = self.bound;
        let is_one_too_many = {
            let mut running = lock(&self.running);
            running.insert(number, None);
            running.len() > bound
        };
        let task = self.runtime.spawn(async move {
            let question = &mut question;
            question.engine = Some(engine.wait().await.clone());
            question.answer = Some(match callbacks.of(kind) {
                None => Err(Error::method_not_found(kind.word())),
                Some(_) if is_one_too_many => Err(Error::limit("in_flight", bound, "the number of questions at once")),
                Some(callback) => callback(&params).await,
            });
        });
        // It may be answered already, and then it is no longer in the map.
        if let Some(slot) = lock(&self.running).get_mut(&number) {
            *slot = Some(task.abort_handle());
        }
    }

    /// The answer is no longer wanted: what works on it is dropped.
    pub fn withdraw(&self, number: u64) {
        let task = lock(&self.running).remove(&number).flatten();
        if let Some(task) = task {
            task.abort();
        }
    }
}

fn lock(running: &Running) -> MutexGuard<'_, FxHashMap<u64, Option<AbortHandle>>> {
    running.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A question under way. Whatever becomes of its task, a panic included, the server has an answer.
struct Question {
    number: u64,
    answer: Option<Result<Box<RawValue>>>,
    engine: Option<Weak<ClientEngine>>,
    running: Arc<Running>,
}

impl Drop for Question {
    fn drop(&mut self) {
        lock(&self.running).remove(&self.number);
        let Some(engine) = self.engine.take().and_then(|engine| engine.upgrade()) else { return };
        let mut text = b"{".to_vec();
        match self.answer.take() {
            Some(Ok(result)) => write::member(&mut text, "result", result.get().as_bytes()),
            answer => {
                let stopped = || Error::internal("the callback of the client panicked");
                let error = answer.and_then(Result::err).unwrap_or_else(stopped);
                write::key(&mut text, "error");
                write::error_object(&mut text, &error);
            }
        }
        write::close(&mut text);
        engine.answer(self.number, &String::from_utf8_lossy(&text), clock::now());
    }
}
