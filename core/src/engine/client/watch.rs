//! Changes of lists, for a host that wants to hear of them: a legacy server tells them unasked, a modern one is asked once (R09). The
//! subscription is the client's own; it is opened again with each connection as others are.
//! See <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions>.

use serde_json::value::RawValue;

use super::call::Waiter;
use super::operation::Operation;
use super::options::CallOptions;
use super::state::{Phase, State};
use crate::error::{Error, Result};
use crate::model::{Era, Level};
use crate::time::Now;
use crate::wire::{raw, write};

/// What a server can tell changes of, as its capabilities and the subscription name it.
const LISTS: [(&str, &str); 3] =
    [("tools", "toolsListChanged"), ("resources", "resourcesListChanged"), ("prompts", "promptsListChanged")];

impl State {
    /// The host wants to hear of changes, from now on.
    pub fn watch_changes(&mut self, now: Now) {
        self.watches = true;
        self.open_watch(now);
    }

    /// Subscribes, unless that was done or the server has nothing to tell.
    pub fn open_watch(&mut self, now: Now) {
        let Phase::Ready(version) = self.phase else { return };
        let is_open = self.calls.values().any(|call| matches!(call.waiter, Waiter::Watch));
        if !self.watches || is_open || version.era() == Era::Legacy {
            return;
        }
        let wanted: Vec<_> = LISTS.iter().filter(|(list, _)| self.tells_changes(list)).collect();
        if wanted.is_empty() {
            return;
        }
        let mut params = b"{".to_vec();
        write::key(&mut params, "notifications");
        params.push(b'{');
        for (_, changed) in wanted {
            write::member(&mut params, changed, b"true");
        }
        params.extend_from_slice(b"}}");
        let params = String::from_utf8(params).ok().and_then(|params| RawValue::from_string(params).ok());
        if let Some(params) = params {
            self.begin(Operation::Listen, params, CallOptions::default(), Waiter::Watch, now);
        }
    }

    /// The subscription is over, or never came to be.
    pub fn watch_over(&mut self, was_open: bool, outcome: Result<Box<RawValue>>) {
        let why = outcome.err().map_or_else(|| "it ended".to_owned(), |error: Error| error.to_string());
        self.report(Level::Warning, format!("the server tells no changes of its lists any more: {why}"));
        if was_open {
            self.missed(None);
        }
    }

    /// Whether the server said that it tells changes of that list.
    fn tells_changes(&self, list: &str) -> bool {
        let member = |object, name| raw::get(object, name).ok().flatten();
        let all = self.server.as_deref().and_then(|server| member(server, "capabilities"));
        let told = all.and_then(|all| member(all, list)).and_then(|list| member(list, "listChanged"));
        told.is_some_and(|told| told.get() == "true")
    }
}
