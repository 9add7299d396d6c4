//! How a client is set up.

use std::sync::Arc;
use std::time::Duration;

use http::HeaderMap;
use serde::de::IgnoredAny;
use tokio::runtime::Handle;
use tokio::sync::Mutex;

use super::Target;
use super::call::Pending;
use super::host::{Desk, Observers};
use super::questions::{Callbacks, callback};
use super::{Client, Inner};
use crate::engine::client::{Change, ClientHost, ClientOptions, ClientState, EraChoice};
use crate::error::{Error, Result};
use crate::io::http_options::HttpOptions;
use crate::limits::Limits;
use crate::model::Version;
use crate::protocol::http::client::user_header;
use crate::types;

/// A client under construction: [`Client::builder`]. Every method gives it back; [`Builder::connect`] ends the construction.
///
/// ```no_run
/// use omniport::api::client::Client;
/// use omniport::types::{ElicitResult, ElicitRequestFormParams};
/// use serde_json::json;
///
/// # async fn run() -> omniport::error::Result<()> {
/// let client = Client::builder(["python", "server.py"])
///     .name("my-host", "1.0")
///     .on_elicit(|form: ElicitRequestFormParams| async move {
///         eprintln!("{}", form.message);
///         ElicitResult::accept(json!({ "name": "Ada" }))
///     })
///     .roots(["file:///home/ada/project"])
///     .on_log(|log| eprintln!("{:?}: {}", log.level, log.data))
///     .connect()
///     .await?;
/// # Ok(())
/// # }
/// ```
///
/// # Callbacks
///
/// A server may ask only for what there is a callback: the capabilities are declared from them. A callback runs in a task of its own for
/// each question, in either era of the protocol, and is dropped when its answer is no longer wanted. What it fails with is the error that
/// the server reads.
///
/// What only tells (`on_log`, `on_change`, `on_state`, `on_stderr`) is called in one task, one event after the other. A slow one holds up
/// later events and nothing else, never the answer of a call; when `Limits::host_events` wait, further ones are dropped and counted by
/// [`Client::dropped_events`]. `on_progress` is called by the task that awaits the call, before its answer. None of them should block its
/// thread. One that holds a clone of its own client keeps it alive for ever.
#[must_use = "a client does nothing until it connects"]
pub struct Builder {
    target: Target,
    info: types::Implementation,
    capabilities: types::ClientCapabilities,
    options: ClientOptions,
    headers: HeaderMap,
    http: Option<HttpOptions>,
    callbacks: Callbacks,
    observers: Observers,
    /// The first thing that cannot be; told by `connect`.
    fault: Option<Error>,
}

impl Builder {
    pub(super) fn new(target: Target) -> Self {
        let (name, version) = (env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        Self {
            target,
            info: types::Implementation::new(name, version),
            capabilities: types::ClientCapabilities::default(),
            options: ClientOptions::new(name, version),
            headers: HeaderMap::new(),
            http: None,
            callbacks: Callbacks::default(),
            observers: Observers::default(),
            fault: None,
        }
    }

    /// Sets the name and the version that servers see.
    pub fn name(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.info.name = name.into();
        self.info.version = version.into();
        self
    }

    /// Sets everything that servers see of the client: title, icons, website too.
    pub fn info(mut self, info: types::Implementation) -> Self {
        self.info = info;
        self
    }

    /// Sets which servers the client speaks with; by default whatever the server speaks.
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning>.
    pub fn era(mut self, era: EraChoice) -> Self {
        self.options.era = era;
        self
    }

    /// Sets the revision that this server spoke the last time: it is tried first, and forgotten when it does not hold.
    pub fn known(mut self, version: Version) -> Self {
        self.options.known = Some(version);
        self
    }

    /// Sets how long any call waits for its answer, started anew by each progress; 60 s by default.
    pub fn timeout(self, timeout: Duration) -> Self {
        self.limits(|limits| limits.call_for = timeout)
    }

    /// Sets how long any call waits in all; an hour by default.
    pub fn total_timeout(self, timeout: Duration) -> Self {
        self.limits(|limits| limits.call_total = timeout)
    }

    /// Sets how long connecting may take, the start of a process included; 60 s by default.
    pub fn connect_timeout(self, timeout: Duration) -> Self {
        self.limits(|limits| limits.connect_for = timeout)
    }

    /// Changes the bounds the client works in: `.limits(|limits| limits.list_pages = 10)`.
    pub fn limits(mut self, change: impl FnOnce(&mut Limits)) -> Self {
        change(&mut self.options.limits);
        self
    }

    /// Sets whether a lost connection is made anew: the process restarted, the session begun again. It is by default.
    pub fn recover(mut self, recover: bool) -> Self {
        self.options.recover = recover;
        self
    }

    /// Sets whether structured results are checked against the output schemas of the tools that were listed. They are by default.
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema>.
    pub fn check_output(mut self, check: bool) -> Self {
        self.options.check_output = check;
        self
    }

    /// Sets how the server is reached over HTTP: certificates, proxy, cookies, socket. Its headers replace those of the target that have
    /// the same names. Other carriers have none of it.
    pub fn http(mut self, options: HttpOptions) -> Self {
        self.http = Some(options);
        self
    }

    /// Adds a header to every HTTP request: a token, a tenant. Other carriers have none.
    ///
    /// Connecting fails with `Definition` if it is no header; its value is in no error and no log.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        match user_header(name, value) {
            Ok((name, value)) => drop(self.headers.insert(name, value)),
            Err(fault) => self.fault = self.fault.or(Some(fault)),
        }
        self
    }

    /// Sets who has a model write something for the server.
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/client/sampling>.
    pub fn on_sample<F, Fut, A>(mut self, run: F) -> Self
    where
        F: Fn(types::CreateMessageRequestParams) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<A>> + Send + 'static,
        A: Into<types::CreateMessageResult>,
    {
        self.callbacks.sample = Some(callback::<_, _, types::CreateMessageResult, _, _>("sampling/createMessage", run));
        self.capabilities.sampling.get_or_insert_default();
        self
    }

    /// Says that the callback for sampling lets its model use the tools that the server brings.
    pub fn sampling_tools(mut self) -> Self {
        self.capabilities.sampling.get_or_insert_default().tools = Some(types::JSONObject::new());
        self
    }

    /// Says that the callback for sampling can add context of this and other servers (`includeContext`).
    pub fn sampling_context(mut self) -> Self {
        self.capabilities.sampling.get_or_insert_default().context = Some(types::JSONObject::new());
        self
    }

    /// Sets who shows the user a form. [`ElicitResult::accept`](types::ElicitResult::accept) and its like make the answer.
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation>.
    pub fn on_elicit<F, Fut, A>(mut self, run: F) -> Self
    where
        F: Fn(types::ElicitRequestFormParams) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<A>> + Send + 'static,
        A: Into<types::ElicitResult>,
    {
        self.callbacks.form = Some(callback::<_, _, types::ElicitResult, _, _>("elicitation/create", run));
        self.capabilities.elicitation.get_or_insert_default().form = Some(types::JSONObject::new());
        self
    }

    /// Sets who asks the user to open a link. It must show the whole address and open it only with the user's consent.
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#url-mode>.
    pub fn on_elicit_url<F, Fut, A>(mut self, run: F) -> Self
    where
        F: Fn(types::ElicitRequestURLParams) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<A>> + Send + 'static,
        A: Into<types::ElicitResult>,
    {
        self.callbacks.url = Some(callback::<_, _, types::ElicitResult, _, _>("elicitation/create", run));
        self.capabilities.elicitation.get_or_insert_default().url = Some(types::JSONObject::new());
        self
    }

    /// Sets who says which directories are open to the server; [`Client::roots_changed`] has it asked again.
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/client/roots>.
    pub fn on_roots<F, Fut>(mut self, run: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Vec<types::Root>>> + Send + 'static,
    {
        let run = move |_: IgnoredAny| {
            let roots = run();
            async move { Ok(types::ListRootsResult::new(roots.await?)) }
        };
        self.callbacks.roots = Some(callback::<_, _, types::ListRootsResult, _, _>("roots/list", run));
        self.capabilities.roots = Some(types::JSONObject::from_iter([("listChanged".to_owned(), true.into())]));
        self
    }

    /// Opens directories to the server that stay the same: URIs that begin with `file://`.
    pub fn roots<U: Into<String>>(self, uris: impl IntoIterator<Item = U>) -> Self {
        let roots: Vec<_> = uris.into_iter().map(types::Root::new).collect();
        let mut builder = self.on_roots(move || std::future::ready(Ok(roots.clone())));
        builder.capabilities.roots = Some(types::JSONObject::new());
        builder
    }

    /// Changes what is declared beside what the callbacks say: extensions, experimental capabilities, or questions that calls answer
    /// [by hand](super::Call::by_hand).
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/schema#clientcapabilities>.
    pub fn capabilities(mut self, change: impl FnOnce(&mut types::ClientCapabilities)) -> Self {
        change(&mut self.capabilities);
        self
    }

    /// Sets who hears log messages of the server; [`Client::set_log_level`] asks a server for them.
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging>.
    pub fn on_log(mut self, tell: impl Fn(types::LoggingMessageNotificationParams) + Send + Sync + 'static) -> Self {
        self.observers.log = Some(Box::new(tell));
        self
    }

    /// Sets who hears how far any call is: called by the task that awaits it, in order, and never after its end. For one call there is
    /// [`Call::on_progress`](super::Call::on_progress).
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress>.
    pub fn on_progress(mut self, tell: impl Fn(types::ProgressNotificationParams) + Send + Sync + 'static) -> Self {
        self.observers.progress = Some(Box::new(tell));
        self
    }

    /// Sets who hears of changes at the server; [`Client::changes`] gives them as a stream. Either subscribes to the lists of a modern
    /// server.
    pub fn on_change(mut self, tell: impl Fn(Change) + Send + Sync + 'static) -> Self {
        self.observers.change = Some(Box::new(tell));
        self
    }

    /// Sets who hears how the connection is; [`Client::states`] can be watched as well.
    pub fn on_state(mut self, tell: impl Fn(ClientState) + Send + Sync + 'static) -> Self {
        self.observers.state = Some(Box::new(tell));
        self
    }

    /// Sets who hears each line that a server process writes to stderr. Its last lines are part of the error when it ends badly.
    pub fn on_stderr(mut self, tell: impl Fn(String) + Send + Sync + 'static) -> Self {
        self.observers.stderr = Some(Box::new(tell));
        self
    }

    /// Connects, in whatever revision the server speaks. Must be called inside a Tokio runtime. Dropped before its end, nothing is left.
    ///
    /// # Errors
    /// What kept the connection from being made, with every fact known: HTTP status, exit code, last lines of stderr; what could not
    /// be set up (`Definition`, `InvalidParams`).
    pub async fn connect(self) -> Result<Client> {
        let Self { mut target, info, capabilities, mut options, headers, http, callbacks, observers, fault } = self;
        if let Some(fault) = fault {
            return Err(fault);
        }
        let runtime = Handle::try_current().map_err(|error| Error::internal(error.to_string()).caused_by(error))?;
        options.info = json("the client's own description", &info)?;
        options.capabilities = json("the client's capabilities", &capabilities)?;
        options.watch_changes = observers.change.is_some();
        let desk = Arc::new(Desk::new(callbacks, observers, &options.limits, &runtime));
        if let Some(http) = http {
            target.set_http(http);
        }
        if let Target::Url { http, .. } = &mut target {
            http.headers.extend(headers);
        }
        let connection = target.connect(&runtime, options, Arc::clone(&desk) as Arc<dyn ClientHost>);
        desk.questions.serve(&connection.engine);
        let (engine, opened) = (Arc::clone(&connection.engine), connection.opened);
        let inner = Arc::new(Inner { engine, desk, connection: Mutex::new(Some(connection)) });
        match Pending::sent(Arc::clone(&inner), opened).await {
            Ok(_) => Ok(Client { inner }),
            Err(error) => {
                inner.close().await;
                Err(error)
            }
        }
    }
}

fn json(what: &str, value: &impl serde::Serialize) -> Result<Box<str>> {
    let text = serde_json::to_string(value);
    text.map(Into::into).map_err(|error| Error::invalid_params(format!("{what} is no JSON: {error}")))
}
