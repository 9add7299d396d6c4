//! Who listens to changes, and telling them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use slab::Slab;

use super::Engine;
use super::host::Event;
use crate::model::{Era, Method};
use crate::protocol::exchange::Exchange;
use crate::protocol::peer::{Peer, Running};
use crate::protocol::sink::Frame;
use crate::protocol::subscribe::{self, Change, Filter};
use crate::registry::Kind;
use crate::wire::write;

/// Everyone who listens.
#[derive(Default)]
pub(super) struct Subscribers(Mutex<Slab<Subscriber>>);

enum Subscriber {
    /// A peer with a handshake hears of all lists, and of the resources it subscribed to.
    Legacy(Weak<Peer>),
    /// A `subscriptions/listen` request.
    Modern(Arc<Listener>),
}

/// An open `subscriptions/listen` request.
pub(super) struct Listener {
    engine: Arc<Engine>,
    filter: Filter,
    /// None when it is over.
    exchange: Mutex<Option<Exchange>>,
    place: Mutex<Option<usize>>,
}

impl Subscribers {
    fn lock(&self) -> MutexGuard<'_, Slab<Subscriber>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A peer that finished its handshake.
    pub fn add_legacy(&self, peer: &Arc<Peer>) {
        let mut all = self.lock();
        // Peers that are gone make room for the next one, so that nothing grows with the number of finished sessions.
        if all.len() == all.capacity() {
            all.retain(|_, subscriber| !matches!(subscriber, Subscriber::Legacy(peer) if peer.strong_count() == 0));
        }
        all.insert(Subscriber::Legacy(Arc::downgrade(peer)));
    }

    /// Ends all subscriptions with the answer that tells a graceful end.
    pub fn end_all(&self, engine: &Engine) {
        let listeners: Vec<_> = self
            .lock()
            .iter()
            .filter_map(|(_, subscriber)| match subscriber {
                Subscriber::Modern(listener) => Some(Arc::clone(listener)),
                Subscriber::Legacy(_) => None,
            })
            .collect();
        for listener in listeners {
            listener.end(engine);
        }
    }
}

impl Listener {
    fn exchange(&self) -> MutexGuard<'_, Option<Exchange>> {
        self.exchange.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, change: Change<'_>) {
        let exchange = self.exchange();
        if let Some(exchange) = exchange.as_ref().filter(|_| self.filter.wants(change)) {
            exchange.sink.send(Frame::Notification(subscribe::notification(change, Some(&exchange.id)).into()));
        }
    }

    fn leave(&self) -> Option<Exchange> {
        let exchange = self.exchange().take()?;
        let place = self.place.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(place) = place {
            self.engine.subscribers.lock().try_remove(place);
        }
        if let Some(peer) = &exchange.peer {
            peer.state().in_flight.remove(&exchange.id);
        }
        for uri in &self.filter.resource_subscriptions {
            self.engine.subscription_changed(uri, false);
        }
        Some(exchange)
    }

    /// The server ends the subscription: the long request gets its answer.
    fn end(&self, engine: &Engine) {
        let Some(mut exchange) = self.leave() else { return };
        let mut out = Vec::with_capacity(192);
        write::result_open(&mut out, &exchange.id);
        out.extend_from_slice(b"{\"resultType\":\"complete\",\"_meta\":{");
        write::string(&mut out, crate::model::params::meta_key::SUBSCRIPTION_ID);
        out.push(b':');
        exchange.id.write(&mut out);
        out.push(b',');
        write::string(&mut out, crate::model::params::meta_key::SERVER_INFO);
        out.push(b':');
        out.extend_from_slice(engine.options.info.as_bytes());
        out.extend_from_slice(b"}}}");
        exchange.respond(out.into(), None);
        // Over HTTP the stream has ended with its answer. On a shared one the server must also say that it tore the subscription down.
        if exchange.peer.is_some() {
            exchange.sink.send(Frame::Notification(subscribe::cancellation(&exchange.id).into()));
        }
    }
}

impl Running for Listener {
    fn cancel(self: Arc<Self>, _: &str) {
        if let Some(mut exchange) = self.leave() {
            exchange.end();
        }
    }
}

impl Engine {
    /// Tells everyone who listens that a list changed.
    pub fn list_changed(&self, kind: Kind) {
        self.tell(match kind {
            Kind::Tools => Change::Tools,
            Kind::Prompts => Change::Prompts,
            Kind::Resources | Kind::Templates => Change::Resources,
        });
    }

    /// Tells everyone who subscribed to the resource that its content changed.
    pub fn resource_updated(&self, uri: &str) {
        self.tell(Change::Resource(uri));
    }

    fn tell(&self, change: Change<'_>) {
        let (peers, listeners) = {
            let all = self.subscribers.lock();
            let mut peers = Vec::new();
            let mut listeners = Vec::new();
            for (_, subscriber) in all.iter() {
                match subscriber {
                    Subscriber::Legacy(peer) => peers.extend(peer.upgrade()),
                    Subscriber::Modern(listener) => listeners.push(Arc::clone(listener)),
                }
            }
            (peers, listeners)
        };
        for peer in peers {
            let wanted = match change {
                Change::Resource(uri) => peer.state().subscribed.iter().any(|subscribed| **subscribed == *uri),
                _ => peer.negotiated().is_some(),
            };
            if wanted && !peer.is_closed() {
                peer.sink.send(Frame::Notification(subscribe::notification(change, None).into()));
            }
        }
        for listener in listeners {
            listener.tell(change);
        }
    }

    /// Leaves of a filter what this server can honour.
    pub(super) fn restrict(&self, filter: &mut Filter) {
        filter.tools_list_changed &= self.offers(Method::ListTools);
        filter.prompts_list_changed &= self.offers(Method::ListPrompts);
        filter.resources_list_changed &= self.offers(Method::ListResources);
        if !self.options.subscribe || !self.offers(Method::ListResources) {
            filter.resource_subscriptions.clear();
        }
    }

    /// Opens a subscription: first the acknowledgement, then changes as they happen.
    pub(super) fn listen(self: &Arc<Self>, exchange: Exchange, filter: Filter) {
        let listener = Arc::new(Listener {
            engine: Arc::clone(self),
            filter,
            exchange: Mutex::new(None),
            place: Mutex::new(None),
        });
        exchange.sink.send(Frame::Notification(subscribe::acknowledgement(&exchange.id, &listener.filter).into()));
        if let Some(peer) = &exchange.peer {
            peer.state().in_flight.insert(exchange.id.clone(), Arc::clone(&listener) as Arc<dyn Running>);
        }
        exchange.sink.runs(&(Arc::clone(&listener) as Arc<dyn Running>));
        *listener.exchange() = Some(exchange);
        let place = self.subscribers.lock().insert(Subscriber::Modern(Arc::clone(&listener)));
        *listener.place.lock().unwrap_or_else(PoisonError::into_inner) = Some(place);
        for uri in &listener.filter.resource_subscriptions {
            self.subscription_changed(uri, true);
        }
        if self.is_draining() {
            listener.end(self);
        }
    }

    /// A legacy client subscribes to a resource.
    pub(super) fn subscribe(self: &Arc<Self>, mut exchange: Exchange, uri: Box<str>) {
        debug_assert_eq!(exchange.era(), Era::Legacy);
        let limit = self.limits().subscriptions;
        if let Some(peer) = exchange.peer.clone() {
            let mut state = peer.state();
            if state.subscribed.len() >= limit {
                drop(state);
                exchange.fail(&crate::error::Error::limit("subscriptions", limit, "the number of subscriptions"));
                return;
            }
            if !state.subscribed.contains(&uri) {
                state.subscribed.push(uri.clone());
            }
        }
        self.subscription_changed(&uri, true);
        let mut out = Vec::with_capacity(64);
        write::result_open(&mut out, &exchange.id);
        out.extend_from_slice(b"{}}");
        exchange.respond(out.into(), None);
    }

    /// Tells the host that someone follows a resource, or no longer does.
    pub(super) fn subscription_changed(&self, uri: &str, active: bool) {
        self.host.event(Event::Subscription { uri: uri.into(), active });
    }
}
