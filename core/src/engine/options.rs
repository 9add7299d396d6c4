//! How a server is set up.

use std::time::Duration;

use crate::limits::Limits;
use crate::registry::Kind;
use crate::registry::listing::CacheHint;
use crate::registry::tool::Rate;

/// The settings of one server; what can be left out has the default that users should get.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerOptions {
    /// The `Implementation` object that names the server, as JSON text.
    pub info: Box<str>,
    /// How a model should use the server.
    pub instructions: Option<Box<str>>,
    pub limits: Limits,
    /// Items of one page of a listing; all of them when absent.
    pub page_size: Option<usize>,
    pub hints: CacheHints,
    /// Whether unexpected errors reach clients without their text; by default over HTTP and not over a pipe (security 46).
    pub mask_errors: Option<bool>,
    /// Whether every HTTP request must be authenticated by the host first.
    pub auth: bool,
    /// Whether the host decides per request what its caller may see.
    pub visibility: bool,
    /// Whether the host is told of every finished call.
    pub audit: bool,
    /// Whether clients may subscribe to single resources.
    pub subscribe: bool,
    /// Whether legacy HTTP clients get sessions; without, each of their requests stands alone.
    pub legacy_sessions: bool,
    /// Keys for `requestState`, newest first; a random one of this process when empty.
    pub state_keys: Vec<[u8; 32]>,
    /// How long any call may take, where its tool says nothing.
    pub timeout: Option<Duration>,
    /// Calls that may run at once, all tools together.
    pub concurrency: Option<usize>,
    /// How often a principal may call, all tools together.
    pub rate: Option<Rate>,
}

impl ServerOptions {
    /// Settings for a server of that name and version.
    pub fn new(name: &str, version: &str) -> Self {
        let mut info = Vec::new();
        info.extend_from_slice(b"{\"name\":");
        crate::wire::write::string(&mut info, name);
        info.extend_from_slice(b",\"version\":");
        crate::wire::write::string(&mut info, version);
        info.push(b'}');
        Self {
            info: String::from_utf8_lossy(&info).into(),
            instructions: None,
            limits: Limits::default(),
            page_size: None,
            hints: CacheHints::default(),
            mask_errors: None,
            auth: false,
            visibility: false,
            audit: false,
            subscribe: true,
            legacy_sessions: true,
            state_keys: Vec::new(),
            timeout: None,
            concurrency: None,
            rate: None,
        }
    }

    /// Whether two callers may see different lists.
    pub(super) fn is_per_caller(&self) -> bool {
        self.visibility || self.auth
    }
}

/// How long and for whom results may be kept, by what they are; see [`CacheHint`].
#[derive(Clone, Copy, Debug, Default)]
pub struct CacheHints {
    pub discover: Option<CacheHint>,
    pub tools: Option<CacheHint>,
    pub resources: Option<CacheHint>,
    pub templates: Option<CacheHint>,
    pub prompts: Option<CacheHint>,
    pub read: Option<CacheHint>,
}

impl CacheHints {
    pub(super) fn of(&self, kind: Kind, per_caller: bool) -> CacheHint {
        let set = match kind {
            Kind::Tools => self.tools,
            Kind::Resources => self.resources,
            Kind::Templates => self.templates,
            Kind::Prompts => self.prompts,
        };
        set.unwrap_or(CacheHint { ttl_ms: 0, is_public: !per_caller })
    }

    pub(super) fn of_discover(&self, per_caller: bool) -> CacheHint {
        self.discover.unwrap_or(CacheHint { ttl_ms: 0, is_public: !per_caller })
    }

    pub(super) fn of_read(&self, own: Option<CacheHint>) -> CacheHint {
        own.or(self.read).unwrap_or(CacheHint::NONE)
    }
}
