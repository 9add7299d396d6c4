//! Clients in Rust: connect to any server, whatever it speaks, and call what it offers.
//!
//! ```no_run
//! use omniport::api::client::Client;
//! use serde_json::json;
//!
//! # async fn run() -> omniport::error::Result<()> {
//! let client = Client::connect(["python", "server.py"]).await?; // or "http://127.0.0.1:8000/mcp"
//! for tool in client.list_tools().await? {
//!     println!("{}", tool.name);
//! }
//! let result = client.call_tool("add", json!({ "a": 1, "b": 2 })).await?;
//! println!("{}", result.structured::<i64>()?);
//! client.close().await;
//! # Ok(())
//! # }
//! ```
//!
//! Every method gives a [`Call`]: a future that can be told before it is awaited what is different about it ([`Call::timeout`],
//! [`Call::header`], [`Call::on_progress`], [`Call::by_hand`], ..). What the server asks is answered by the callbacks of the [`Builder`]. Servers
//! of one's own are tested in memory: `Client::connect(&app)`.

mod builder;
mod call;
mod changes;
mod host;
mod input;
mod params;
mod questions;
mod queue;
mod read;
mod results;
mod waiters;

use std::sync::Arc;

use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;
use tokio::sync::{Mutex, watch};

pub use crate::io::http_options::HttpOptions;
pub use crate::io::target::Target;
pub use builder::Builder;
pub use call::Call;
pub use changes::{Changes, Subscription};
pub use input::{InputRequired, Step, TakesInput};
pub use read::{Page, ServerInfo};

pub use crate::engine::client::{CallOptions, Change, ClientState, EraChoice, Operation, ToolsDiff};
pub use crate::io::child::ChildSpec;
pub use crate::model::{Level, Version};
pub use crate::registry::completion::Reference;

use crate::api::App;
use crate::engine::client::ClientEngine;
use crate::error::Result;
use crate::io::client::ClientConnection;
use crate::io::clock;
use crate::types;
use host::Desk;

impl From<&App> for Target {
    fn from(app: &App) -> Self {
        Self::Server(Arc::clone(app.engine()))
    }
}

/// A connection to one server. Clones are the same client, and calls under way keep it; when the last of them is dropped it closes in
/// the background, which [`Client::close`] waits for.
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

/// What clones share.
struct Inner {
    engine: Arc<ClientEngine>,
    desk: Arc<Desk>,
    /// Absent once it is closed.
    connection: Mutex<Option<ClientConnection>>,
}

impl Inner {
    async fn close(&self) {
        // Told before the lock is waited for: whoever holds it waits for the same end.
        self.engine.close();
        if let Some(connection) = self.connection.lock().await.take() {
            connection.close().await;
        }
    }
}

impl Client {
    /// Connects with the usual settings: [`Client::builder`] has the others.
    ///
    /// # Errors
    /// As those of [`Builder::connect`].
    pub async fn connect(target: impl Into<Target>) -> Result<Self> {
        Self::builder(target).connect().await
    }

    /// A client under construction.
    pub fn builder(target: impl Into<Target>) -> Builder {
        Builder::new(target.into())
    }

    /// With whom and how the client speaks. It is read anew at each call, for after a recovery it may be another server.
    pub fn server(&self) -> ServerInfo {
        self.inner.engine.server().map(|said| ServerInfo::of(&said)).unwrap_or_default()
    }

    /// All tools, page by page within `Limits::list_pages`, `list_items` and `list_bytes`. A definition that cannot be read is left out.
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/server/tools#listing-tools>.
    pub fn list_tools(&self) -> Call<Vec<types::Tool>> {
        self.call(Operation::ListTools, nothing(), read::list)
    }

    /// All resources, as tools.
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/server/resources#listing-resources>.
    pub fn list_resources(&self) -> Call<Vec<types::Resource>> {
        self.call(Operation::ListResources, nothing(), read::list)
    }

    /// All resource templates, as tools.
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource-templates>.
    pub fn list_resource_templates(&self) -> Call<Vec<types::ResourceTemplate>> {
        self.call(Operation::ListTemplates, nothing(), read::list)
    }

    /// All prompts, as tools.
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#listing-prompts>.
    pub fn list_prompts(&self) -> Call<Vec<types::Prompt>> {
        self.call(Operation::ListPrompts, nothing(), read::list)
    }

    /// Calls a tool. `arguments` is anything that is written as a JSON object, or `()` for none. A tool's own failure is a result with
    /// `is_error`, which [`CallToolResult::structured`](types::CallToolResult::structured) makes an error.
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/server/tools#calling-tools>.
    pub fn call_tool(&self, name: &str, arguments: impl Serialize) -> Call<types::CallToolResult> {
        self.call(Operation::CallTool, params::named(name, &arguments), read::result)
    }

    /// Reads a resource.
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/server/resources#reading-resources>.
    pub fn read_resource(&self, uri: &str) -> Call<types::ReadResourceResult> {
        self.call(Operation::ReadResource, params::one("uri", uri), read::result)
    }

    /// Gets a prompt; its arguments are an object of strings, or `()` for none.
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#getting-a-prompt>.
    pub fn get_prompt(&self, name: &str, arguments: impl Serialize) -> Call<types::GetPromptResult> {
        self.call(Operation::GetPrompt, params::named(name, &arguments), read::result)
    }

    /// What an argument of a prompt or a template may become when `value` is what was typed so far. [`Call::given`] adds the arguments
    /// that are known already.
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion>.
    pub fn complete(&self, of: &Reference, argument: &str, value: &str) -> Call<types::CompleteResult> {
        self.call(Operation::Complete, Ok(of.params(argument, value, None)), read::result)
    }

    /// Asks whether the server is there.
    /// See <https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping>.
    pub fn ping(&self) -> Call<()> {
        self.call(Operation::Ping, nothing(), read::nothing)
    }

    /// Sets the least severe level of log messages that the server sends.
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging>.
    pub fn set_log_level(&self, level: Level) -> Call<()> {
        self.call(Operation::SetLogLevel, params::one("level", level.as_str()), read::nothing)
    }

    /// Asks to be told when a resource changes; [`Client::changes`] and [`Builder::on_change`] tell.
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/server/resources#subscriptions>.
    pub fn subscribe(&self, uri: &str) -> Call<()> {
        self.call(Operation::Subscribe, params::one("uri", uri), read::nothing)
    }

    /// Takes [`Client::subscribe`] back.
    pub fn unsubscribe(&self, uri: &str) -> Call<()> {
        self.call(Operation::Unsubscribe, params::one("uri", uri), read::nothing)
    }

    /// Tells the server that the list of roots is another one. A modern server asks when it needs to know, and is not told.
    /// See <https://modelcontextprotocol.io/specification/2025-11-25/client/roots#root-list-changes>.
    pub fn roots_changed(&self) {
        self.inner.engine.roots_changed();
    }

    /// Every change at the server from now on; a modern server is subscribed to.
    pub fn changes(&self) -> Changes {
        self.inner.engine.watch_changes(clock::now());
        self.inner.desk.listeners.listen()
    }

    /// Asks to be told what the filter names, until the returned stream is dropped. Legacy servers tell of their lists without being
    /// asked, and of single resources only after [`Client::subscribe`].
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions>.
    ///
    /// # Errors
    /// As those of a [`Call`]; `InvalidParams` for resources of a legacy server.
    pub async fn listen(&self, filter: &types::SubscriptionFilter) -> Result<Subscription> {
        // Before the request, so that no change is missed.
        let changes = self.changes();
        let params = json!({ "notifications": filter }).to_string();
        let mut call: Call<types::SubscriptionsListenRequestParams> =
            self.call(Operation::Listen, Ok(params), read::result);
        let token = call.start()?;
        let accepted = call.await?.notifications;
        Ok(Subscription::new(accepted, changes, Arc::clone(&self.inner.engine), token))
    }

    /// Goes on with a call that was waiting for input, with the answers it was given.
    pub fn resume<R: TakesInput>(&self, input: InputRequired<R>) -> Call<Step<R>> {
        let (operation, params) = match input.next_round() {
            Ok((operation, params)) => (operation, Ok(params)),
            Err(fault) => (Operation::CallTool, Err(fault)),
        };
        self.call::<R>(operation, params, read::result).by_hand()
    }

    /// Any operation, its parameters and its result as JSON text: for what later revisions add to known methods.
    pub fn request(&self, operation: Operation, params: &str, options: CallOptions) -> Call<Box<RawValue>> {
        let params = if params.trim().is_empty() { "{}" } else { params };
        self.call(operation, Ok(params.to_owned()), read::text).options(options)
    }

    /// How the connection is now.
    pub fn state(&self) -> ClientState {
        self.inner.desk.state.borrow().clone()
    }

    /// How the connection is, to wait for changes of it. Between two looks a state may be passed over.
    pub fn states(&self) -> watch::Receiver<ClientState> {
        self.inner.desk.state.subscribe()
    }

    /// How many log messages, reports of progress and changes were dropped because whoever hears them is too slow.
    pub fn dropped_events(&self) -> u64 {
        self.inner.desk.dropped()
    }

    /// Ends the connection for all clones: calls under way fail with `Closed`. Returns when nothing of it is left: a server process has
    /// exited, a session is deleted.
    pub async fn close(&self) {
        self.inner.close().await;
    }

    fn call<R>(
        &self,
        operation: Operation,
        params: Result<String>,
        read: fn(&call::Asked, Box<RawValue>) -> Result<R>,
    ) -> Call<R> {
        Call::new(&self.inner, operation, params, read)
    }
}

/// No parameters.
fn nothing() -> Result<String> {
    Ok("{}".to_owned())
}
