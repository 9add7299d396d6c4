//! What a handler holds while it runs.

use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::attach;
use super::error::ToolError;
use super::request::{Headers, Principal, RequestInfo};
use crate::engine::{Call, Engine, Notice};
use crate::model::Level;
use crate::types;

/// One running call, as its handler sees it: the way to its client, and what is known of the request.
///
/// The same methods work in both eras of the protocol. A clone may move into tasks of the handler's own.
#[derive(Clone)]
pub struct Context {
    pub(super) engine: Arc<Engine>,
    pub(super) call: Arc<Call>,
    /// The name of the questions asked through this one.
    pub(super) key: Option<Arc<str>>,
}

impl Context {
    pub(super) fn new(engine: Arc<Engine>, call: Arc<Call>) -> Self {
        Self { engine, call, key: None }
    }

    /// Tells the client how far the call is, if it asked to be told. `progress` must grow; `total` is where it ends, if known.
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress>.
    pub fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) {
        self.call.notice(Notice::Progress { progress, total, message });
    }

    /// Sends a log message to the client, if it wants messages of that level.
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging>.
    pub fn log(&self, level: Level, data: impl Serialize) {
        if let Ok(data) = serde_json::to_string(&data) {
            self.call.notice(Notice::Log { level, logger: None, data: &data });
        }
    }

    /// [`Context::log`] at level `info`.
    pub fn info(&self, text: &str) {
        self.log(Level::Info, text);
    }

    /// Runs `effect` once per call: where the call is run again to replay its questions, the kept result is used instead.
    ///
    /// Give each step of a handler a name of its own. The result travels, sealed, through the client: keep it small.
    ///
    /// # Errors
    /// The effect's own; or a kept result that cannot be read as `T`.
    pub async fn step<T, F, Fut>(&self, name: &str, effect: F) -> Result<T, ToolError>
    where
        T: Serialize + DeserializeOwned,
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<T, ToolError>>,
    {
        if let Some(kept) = self.call.step(name) {
            return Ok(serde_json::from_str(kept.get())?);
        }
        let value = effect().await?;
        self.call.keep_step(name, serde_json::value::to_raw_value(&value)?);
        Ok(value)
    }

    /// Ends when nobody waits for the call any more: it was cancelled, ran out of time, or is answered.
    ///
    /// The handler itself needs no such check: its future is dropped. Tasks and threads that it started do.
    pub async fn cancelled(&self) {
        attach::over(&self.call).await;
    }

    /// Whether nobody waits for the call any more.
    pub fn is_cancelled(&self) -> bool {
        self.call.is_over()
    }

    /// Ends the event stream of this call early, where its client can poll for the rest (2025-11-25 over HTTP).
    pub fn close_stream(&self) {
        self.call.close_stream();
    }

    /// Everything known of the request. It is read anew at every call of this method and of those below.
    pub fn request(&self) -> RequestInfo {
        RequestInfo::of(&self.call)
    }

    /// The headers of the HTTP request.
    pub fn headers(&self) -> Headers {
        self.request().headers
    }

    /// Who sends the request.
    pub fn principal(&self) -> Option<Principal> {
        self.request().principal
    }

    /// The client's name and version.
    pub fn client(&self) -> Option<types::Implementation> {
        self.request().client
    }

    /// The revision the client speaks.
    pub fn protocol_version(&self) -> Option<String> {
        self.request().protocol_version
    }

    /// The request's `_meta`.
    pub fn meta(&self) -> types::MetaObject {
        self.request().meta
    }

    /// The session of a legacy HTTP client.
    pub fn session_id(&self) -> Option<String> {
        self.request().session_id
    }
}
