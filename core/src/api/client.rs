//! A client for Rust users: typed results, async methods, whatever the server speaks.

use std::collections::HashSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use http::HeaderMap;
use rustc_hash::FxHashMap;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::{SetOnce, oneshot};

use crate::engine::Engine;
use crate::engine::client::{
    AskKind, CallOptions, Change, ClientEngine, ClientHost, ClientOptions, ClientState, Operation, Token,
};
use crate::error::{Error, ErrorKind, Result};
use crate::io::child::ChildSpec;
use crate::io::client::ClientConnection;
use crate::io::http_options::HttpOptions;
use crate::io::{client_http, client_memory, client_stdio, clock};
use crate::model::Level;
use crate::types;
use crate::wire::{raw, write};

/// Where a server is.
pub enum Target {
    /// A process that speaks over its standard streams.
    Command(ChildSpec),
    /// An HTTP endpoint.
    Url { url: String, headers: HeaderMap },
    /// A server of this process.
    Server(Arc<Engine>),
}

impl Target {
    /// A program with arguments; see [`ChildSpec`] for environment and directory.
    pub fn command<S: Into<String>>(argv: impl IntoIterator<Item = S>) -> Self {
        Self::Command(ChildSpec { argv: argv.into_iter().map(Into::into).collect(), ..ChildSpec::default() })
    }

    /// An HTTP endpoint without headers of the user's.
    pub fn url(url: impl Into<String>) -> Self {
        Self::Url { url: url.into(), headers: HeaderMap::new() }
    }
}

/// What a server asks and tells its client. Every method has a default; an answer is only asked for what
/// [`ClientOptions::capabilities`] declares.
pub trait ClientHandler: Send + Sync + 'static {
    /// The answer to a question: the protocol's own result of it (`ElicitResult`, `CreateMessageResult`, `ListRootsResult`).
    fn answer(&self, kind: AskKind, params: Value) -> Pin<Box<dyn Future<Output = Result<Value>> + Send>> {
        let _ = params;
        let error = Error::method_not_found(kind.word());
        Box::pin(std::future::ready(Err(error)))
    }

    /// How far a call is; parameters of `notifications/progress`.
    fn progress(&self, params: Value) {
        let _ = params;
    }

    /// A log message of the server; parameters of `notifications/message`.
    fn log(&self, params: Value) {
        let _ = params;
    }

    /// Something changed at the server.
    fn change(&self, change: Change) {
        let _ = change;
    }

    /// How the connection is; told at each change.
    fn state(&self, state: ClientState) {
        let _ = state;
    }
}

/// A handler that answers nothing and ignores everything.
struct Nobody;

impl ClientHandler for Nobody {}

/// A connection to one server. Dropped, it closes in the background; [`Client::close`] waits for that.
pub struct Client {
    connection: ClientConnection,
    host: Arc<Waiters>,
    list_pages: usize,
    server: Box<RawValue>,
}

impl Client {
    /// Connects in whatever revision the server speaks. Must be called inside a Tokio runtime.
    ///
    /// # Errors
    /// What kept the connection from being made, with every fact known: HTTP status, exit code, last lines of stderr.
    pub async fn connect(target: Target) -> Result<Self> {
        let options = ClientOptions::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        Self::connect_with(target, options, Arc::new(Nobody)).await
    }

    /// [`Client::connect`] with options and a handler.
    ///
    /// # Errors
    /// As there.
    pub async fn connect_with(target: Target, options: ClientOptions, handler: Arc<dyn ClientHandler>) -> Result<Self> {
        let runtime = Handle::current();
        let list_pages = options.limits.list_pages;
        let host =
            Arc::new(Waiters { slots: Mutex::default(), engine: Arc::default(), handler, runtime: runtime.clone() });
        let shared = Arc::clone(&host) as Arc<dyn ClientHost>;
        let connection = match target {
            Target::Command(spec) => client_stdio::connect_command(&runtime, options, spec, shared),
            Target::Url { url, headers } => {
                client_http::connect_url(&runtime, options, &url, &HttpOptions::with_headers(headers), shared)
            }
            Target::Server(server) => client_memory::connect_engine(&runtime, options, &server, shared),
        };
        let _ = host.engine.set(Arc::downgrade(&connection.engine));
        let server = host.wait(connection.opened).await;
        match server {
            Ok(server) => Ok(Self { connection, host, list_pages, server }),
            Err(error) => {
                connection.close().await;
                Err(error)
            }
        }
    }

    /// With whom and how: `{"server", "capabilities", "protocol_version", "instructions"}`.
    pub fn server(&self) -> &RawValue {
        &self.server
    }

    /// All tools, page by page.
    ///
    /// # Errors
    /// As every method: the server's own error (`Remote`), `Timeout`, `Closed`, or what else kept the answer from coming.
    pub async fn list_tools(&self) -> Result<Vec<types::Tool>> {
        self.list(Operation::ListTools, "tools").await
    }

    /// All resources, page by page.
    ///
    /// # Errors
    /// See [`Client::list_tools`].
    pub async fn list_resources(&self) -> Result<Vec<types::Resource>> {
        self.list(Operation::ListResources, "resources").await
    }

    /// All resource templates, page by page.
    ///
    /// # Errors
    /// See [`Client::list_tools`].
    pub async fn list_templates(&self) -> Result<Vec<types::ResourceTemplate>> {
        self.list(Operation::ListTemplates, "resourceTemplates").await
    }

    /// All prompts, page by page.
    ///
    /// # Errors
    /// See [`Client::list_tools`].
    pub async fn list_prompts(&self) -> Result<Vec<types::Prompt>> {
        self.list(Operation::ListPrompts, "prompts").await
    }

    /// Calls a tool. A tool's own failure is a result with `is_error`.
    ///
    /// # Errors
    /// See [`Client::list_tools`]; `InvalidParams` for arguments that are no JSON object.
    pub async fn call_tool(&self, name: &str, arguments: impl Serialize) -> Result<types::CallToolResult> {
        self.typed(Operation::CallTool, &named("name", name, Some(&arguments))?).await
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// See [`Client::list_tools`].
    pub async fn read_resource(&self, uri: &str) -> Result<types::ReadResourceResult> {
        self.typed(Operation::ReadResource, &named("uri", uri, None::<&()>)?).await
    }

    /// Gets a prompt; its arguments are strings.
    ///
    /// # Errors
    /// See [`Client::list_tools`].
    pub async fn get_prompt(&self, name: &str, arguments: impl Serialize) -> Result<types::GetPromptResult> {
        self.typed(Operation::GetPrompt, &named("name", name, Some(&arguments))?).await
    }

    /// Completes an argument; `params` is the protocol's own `{"ref", "argument", "context"?}`.
    ///
    /// # Errors
    /// See [`Client::list_tools`].
    pub async fn complete(&self, params: &Value) -> Result<types::CompleteResult> {
        self.typed(Operation::Complete, &params.to_string()).await
    }

    /// Asks whether the server is there.
    ///
    /// # Errors
    /// See [`Client::list_tools`].
    pub async fn ping(&self) -> Result<()> {
        self.request(Operation::Ping, "{}", CallOptions::default()).await.map(drop)
    }

    /// Sets the least severe level of log messages that the server sends.
    ///
    /// # Errors
    /// See [`Client::list_tools`].
    pub async fn set_log_level(&self, level: Level) -> Result<()> {
        let params = json!({ "level": level.as_str() }).to_string();
        self.request(Operation::SetLogLevel, &params, CallOptions::default()).await.map(drop)
    }

    /// Asks to be told when a resource changes.
    ///
    /// # Errors
    /// See [`Client::list_tools`].
    pub async fn subscribe(&self, uri: &str) -> Result<()> {
        let params = named("uri", uri, None::<&()>)?;
        self.request(Operation::Subscribe, &params, CallOptions::default()).await.map(drop)
    }

    /// Takes [`Client::subscribe`] back.
    ///
    /// # Errors
    /// See [`Client::list_tools`].
    pub async fn unsubscribe(&self, uri: &str) -> Result<()> {
        let params = named("uri", uri, None::<&()>)?;
        self.request(Operation::Unsubscribe, &params, CallOptions::default()).await.map(drop)
    }

    /// Any operation, with its parameters and its result as JSON text. Dropped before its end, it is cancelled.
    ///
    /// # Errors
    /// See [`Client::list_tools`].
    pub async fn request(&self, operation: Operation, params: &str, options: CallOptions) -> Result<Box<RawValue>> {
        let engine = &self.connection.engine;
        let token = engine.start(operation, params, options, clock::now());
        let mut pending = Pending { engine, host: &self.host, token, over: false };
        let result = self.host.wait(token).await;
        pending.over = true;
        result
    }

    /// Ends the connection; returns when nothing of it is left.
    pub async fn close(self) {
        self.connection.close().await;
    }

    async fn typed<T: DeserializeOwned>(&self, operation: Operation, params: &str) -> Result<T> {
        let result = self.request(operation, params, CallOptions::default()).await?;
        serde_json::from_str(result.get()).map_err(|error| {
            let text = format!("the result of `{}` cannot be read: {error}", operation.as_str());
            Error::new(ErrorKind::InvalidRequest, text).with_data(result).caused_by(error)
        })
    }

    /// Follows all pages. A cursor that comes again would never end (T06).
    async fn list<T: DeserializeOwned>(&self, operation: Operation, member: &str) -> Result<Vec<T>> {
        let mut all = Vec::new();
        let mut seen = HashSet::new();
        let mut params = "{}".to_owned();
        for _ in 0..self.list_pages {
            let page = self.request(operation, &params, CallOptions::default()).await?;
            let items = raw::get(&page, member)?.map_or("[]", RawValue::get);
            let items: Vec<&RawValue> = serde_json::from_str(items)
                .map_err(|error| Error::new(ErrorKind::InvalidRequest, format!("`{member}` is no list: {error}")))?;
            for item in items {
                match serde_json::from_str(item.get()) {
                    Ok(item) => all.push(item),
                    // One item that cannot be read must not lose the others (Y14).
                    Err(error) => tracing::warn!("an item of `{member}` cannot be read: {error}"),
                }
            }
            let cursor = raw::get(&page, "nextCursor")?.filter(|cursor| cursor.get() != "null");
            let Some(cursor) = cursor.map(|cursor| cursor.get().to_owned()) else { return Ok(all) };
            params = format!("{{\"cursor\":{cursor}}}");
            if !seen.insert(cursor) {
                return Err(Error::new(
                    ErrorKind::InvalidRequest,
                    format!("the pages of `{member}` go round in circles"),
                ));
            }
        }
        Err(Error::limit("list_pages", self.list_pages, format!("the number of pages of `{member}`")))
    }
}

/// `{"name": name, "arguments"?: {...}}`.
fn named(member: &str, name: &str, arguments: Option<&impl Serialize>) -> Result<String> {
    let mut out = b"{".to_vec();
    write::member_string(&mut out, member, name);
    if let Some(arguments) = arguments {
        let text = serde_json::to_string(arguments).map_err(|error| {
            Error::invalid_params(format!("the arguments of `{name}` are no JSON: {error}")).caused_by(error)
        })?;
        match text.as_bytes().first() {
            Some(b'{') => write::member(&mut out, "arguments", text.as_bytes()),
            Some(b'n') => {}
            _ => return Err(Error::invalid_params(format!("the arguments of `{name}` must be an object"))),
        }
    }
    write::close(&mut out);
    String::from_utf8(out).map_err(|error| Error::internal(error.to_string()))
}

/// Cancels a call whose future was dropped.
struct Pending<'a> {
    engine: &'a ClientEngine,
    host: &'a Waiters,
    token: Token,
    over: bool,
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        if !self.over && self.host.abandon(self.token) {
            self.engine.cancel(self.token, "nobody waits for the answer any more");
        }
    }
}

/// Who waits for what.
struct Waiters {
    slots: Mutex<FxHashMap<Token, Slot>>,
    /// Known a moment after the connection is opened; a question may come before.
    engine: Arc<SetOnce<Weak<ClientEngine>>>,
    handler: Arc<dyn ClientHandler>,
    runtime: Handle,
}

/// A call between its start and the moment its result is taken; either may come first.
enum Slot {
    Waiting(oneshot::Sender<Result<Box<RawValue>>>),
    Done(Result<Box<RawValue>>),
    /// Its result will be dropped.
    Abandoned,
}

impl Waiters {
    fn slots(&self) -> MutexGuard<'_, FxHashMap<Token, Slot>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nobody waits any more; false when the result was there already.
    fn abandon(&self, token: Token) -> bool {
        let mut slots = self.slots();
        let waits = matches!(slots.remove(&token), Some(Slot::Waiting(_)));
        if waits {
            slots.insert(token, Slot::Abandoned);
        }
        waits
    }

    async fn wait(&self, token: Token) -> Result<Box<RawValue>> {
        let receiver = {
            let mut slots = self.slots();
            if let Some(Slot::Done(result)) = slots.remove(&token) {
                return result;
            }
            let (sender, receiver) = oneshot::channel();
            slots.insert(token, Slot::Waiting(sender));
            receiver
        };
        receiver.await.unwrap_or_else(|_| Err(Error::new(ErrorKind::Closed, "the client is gone")))
    }
}

impl ClientHost for Waiters {
    fn result(&self, token: Token, result: Result<Box<RawValue>>) {
        let mut slots = self.slots();
        match slots.remove(&token) {
            Some(Slot::Waiting(sender)) => {
                drop(slots);
                // Whoever waited may have gone in this moment.
                let _ = sender.send(result);
            }
            Some(Slot::Abandoned) => {}
            Some(Slot::Done(_)) | None => {
                slots.insert(token, Slot::Done(result));
            }
        }
    }

    fn progress(&self, _: Token, params: Box<RawValue>) {
        self.handler.progress(value(&params));
    }

    fn log(&self, _: Option<Token>, params: Box<RawValue>) {
        self.handler.log(value(&params));
    }

    fn change(&self, change: Change) {
        self.handler.change(change);
    }

    fn state(&self, state: ClientState) {
        self.handler.state(state);
    }

    fn ask(&self, number: u64, kind: AskKind, params: Box<RawValue>) {
        let answer = self.handler.answer(kind, value(&params));
        let engine = Arc::clone(&self.engine);
        self.runtime.spawn(async move {
            let answer = match answer.await {
                Ok(result) => json!({ "result": result }),
                Err(error) => json!({ "error": { "code": error.code(), "message": error.message() } }),
            };
            if let Some(engine) = engine.wait().await.upgrade() {
                engine.answer(number, &answer.to_string(), clock::now());
            }
        });
    }

    fn withdrawn(&self, _: u64) {}

    fn closed(&self, error: Error) {
        tracing::debug!("the connection is over: {error}");
    }

    fn report(&self, level: Level, text: String) {
        match level {
            Level::Debug => tracing::debug!("{text}"),
            _ => tracing::warn!("{text}"),
        }
    }
}

fn value(raw: &RawValue) -> Value {
    serde_json::from_str(raw.get()).unwrap_or_default()
}
