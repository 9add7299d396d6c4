//! Changes at the server as streams: all of them, or those of one subscription.
//! See <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions>.

use std::pin::Pin;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use futures_core::Stream;

use super::queue::{Receiver, Sender, queue};
use crate::engine::client::{Change, ClientEngine, Token};
use crate::types::SubscriptionFilter;

/// Whoever wants to hear of changes.
pub(super) struct Listeners {
    /// Absent once the connection is over.
    senders: Mutex<Option<Vec<Sender<Change>>>>,
    bound: usize,
    dropped: Arc<AtomicU64>,
}

impl Listeners {
    /// Keeps at most `bound` changes for each listener; further ones are dropped and counted.
    pub fn new(bound: usize, dropped: Arc<AtomicU64>) -> Self {
        Self { senders: Mutex::new(Some(Vec::new())), bound, dropped }
    }

    fn senders(&self) -> MutexGuard<'_, Option<Vec<Sender<Change>>>> {
        self.senders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A stream of all changes from now on.
    pub fn listen(&self) -> Changes {
        let (sender, receiver) = queue(self.bound, Arc::clone(&self.dropped));
        if let Some(senders) = &mut *self.senders() {
            senders.push(sender);
        }
        Changes { receiver }
    }

    /// Something changed. The end of a subscription is never lost: its stream would wait for ever.
    pub fn tell(&self, change: &Change) {
        let mut senders = self.senders();
        let Some(senders) = &mut *senders else { return };
        senders.retain(|sender| !sender.is_closed());
        for sender in senders {
            match change {
                Change::Ended { .. } => sender.push(change.clone()),
                _ => sender.offer(change.clone()),
            }
        }
    }

    /// There will be no change any more.
    pub fn close(&self) {
        self.senders().take();
    }
}

/// Every change at the server, in order, until the connection is over: [`Changes::next`], or as a [`Stream`].
///
/// Legacy servers tell of changed lists by themselves, and of resources that were subscribed to. Of a modern server only what was asked
/// for with [`Client::listen`](super::Client::listen) or [`Client::subscribe`](super::Client::subscribe) is heard. A reader that falls
/// `Limits::host_events` behind loses further changes, which [`Client::dropped_events`](super::Client::dropped_events) counts.
pub struct Changes {
    receiver: Receiver<Change>,
}

impl Changes {
    /// The next change; `None` when the connection is over. Dropped before its end, it loses nothing.
    pub async fn next(&mut self) -> Option<Change> {
        self.receiver.next().await
    }
}

impl Stream for Changes {
    type Item = Change;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Change>> {
        self.receiver.poll_next(cx)
    }
}

/// The changes that one [`Client::listen`](super::Client::listen) asked for: [`Subscription::next`], or as a [`Stream`]. Dropped, it is
/// taken back.
pub struct Subscription {
    accepted: SubscriptionFilter,
    changes: Changes,
    engine: Arc<ClientEngine>,
    token: Token,
}

impl Subscription {
    pub(super) fn new(accepted: SubscriptionFilter, changes: Changes, engine: Arc<ClientEngine>, token: Token) -> Self {
        Self { accepted, changes, engine, token }
    }

    /// What the server agreed to tell; it may be less than what was asked for.
    pub fn accepted(&self) -> &SubscriptionFilter {
        &self.accepted
    }

    /// The next change; `None` when the subscription or the connection is over, after which changes may have been missed. Dropped before
    /// its end, it loses nothing.
    pub async fn next(&mut self) -> Option<Change> {
        std::future::poll_fn(|cx| self.poll(cx)).await
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Change>> {
        loop {
            match std::task::ready!(self.changes.receiver.poll_next(cx)) {
                Some(Change::Ended { token }) if token == self.token => return Poll::Ready(None),
                Some(change) if self.wants(&change) => return Poll::Ready(Some(change)),
                Some(_) => {}
                None => return Poll::Ready(None),
            }
        }
    }

    fn wants(&self, change: &Change) -> bool {
        let accepted = &self.accepted;
        match change {
            Change::Tools(_) => accepted.tools_list_changed == Some(true),
            Change::Resources => accepted.resources_list_changed == Some(true),
            Change::Prompts => accepted.prompts_list_changed == Some(true),
            Change::Resource { uri } => {
                accepted.resource_subscriptions.iter().flatten().any(|wanted| is_below(wanted, uri))
            }
            Change::Missed { token } => token.is_none_or(|token| token == self.token),
            Change::Ended { .. } => false,
        }
    }
}

/// Whether `uri` is `wanted` or a part of it: a server may tell of a resource below the one that was asked for.
fn is_below(wanted: &str, uri: &str) -> bool {
    uri.strip_prefix(wanted)
        .is_some_and(|rest| rest.is_empty() || wanted.ends_with('/') || rest.starts_with(['/', '#', '?']))
}

impl Stream for Subscription {
    type Item = Change;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Change>> {
        self.poll(cx)
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.engine.cancel(self.token, "nobody listens any more");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_resource_belong_to_it() {
        for uri in ["file:///a", "file:///a/b", "file:///a#part"] {
            assert!(is_below("file:///a", uri), "{uri}");
        }
        assert!(is_below("file:///a/", "file:///a/b"));
        assert!(!is_below("file:///a", "file:///ab") && !is_below("file:///a/b", "file:///a"));
    }
}
