//! A server as a function of events: a message or a request comes in, messages go out through sinks, calls go to the host.
//! Built-in methods are answered here and never reach a language.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::entropy::Entropy;
use crate::error::Result;
use crate::limits::Limits;
use crate::model::{Era, Method, Version};
use crate::protocol::modern::seal::Sealer;
use crate::registry::{Kind, Registry};
use crate::store::{MemoryRedeemed, Redeemed};
use crate::time::Now;

mod answer;
mod audit;
mod builtin;
mod call;
mod connection;
mod context;
mod guard;
mod host;
pub mod http;
mod input;
mod notify;
mod options;
mod serve;
mod timers;
mod visible;

pub use call::Call;
pub use connection::Connection;
pub use host::{Event, Failure, FailureKind, Host, Job, JobKind, Notice, Principal};
pub use options::{CacheHints, ServerOptions};

use guard::Guards;
use http::{EventPeers, Sessions};
use input::Parked;
use notify::Subscribers;
use timers::Timers;

/// One server: what it offers, how it is set up, and everything that outlives a request.
pub struct Engine {
    pub registry: Registry,
    pub options: ServerOptions,
    host: Arc<dyn Host>,
    entropy: Arc<dyn Entropy>,
    sealer: Sealer,
    redeemed: Box<dyn Redeemed>,
    parked: Mutex<Parked>,
    subscribers: Subscribers,
    sessions: Sessions,
    event_peers: EventPeers,
    guards: Guards,
    timers: Timers,
    draining: AtomicBool,
    /// `,"_meta":{serverInfo}` of every modern result.
    meta: Box<str>,
}

impl Engine {
    /// A server that gives its calls to `host`.
    pub fn new(options: ServerOptions, host: Arc<dyn Host>, entropy: Arc<dyn Entropy>, now: Now) -> Result<Arc<Self>> {
        let sealer = match &*options.state_keys {
            [] => Sealer::new(&[crate::entropy::bytes(&*entropy)])?,
            keys => Sealer::new(keys)?,
        };
        let meta = answer::meta_member(&options.info);
        Ok(Arc::new(Self {
            registry: Registry::default(),
            guards: Guards::new(&options, now),
            sessions: Sessions::default(),
            event_peers: EventPeers::default(),
            options,
            host,
            entropy,
            sealer,
            redeemed: Box::new(MemoryRedeemed::default()),
            parked: Mutex::default(),
            subscribers: Subscribers::default(),
            timers: Timers::default(),
            draining: AtomicBool::new(false),
            meta,
        }))
    }

    /// The bounds it works in.
    pub fn limits(&self) -> &Limits {
        &self.options.limits
    }

    /// Tells the engine the time. Returns when it wants to be told again.
    pub fn tick(self: &Arc<Self>, now: Now) -> Option<Duration> {
        self.timers.run(self, now)
    }

    /// Sets what is called when [`Engine::tick`] must come earlier than it was last told. Called once: returns false, and
    /// drops `wake`, when somebody drives the engine already.
    pub fn on_earlier_tick(&self, wake: impl Fn() + Send + Sync + 'static) -> bool {
        self.timers.on_earlier(Box::new(wake))
    }

    /// Takes no new work from now on; what runs goes on.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::Release);
    }

    /// Takes new work again.
    pub fn reopen(&self) {
        self.draining.store(false, Ordering::Release);
    }

    /// Whether new work is refused.
    pub fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Acquire)
    }

    /// Ends what is idle: subscriptions get their last answer, sessions and their streams close.
    pub fn end_streams(self: &Arc<Self>) {
        self.subscribers.end_all(self);
        self.sessions.close_streams();
        self.event_peers.close_all("the server is stopping");
    }

    /// Whether a peer of that era finds the method here: its feature must be offered.
    fn offers(&self, method: Method) -> bool {
        use crate::model::method::Capability;
        let catalog = self.registry.snapshot();
        match method.row().capability {
            Capability::None | Capability::Logging => true,
            Capability::Tools => catalog.tools.is_used(),
            Capability::Resources => catalog.has_resources(),
            Capability::ResourceSubscriptions => catalog.has_resources() && self.options.subscribe,
            Capability::Prompts => catalog.prompts.is_used(),
            Capability::Completions => !catalog.completions.is_empty(),
        }
    }

    /// What a server of that revision says it can do.
    fn capabilities(&self, version: Version) -> String {
        let catalog = self.registry.snapshot();
        let mut members = Vec::with_capacity(5);
        if !catalog.completions.is_empty() && version.has_completions_capability() {
            members.push(r#""completions":{}"#.to_owned());
        }
        members.push(r#""logging":{}"#.to_owned());
        if catalog.prompts.is_used() {
            members.push(r#""prompts":{"listChanged":true}"#.to_owned());
        }
        if catalog.has_resources() {
            let subscribe = if self.options.subscribe { r#","subscribe":true"# } else { "" };
            members.push(format!(r#""resources":{{"listChanged":true{subscribe}}}"#));
        }
        if catalog.tools.is_used() {
            members.push(r#""tools":{"listChanged":true}"#.to_owned());
        }
        format!("{{{}}}", members.join(","))
    }

    /// How long a listing may be kept: only lists that are the same for everyone are public.
    fn hint(&self, kind: Kind) -> crate::registry::listing::CacheHint {
        self.options.hints.of(kind, self.options.is_per_caller())
    }

    fn parked(&self) -> std::sync::MutexGuard<'_, Parked> {
        self.parked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The `_meta` member of results in that era.
    fn meta_of(&self, era: Era) -> &str {
        match era {
            Era::Modern => &self.meta,
            Era::Legacy => "",
        }
    }
}
