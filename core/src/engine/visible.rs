//! What a caller may see, where that differs: the host is asked, and what it leaves out does not exist for this caller.

use std::sync::{Arc, Mutex};

use bytes::Bytes;

use super::call::{Call, Origin, Work, not_found};
use super::input::Retry;
use super::{Engine, builtin};
use crate::protocol::exchange::Exchange;
use crate::registry::{Entry, Kind};
use crate::time::Now;
use crate::wire::write;

/// What waits for the host's view.
pub(super) enum Seen {
    /// A call of something.
    Call { work: Work, input: Bytes, retry: Option<Retry> },
    /// A page of a list.
    List { kind: Kind, start: usize },
    /// A legacy subscription to a resource, or its end.
    Subscribe { uri: Box<str> },
    /// A modern subscription to changes.
    Listen { filter: crate::protocol::subscribe::Filter },
}

impl Engine {
    /// Asks the host which of the things in question the caller may see.
    pub(super) fn view(self: &Arc<Self>, seen: Seen, origin: Origin, exchange: Exchange, now: Now) {
        let catalog = self.registry.snapshot();
        let mut input = b"{\"kind\":\"".to_vec();
        input.extend_from_slice(kind_of(&seen).word().as_bytes());
        input.extend_from_slice(b"\",\"names\":[");
        let mut first = true;
        let mut push = |name: &str| {
            if !std::mem::take(&mut first) {
                input.push(b',');
            }
            write::string(&mut input, name);
        };
        match &seen {
            Seen::List { kind: Kind::Tools, .. } => catalog.tools.items().iter().for_each(|item| push(item.key())),
            Seen::List { kind: Kind::Resources, .. } => {
                catalog.resources.items().iter().for_each(|item| push(item.key()))
            }
            Seen::List { kind: Kind::Templates, .. } => {
                catalog.templates.items().iter().for_each(|item| push(item.key()))
            }
            Seen::List { kind: Kind::Prompts, .. } => catalog.prompts.items().iter().for_each(|item| push(item.key())),
            Seen::Listen { filter } => filter.resource_subscriptions.iter().for_each(|uri| push(uri)),
            Seen::Call { .. } => push(&origin.target),
            Seen::Subscribe { uri } => push(uri),
        }
        input.extend_from_slice(b"]}");
        let origin = Origin { input: input.into(), ..origin };
        Call::new(Arc::clone(self), Work::Visible(Mutex::new(Some(Box::new(seen)))), origin, Some(exchange), now)
            .start();
    }

    /// The host's view: a JSON array of the names that stay.
    pub(super) fn viewed(self: &Arc<Self>, call: &Arc<Call>, seen: Option<Box<Seen>>, text: &str, now: Now) {
        if !call.finish() {
            return;
        }
        let (Some(seen), Some(mut exchange)) = (seen, call.leave()) else { return };
        let names: std::collections::HashSet<String> = serde_json::from_str(text).unwrap_or_default();
        match *seen {
            Seen::List { kind, start } => builtin::list_visible(self, exchange, kind, start, &names),
            Seen::Listen { mut filter } => {
                filter.resource_subscriptions.retain(|uri| names.contains(uri));
                self.listen(exchange, filter);
            }
            Seen::Subscribe { uri } => match names.contains(&*uri) {
                true => self.subscribe(exchange, uri),
                false => {
                    let work = Work::Resource { hint: self.options.hints.of_read(None), slot: 0 };
                    let error = not_found(&work, &uri, exchange.version.resource_not_found_code());
                    exchange.fail(&error);
                }
            },
            Seen::Call { work, input, retry } => match names.contains(&*call.origin.target) {
                true => self.launch(work, Origin { input, ..call.origin.clone() }, exchange, retry, now),
                false => {
                    let error = not_found(&work, &call.origin.target, exchange.version.resource_not_found_code());
                    exchange.fail(&error);
                }
            },
        }
    }
}

fn kind_of(seen: &Seen) -> Kind {
    match seen {
        Seen::List { kind, .. } => *kind,
        Seen::Call { work: Work::Tool { .. }, .. } => Kind::Tools,
        Seen::Call { work: Work::Prompt { .. }, .. } => Kind::Prompts,
        _ => Kind::Resources,
    }
}
