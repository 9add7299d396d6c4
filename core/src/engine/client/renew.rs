//! What a server is told again after its connection was made anew: subscriptions, and the level of log messages. The host hears once
//! that it may have missed changes.

use std::collections::BTreeSet;

use serde_json::value::RawValue;

use super::call::{Call, Waiter};
use super::host::{Change, Token};
use super::http_link::Post;
use super::operation::{Operation, Plan};
use super::options::CallOptions;
use super::state::{Effect, Purpose, Sent, State};
use super::subscribe::uri_of;
use crate::model::method::Capability;
use crate::model::{Era, Level, Method, Version, params};
use crate::time::Now;
use crate::wire::{RequestId, raw, write};

/// What outlives a connection.
#[derive(Default)]
pub(super) struct Kept {
    /// Resources that a legacy server was asked to watch.
    pub subscribed: BTreeSet<String>,
}

impl State {
    /// A call has its result: remembers what a later connection needs.
    pub fn keep(&mut self, token: Token) {
        let Some(call) = self.calls.get(&token) else { return };
        match call.plan {
            Plan::Empty(Method::Subscribe) => self.kept.subscribed.extend(uri_of(&call.params)),
            Plan::Empty(Method::Unsubscribe) => {
                if let Some(uri) = uri_of(&call.params) {
                    self.kept.subscribed.remove(&uri);
                }
            }
            Plan::Empty(Method::SetLevel) => {
                let level = raw::get(&call.params, "level").ok().flatten();
                let name = level.and_then(|level| params::text(level, "level").ok());
                self.level = name.and_then(|name| Level::parse(&name));
            }
            _ => {}
        }
    }

    /// Tells a new connection what the one before was told.
    pub fn renew(&mut self, version: Version, now: Now) {
        let open = self.calls.iter().filter(|(_, call)| call.open).map(|(token, _)| *token).collect();
        match version.era() {
            Era::Modern => self.renew_modern(open, now),
            Era::Legacy => self.renew_legacy(open, version, now),
        }
        if std::mem::take(&mut self.recovery.was_cut) {
            self.missed(None);
        }
    }

    /// Changes may have been missed: of what a call watches, or of everything.
    pub fn missed(&mut self, token: Option<Token>) {
        self.effects.push(Effect::Change(Change::Missed { token }));
    }

    fn renew_modern(&mut self, mut open: Vec<Token>, now: Now) {
        // What a legacy server watched by itself needs a call that stays open.
        for uri in std::mem::take(&mut self.kept.subscribed) {
            let mut own = b"{".to_vec();
            write::member_string(&mut own, "uri", &uri);
            write::close(&mut own);
            let own = String::from_utf8_lossy(&own).into_owned();
            if let Ok(own) = RawValue::from_string(own) {
                let token = self.next_token();
                let (options, limits) = (CallOptions::default(), &self.options.limits);
                let mut call = Call::new(Operation::Subscribe, own, options, Waiter::Host, limits);
                (call.plan, call.open) = (Plan::OpenOne, true);
                self.calls.insert(token, call);
                open.push(token);
            }
        }
        for token in open {
            let Some(call) = self.calls.get_mut(&token) else { continue };
            call.again.held = false;
            if call.id.is_none() && call.again.at.is_none() {
                call.again.interrupted = false;
                self.issue(token, now);
            }
        }
    }

    fn renew_legacy(&mut self, open: Vec<Token>, version: Version, now: Now) {
        for token in open {
            let Some(call) = self.calls.get_mut(&token) else { continue };
            call.again.held = false;
            // A `listen` stays as it is: changes of lists are told without being asked for.
            let uris = match call.plan {
                Plan::OpenOne => uri_of(&call.params).into_iter().collect(),
                _ => listened(&call.params),
            };
            if call.plan == Plan::OpenOne {
                self.forget(token);
            }
            self.kept.subscribed.extend(uris);
        }
        for uri in self.kept.subscribed.clone() {
            self.send_again(Method::Subscribe, "uri", &uri, version, now);
        }
        if let Some(level) = self.level
            && self.declares(Capability::Logging)
        {
            self.send_again(Method::SetLevel, "level", level.as_str(), version, now);
        }
        self.watch(now);
    }

    fn send_again(&mut self, method: Method, member: &str, value: &str, version: Version, now: Now) {
        let id = self.next_id();
        let mut out = Vec::with_capacity(128);
        write::request_with(&mut out, &RequestId::Int(id.into()), method.as_str(), |out| {
            out.push(b'{');
            write::member_string(out, member, value);
            write::close(out);
        });
        self.sent.insert(id, Sent::new(Purpose::Renew));
        self.send_request(Post::new(id, version, method), out, now);
    }

    /// Whether the server said that it has this.
    pub fn declares(&self, capability: Capability) -> bool {
        let name = match capability {
            Capability::None => return false,
            Capability::Tools => "tools",
            Capability::Resources | Capability::ResourceSubscriptions => "resources",
            Capability::Prompts => "prompts",
            Capability::Completions => "completions",
            Capability::Logging => "logging",
        };
        let all = self.server.as_deref().and_then(|server| raw::get(server, "capabilities").ok().flatten());
        all.is_some_and(|all| raw::get(all, name).ok().flatten().is_some())
    }
}

/// The resources that a `listen` watches.
fn listened(own: &RawValue) -> Vec<String> {
    let wanted = raw::get(own, "notifications").ok().flatten();
    let list = wanted.and_then(|wanted| raw::get(wanted, "resourceSubscriptions").ok().flatten());
    list.and_then(|list| serde_json::from_str(list.get()).ok()).unwrap_or_default()
}
