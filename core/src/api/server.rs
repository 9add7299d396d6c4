//! The description of a server: its name, its settings, its hooks, and everything it offers from the start.

use std::sync::Arc;
use std::time::Duration;

use super::app::App;
use super::handler;
use super::hooks::Hooks;
use super::offer::Offer;
use super::request::{AuditRecord, Headers, Principal, RequestInfo};
use crate::engine::{CacheHints, ServerOptions};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::registry::Kind;
use crate::registry::tool::Rate;
use crate::types;

/// A server under construction. Every method gives it back; [`Server::build`], or one of the `serve_..` methods, ends the construction.
#[must_use = "a server does nothing until it serves"]
pub struct Server {
    info: types::Implementation,
    options: ServerOptions,
    hooks: Hooks,
    pub(super) offers: Vec<Offer>,
    declared: Vec<Kind>,
}

impl Server {
    /// A server of that name. Its version is `0.0.0` until [`Server::version`] says otherwise.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            info: types::Implementation::new(name, "0.0.0"),
            options: ServerOptions::new("", ""),
            hooks: Hooks::default(),
            offers: Vec::new(),
            declared: Vec::new(),
        }
    }

    /// Sets the version of the server, usually `env!("CARGO_PKG_VERSION")`.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.info.version = version.into();
        self
    }

    /// Sets the name for people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.info.title = Some(title.into());
        self
    }

    /// Sets what the server is, for people.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.info.description = Some(description.into());
        self
    }

    /// Sets where people read more.
    pub fn website(mut self, url: impl Into<String>) -> Self {
        self.info.website_url = Some(url.into());
        self
    }

    /// Sets its icons.
    pub fn icons(mut self, icons: impl IntoIterator<Item = types::Icon>) -> Self {
        self.info.icons = Some(icons.into_iter().collect());
        self
    }

    /// Sets how a model should use the server.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.options.instructions = Some(instructions.into().into());
        self
    }

    /// Sets the bounds it works in.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.options.limits = limits;
        self
    }

    /// Splits listings into pages of so many items. All on one page by default, as some clients never ask for a second.
    pub fn page_size(mut self, items: usize) -> Self {
        self.options.page_size = Some(items);
        self
    }

    /// Sets whether clients learn the text of faults that nobody meant. By default they do over a pipe and not over HTTP.
    pub fn mask_errors(mut self, mask: bool) -> Self {
        self.options.mask_errors = Some(mask);
        self
    }

    /// Sets the keys that seal the state of calls which wait for input, newest first. Replicas share them; without, a restart or
    /// another replica refuses the retry of such a call.
    pub fn state_keys(mut self, keys: impl IntoIterator<Item = [u8; 32]>) -> Self {
        self.options.state_keys = keys.into_iter().collect();
        self
    }

    /// Sets how long and for whom listings and contents may be kept.
    pub fn cache(mut self, hints: CacheHints) -> Self {
        self.options.hints = hints;
        self
    }

    /// Sets how often a caller may call, all tools together.
    pub fn rate(mut self, rate: Rate) -> Self {
        self.options.rate = Some(rate);
        self
    }

    /// Sets how long any call may take, where its tool says nothing.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.options.timeout = Some(timeout);
        self
    }

    /// Sets how many calls may run at once, all tools together; more are refused.
    pub fn concurrency(mut self, calls: usize) -> Self {
        self.options.concurrency = Some(calls);
        self
    }

    /// Answers every legacy HTTP request for itself, without sessions: nothing to remember, but no questions to legacy clients.
    pub fn stateless(mut self) -> Self {
        self.options.legacy_sessions = false;
        self
    }

    /// Sets the check of who sends an HTTP request. It sees every request first; `None` refuses it with 401.
    ///
    /// ```
    /// use omniport::api::{Principal, Server};
    ///
    /// let app = Server::new("demo").auth(|headers| async move {
    ///     (headers.bearer()? == "secret").then(|| Principal::new("ada"))
    /// });
    /// # app.build().unwrap();
    /// ```
    pub fn auth<F, Fut>(mut self, check: F) -> Self
    where
        F: Fn(Headers) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Option<Principal>> + Send + 'static,
    {
        self.options.auth = true;
        self.hooks.auth = Some(handler::check(check));
        self
    }

    /// Sets what the sender of a request may see. What they may not see does not exist for them: it is neither listed nor found.
    /// Must not block.
    pub fn visible(mut self, filter: impl Fn(&RequestInfo, Kind, &str) -> bool + Send + Sync + 'static) -> Self {
        self.options.visibility = true;
        self.hooks.visible = Some(Arc::new(filter));
        self
    }

    /// Sets who is told of every finished call. Must not block.
    pub fn audit(mut self, tell: impl Fn(AuditRecord) + Send + Sync + 'static) -> Self {
        self.options.audit = true;
        self.hooks.audit = Some(Arc::new(tell));
        self
    }

    /// Sets who is told when a client's roots changed. Must not block.
    pub fn on_roots_changed(mut self, tell: impl Fn() + Send + Sync + 'static) -> Self {
        self.hooks.roots_changed = Some(Arc::new(tell));
        self
    }

    /// Sets who is told when a client starts (`true`) or stops to follow a resource. Must not block.
    pub fn on_subscription(mut self, tell: impl Fn(&str, bool) + Send + Sync + 'static) -> Self {
        self.hooks.subscription = Some(Arc::new(tell));
        self
    }

    /// Declares a list that is empty at first and filled while the server runs.
    pub fn declare(mut self, kind: Kind) -> Self {
        self.declared.push(kind);
        self
    }

    /// Checks everything and ends the construction.
    ///
    /// # Errors
    /// [`ErrorKind::Definition`](crate::error::ErrorKind::Definition), naming each tool, resource or prompt that cannot be offered, and why.
    pub fn build(mut self) -> Result<App> {
        let info = serde_json::to_string(&self.info)
            .map_err(|error| Error::definition(format!("the server's own description is no JSON: {error}")))?;
        self.options.info = info.into();
        App::new(self.options, self.hooks, self.offers, &self.declared)
    }
}
