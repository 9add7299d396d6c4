//! One call: a future that is sent when it is first polled, and taken back when it is dropped before its end.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::host::Progress;
use super::input::{self, Step, TakesInput};
use super::read::{self, Page};
use super::{Inner, host, params};
use crate::engine::client::{CallOptions, Operation, Token};
use crate::error::{Error, Result};
use crate::io::clock;
use crate::protocol::http::client::user_header;
use crate::types;

/// A call to make: await it, after saying what it should have different from others.
///
/// ```no_run
/// use std::time::Duration;
///
/// use omniport::api::client::Client;
/// use serde_json::json;
///
/// # async fn run(client: Client) -> omniport::error::Result<()> {
/// let result = client
///     .call_tool("render", json!({ "scene": "forest" }))
///     .timeout(Duration::from_secs(300))
///     .on_progress(|progress| eprintln!("{} of {:?}", progress.progress, progress.total))
///     .await?;
/// # Ok(())
/// # }
/// ```
///
/// It is a [`Future`] of its own and keeps its client: it may be spawned, joined or raced like any other. Nothing is sent before it is first
/// polled. Dropped before its end it is cancelled, and the server is told.
/// See <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation>.
///
/// # Errors
/// The server's own error ([`Remote`](crate::error::ErrorKind::Remote), with its code and data), or what kept the answer from coming:
/// [`Timeout`](crate::error::ErrorKind::Timeout), [`Closed`](crate::error::ErrorKind::Closed) (with exit code and the last lines of stderr where
/// a process ended), [`Limit`](crate::error::ErrorKind::Limit), [`MethodNotFound`](crate::error::ErrorKind::MethodNotFound) where the revision
/// has no such method, [`InvalidParams`](crate::error::ErrorKind::InvalidParams) for arguments that are no JSON object,
/// [`InvalidRequest`](crate::error::ErrorKind::InvalidRequest) for a result that is not what the method promises; its `data` is the result.
#[must_use = "a call is sent when it is awaited"]
pub struct Call<R> {
    pending: Pending,
    asked: Asked,
    /// Why it cannot be made.
    fault: Option<Error>,
    meta: types::MetaObject,
    options: CallOptions,
    on_progress: Option<Box<dyn FnMut(Progress) + Send>>,
    read: fn(&Asked, Box<RawValue>) -> Result<R>,
}

/// What was asked, for those who read the answer.
pub(super) struct Asked {
    pub operation: Operation,
    pub params: String,
}

impl<R> Call<R> {
    pub(super) fn new(
        client: &Arc<Inner>,
        operation: Operation,
        params: Result<String>,
        read: fn(&Asked, Box<RawValue>) -> Result<R>,
    ) -> Self {
        let (params, fault) = match params {
            Ok(params) => (params, None),
            Err(fault) => (String::new(), Some(fault)),
        };
        Self {
            pending: Pending { client: Arc::clone(client), stage: Stage::New },
            asked: Asked { operation, params },
            fault,
            meta: types::MetaObject::new(),
            options: CallOptions::default(),
            on_progress: None,
            read,
        }
    }

    /// Sets how long to wait for the answer; each progress starts the time anew. `Limits::call_for` otherwise.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.options.timeout = Some(timeout);
        self
    }

    /// Sets how long to wait in all, whatever progress there is. `Limits::call_total` otherwise.
    pub fn total_timeout(mut self, timeout: Duration) -> Self {
        self.options.total_timeout = Some(timeout);
        self
    }

    /// Adds a header to this call's HTTP requests; one of the client's of that name is replaced. Other carriers have none.
    ///
    /// The call fails with `Definition` if it is no header; its value is in no error and no log.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        match user_header(name, value) {
            Ok((name, value)) => drop(self.options.headers.insert(name, value)),
            Err(fault) => self.fault = self.fault.or(Some(fault)),
        }
        self
    }

    /// Adds a member to the request's `_meta`.
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta>.
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<serde_json::Value>) -> Self {
        self.meta.insert(key.into(), value.into());
        self
    }

    /// Sets who hears how far the call is: called by the task that awaits it, in order, and never after its end.
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress>.
    pub fn on_progress(mut self, tell: impl FnMut(Progress) + Send + 'static) -> Self {
        self.on_progress = Some(Box::new(tell));
        self
    }

    /// Says whether the call may be sent again when the connection was lost before its answer. Without, reads may, and tools that say
    /// they only read or are idempotent.
    pub fn safe(mut self, safe: bool) -> Self {
        self.options.safe = Some(safe);
        self
    }

    /// Asks the server although an answer that was kept would do.
    pub fn fresh(mut self) -> Self {
        self.options.fresh = true;
        self
    }

    /// Replaces all options at once.
    pub fn options(mut self, options: CallOptions) -> Self {
        self.options = options;
        self
    }

    /// Sends the call now instead of when it is first polled.
    pub(super) fn start(&mut self) -> Result<Token> {
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        if !self.meta.is_empty() {
            self.asked.params = params::with(&self.asked.params, "_meta", &self.meta)?;
        }
        let options = std::mem::take(&mut self.options);
        let token = self.pending.client.engine.start(self.asked.operation, &self.asked.params, options, clock::now());
        self.pending.stage = Stage::Sent(token);
        Ok(token)
    }

    pub(super) fn add(mut self, member: &str, value: &impl Serialize) -> Self {
        match params::with(&self.asked.params, member, value) {
            Ok(params) => self.asked.params = params,
            // The first fault is the one to tell.
            Err(fault) => self.fault = self.fault.or(Some(fault)),
        }
        self
    }

    fn reading<S>(self, read: fn(&Asked, Box<RawValue>) -> Result<S>) -> Call<S> {
        let Self { pending, asked, fault, meta, options, on_progress, .. } = self;
        Call { pending, asked, fault, meta, options, on_progress, read }
    }
}

impl<T: DeserializeOwned> Call<Vec<T>> {
    /// One page instead of all: the first, or the one that begins at the cursor of another.
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination>.
    pub fn page(mut self, cursor: Option<&str>) -> Call<Page<T>> {
        self.options.one_page = true;
        match cursor {
            Some(cursor) => self.add("cursor", &cursor).reading(read::page),
            None => self.reading(read::page),
        }
    }
}

impl<R: TakesInput> Call<R> {
    /// Gives what the server needs to know back to the caller instead of asking the client's callbacks; see [`Step`].
    pub fn by_hand(mut self) -> Call<Step<R>> {
        self.options.by_hand = true;
        self.reading(input::step)
    }
}

impl Call<types::CompleteResult> {
    /// Adds the arguments that are known already: an object of strings.
    pub fn given(self, arguments: impl Serialize) -> Self {
        #[derive(Serialize)]
        struct Context<A> {
            arguments: A,
        }
        self.add("context", &Context { arguments })
    }
}

impl<R> Future for Call<R> {
    type Output = Result<R>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<R>> {
        let this = self.get_mut();
        if matches!(this.pending.stage, Stage::New)
            && let Err(fault) = this.start()
        {
            this.pending.stage = Stage::Over;
            return Poll::Ready(Err(fault));
        }
        let wants_progress = this.on_progress.is_some() || this.pending.client.desk.hears_progress();
        let mut progress = VecDeque::new();
        let answer = this.pending.poll(cx, wants_progress.then_some(&mut progress));
        let desk = &this.pending.client.desk;
        for progress in progress.iter().filter_map(|params| host::read::<Progress>(params)) {
            if desk.hears_progress() {
                desk.tell_progress(progress.clone());
            }
            if let Some(tell) = &mut this.on_progress {
                tell(progress);
            }
        }
        let answer = ready!(answer)?;
        Poll::Ready((this.read)(&this.asked, answer))
    }
}

/// A call that takes itself back when it is dropped.
pub(super) struct Pending {
    client: Arc<Inner>,
    stage: Stage,
}

enum Stage {
    New,
    Sent(Token),
    Over,
}

impl Pending {
    /// Waits for the answer of a call that was started.
    pub fn sent(client: Arc<Inner>, token: Token) -> Self {
        Self { client, stage: Stage::Sent(token) }
    }

    fn poll(
        &mut self,
        cx: &mut Context<'_>,
        progress: Option<&mut VecDeque<Box<RawValue>>>,
    ) -> Poll<Result<Box<RawValue>>> {
        let Stage::Sent(token) = self.stage else {
            panic!("a call was polled after its end");
        };
        let answer = ready!(self.client.desk.waiters.poll(token, cx, progress));
        self.stage = Stage::Over;
        Poll::Ready(answer)
    }
}

impl Future for Pending {
    type Output = Result<Box<RawValue>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pending::poll(&mut self, cx, None)
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if let Stage::Sent(token) = self.stage
            && self.client.desk.waiters.abandon(token)
        {
            self.client.engine.cancel(token, "nobody waits for the answer any more");
        }
    }
}
