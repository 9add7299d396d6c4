//! The host of a language: turns the engine's jobs into queue items, and tokens back into calls.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;
use slab::Slab;

use super::queue::{Item, ItemKind, Queue};
use crate::engine::{Call, Engine, Event, Failure, FailureKind, Host, Job, JobKind, Notice};
use crate::error::{Error, ErrorKind, Result};
use crate::model::Level;
use crate::time::Now;
use crate::wire::write;

/// Why a handler did not answer, as its language tells it.
pub struct Failed<'a> {
    /// `tool`, `protocol`, `not_found`, a kind of our own error, or anything else for a failure that nobody meant.
    pub kind: &'a str,
    pub code: Option<i64>,
    pub message: String,
    /// JSON text.
    pub data: Option<String>,
}

/// A token is a place and the count of calls: 24 and 29 bits, so that a double, the number of some languages, holds it exactly. No
/// server has 16 million calls in flight, and half a billion lie between two with the same count.
const KEY_BITS: u32 = 24;
const GENERATIONS: u32 = 1 << 29;

fn key_of(token: u64) -> usize {
    (token & ((1 << KEY_BITS) - 1)) as usize
}

/// The calls that a language runs, by token.
pub struct Desk {
    queue: Arc<Queue>,
    calls: Mutex<Calls>,
    /// Calls with questions that the next flush sends.
    asked: Mutex<Vec<Arc<Call>>>,
}

#[derive(Default)]
struct Calls {
    slab: Slab<(u32, Arc<Call>)>,
    generation: u32,
}

impl Desk {
    /// A desk whose items go into `queue`.
    pub fn new(queue: Arc<Queue>) -> Self {
        Self { queue, calls: Mutex::default(), asked: Mutex::default() }
    }

    /// The queue it fills.
    pub fn queue(&self) -> &Arc<Queue> {
        &self.queue
    }

    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, call: Arc<Call>) -> u64 {
        let mut calls = self.calls();
        calls.generation = (calls.generation + 1) % GENERATIONS;
        let generation = calls.generation.max(1);
        let entry = calls.slab.vacant_entry();
        let token = (u64::from(generation) << KEY_BITS) | entry.key() as u64;
        call.tag.store(token, Ordering::Release);
        entry.insert((generation, call));
        token
    }

    /// The call of a token; none once it is over.
    pub fn call(&self, token: u64) -> Option<Arc<Call>> {
        let calls = self.calls();
        let (generation, call) = calls.slab.get(key_of(token))?;
        (u64::from(*generation) == token >> KEY_BITS).then(|| Arc::clone(call))
    }

    fn take(&self, token: u64) -> Option<Arc<Call>> {
        let mut calls = self.calls();
        let key = key_of(token);
        let (generation, _) = calls.slab.get(key)?;
        (u64::from(*generation) == token >> KEY_BITS).then(|| calls.slab.remove(key).1)
    }

    /// A handler's answer. A token that is over is ignored.
    pub fn complete(&self, engine: &Arc<Engine>, token: u64, text: &str, now: Now) {
        if let Some(call) = self.take(token) {
            engine.complete(&call, text, now);
        }
    }

    /// A handler's failure.
    pub fn fail(&self, engine: &Arc<Engine>, token: u64, failed: Failed<'_>, now: Now) {
        let Some(call) = self.take(token) else { return };
        let Failed { kind, mut code, message, data } = failed;
        let kind = match kind {
            "tool" => FailureKind::Tool,
            "protocol" => FailureKind::Protocol,
            "not_found" => FailureKind::NotFound,
            word => match ErrorKind::of_word(word).filter(|kind| *kind != ErrorKind::Internal) {
                // One of our own errors that went through the handler: it keeps its code.
                Some(own) => {
                    code = code.or(Some(own.code()));
                    FailureKind::Protocol
                }
                None => FailureKind::Internal,
            },
        };
        let data = data.and_then(|data| RawValue::from_string(data).ok());
        engine.fail(&call, Failure { kind, message, code, data }, now);
    }

    /// What a handler tells while it runs: `{"progress", "total"?, "message"?}` or `{"level", "data", "logger"?}`.
    pub fn notice(&self, token: u64, text: &str) -> Result<()> {
        let Some(call) = self.call(token) else { return Ok(()) };
        let members: NoticeMembers<'_> =
            serde_json::from_str(text).map_err(|error| Error::internal(format!("a notice cannot be read: {error}")))?;
        if let Some(progress) = members.progress {
            call.notice(Notice::Progress { progress, total: members.total, message: members.message.as_deref() });
            return Ok(());
        }
        let name = members.level.as_deref().unwrap_or("info");
        let level = Level::parse(name).ok_or_else(|| Error::invalid_params(format!("unknown log level `{name}`")))?;
        let data = members.data.map_or("null", RawValue::get);
        call.notice(Notice::Log { level, logger: members.logger.as_deref(), data });
        Ok(())
    }

    /// A handler's question; see `Engine::ask`. The known answer is given as the text of an answer item.
    pub fn ask(&self, engine: &Arc<Engine>, token: u64, question: &str) -> Result<(u32, Option<Vec<u8>>)> {
        let over = || Error::new(ErrorKind::Cancelled, "the call is over: its client cannot be asked any more");
        let call = self.call(token).ok_or_else(over)?;
        let (number, known) = engine.ask(&call, question)?;
        if known.is_none() {
            self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(call);
        }
        Ok((number, known.map(|answer| answer_text(Ok(answer)))))
    }

    /// Sends the questions that were asked since the last flush.
    pub fn flush(&self, engine: &Arc<Engine>, now: Now) {
        let asked = std::mem::take(&mut *self.asked.lock().unwrap_or_else(PoisonError::into_inner));
        for call in asked {
            engine.flush_call(&call, now);
        }
    }

    fn push(&self, kind: ItemKind, token: u64, slot: u32, text: impl Into<Bytes>) {
        self.queue.push(Item { kind, token, slot, text: text.into() });
    }
}

#[derive(Deserialize)]
struct NoticeMembers<'a> {
    progress: Option<f64>,
    total: Option<f64>,
    message: Option<String>,
    level: Option<String>,
    logger: Option<String>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

impl Host for Desk {
    fn start(&self, job: Job) {
        let kind = match job.kind {
            JobKind::Tool => ItemKind::Call,
            JobKind::Resource => ItemKind::Read,
            JobKind::Prompt => ItemKind::Get,
            JobKind::Completion => ItemKind::Complete,
            JobKind::Visible => ItemKind::Visible,
            JobKind::Authenticate => ItemKind::Authenticate,
        };
        let token = self.put(job.call);
        self.push(kind, token, job.slot, job.text);
    }

    fn answer(&self, call: &Arc<Call>, number: u32, answer: Result<Box<RawValue>, Error>) {
        if call.has_unsent() {
            self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(call));
        }
        self.push(ItemKind::Answer, call.tag.load(Ordering::Acquire), number, answer_text(answer));
    }

    fn cancel(&self, call: &Arc<Call>, reason: &str) {
        let token = call.tag.load(Ordering::Acquire);
        if self.take(token).is_some() {
            self.push(ItemKind::Cancel, token, 0, reason.as_bytes().to_vec());
        }
    }

    fn event(&self, event: Event) {
        match event {
            Event::RootsChanged => self.push(ItemKind::Event, 0, 0, &br#"{"event":"roots_changed"}"#[..]),
            Event::Subscription { uri, active } => {
                let mut text =
                    format!("{{\"event\":\"{}\",\"uri\":", if active { "subscribed" } else { "unsubscribed" })
                        .into_bytes();
                write::string(&mut text, &uri);
                text.push(b'}');
                self.push(ItemKind::Event, 0, 0, text);
            }
            Event::Audit(text) => self.push(ItemKind::Audit, 0, 0, text.into_bytes()),
            Event::Report { level, text } => self.push(ItemKind::Report, 0, severity(level), text.into_bytes()),
        }
    }
}

/// Levels as the numbers that languages use: debug 10, info 20, warning 30, error 40.
pub(super) fn severity(level: Level) -> u32 {
    match level {
        Level::Debug => 10,
        Level::Info | Level::Notice => 20,
        Level::Warning => 30,
        _ => 40,
    }
}

/// The text of an answer item: `{"result": ...}`, or `{"error": {"kind", "code", "message", "data"?}}`.
pub fn answer_text(answer: Result<Box<RawValue>, Error>) -> Vec<u8> {
    match answer {
        Ok(result) => format!("{{\"result\":{}}}", result.get()).into_bytes(),
        Err(error) => {
            let mut out = b"{\"error\":".to_vec();
            write_error(&mut out, &error);
            out.push(b'}');
            out
        }
    }
}

/// An error with every fact, for a language: `{"kind", "code", "message", "data"?, "retry", "context"}`.
pub fn write_error(out: &mut Vec<u8>, error: &Error) {
    out.extend_from_slice(b"{\"kind\":");
    write::string(out, error.kind().word());
    out.extend_from_slice(b",\"code\":");
    write::int(out, error.code());
    out.extend_from_slice(b",\"message\":");
    write::string(out, error.message());
    if let Some(data) = error.data() {
        write::member(out, "data", data.get().as_bytes());
    }
    write::member(out, "retry", if error.can_retry() { b"true" } else { b"false" });
    write::key(out, "context");
    out.push(b'{');
    for (name, value) in error.context() {
        write::member_string(out, name, value);
    }
    out.extend_from_slice(b"}}");
}
