//! What a server does besides handling calls: who sends a request, what they may see, and what happened.

use std::sync::Arc;

use super::handler::Handler;
use super::request::{AuditRecord, RequestInfo};
use crate::engine::{Call, Event};
use crate::model::Level;
use crate::registry::Kind;

/// Whether the sender of a request may see something.
type Visible = Arc<dyn Fn(&RequestInfo, Kind, &str) -> bool + Send + Sync>;

type Audit = Arc<dyn Fn(AuditRecord) + Send + Sync>;
type RootsChanged = Arc<dyn Fn() + Send + Sync>;
/// Gets the URI, and whether anybody follows it now.
type Subscription = Arc<dyn Fn(&str, bool) + Send + Sync>;

/// The hooks of one server; none of them is set by default.
#[derive(Default)]
pub(super) struct Hooks {
    pub auth: Option<Handler>,
    pub visible: Option<Visible>,
    pub audit: Option<Audit>,
    pub roots_changed: Option<RootsChanged>,
    pub subscription: Option<Subscription>,
}

impl Hooks {
    /// Leaves of some names those that the sender of a request may see.
    pub fn retain_visible(&self, call: &Call, kind: &str, names: &mut Vec<String>) {
        let Some(visible) = &self.visible else { return };
        let kind = match kind {
            "tools" => Kind::Tools,
            "templates" => Kind::Templates,
            "prompts" => Kind::Prompts,
            _ => Kind::Resources,
        };
        let request = RequestInfo::of(call);
        names.retain(|name| visible(&request, kind, name));
    }

    /// Tells whom it concerns. Reports go to `tracing`, as no user asked for them but an operator may.
    pub fn event(&self, event: Event) {
        match event {
            Event::Audit(text) => {
                if let Some(audit) = &self.audit
                    && let Ok(record) = serde_json::from_str(&text)
                {
                    audit(record);
                }
            }
            Event::RootsChanged => {
                if let Some(tell) = &self.roots_changed {
                    tell();
                }
            }
            Event::Subscription { uri, active } => {
                if let Some(tell) = &self.subscription {
                    tell(&uri, active);
                }
            }
            Event::Report { level, text } => match level {
                Level::Debug => tracing::debug!(target: "omniport", "{text}"),
                Level::Info | Level::Notice => tracing::info!(target: "omniport", "{text}"),
                Level::Warning => tracing::warn!(target: "omniport", "{text}"),
                _ => tracing::error!(target: "omniport", "{text}"),
            },
        }
    }
}
