//! A server that is ready to serve: what it offers can change while it does.

use std::collections::HashSet;
use std::sync::Arc;

use super::handler::Handler;
use super::hooks::Hooks;
use super::offer::{Item, Offer, slot_of};
use super::runner::Runner;
use crate::engine::{Engine, ServerOptions};
use crate::error::{Error, Result};
use crate::io::clock;
use crate::io::random::SystemEntropy;
use crate::io::timers;
use crate::registry::{Catalog, Kind, Slot};

type Handlers = Vec<(Slot, Handler)>;

/// A built server. Clones are the same server; one of them may move into a task that changes what is offered.
///
/// A handler that keeps a clone of its own server keeps it alive for ever.
#[derive(Clone)]
pub struct App {
    engine: Arc<Engine>,
    runner: Arc<Runner>,
}

impl App {
    pub(super) fn new(options: ServerOptions, hooks: Hooks, offers: Vec<Offer>, declared: &[Kind]) -> Result<Self> {
        let runner = Arc::new(Runner::new(hooks));
        let engine = Engine::new(options, Arc::clone(&runner) as _, Arc::new(SystemEntropy::new()), clock::now())?;
        runner.serve(&engine);
        timers::drive(&engine);
        let app = Self { engine, runner };
        app.engine.registry.change(|catalog| declared.iter().for_each(|kind| declare(catalog, *kind)));
        let (items, handlers) = app.check(offers)?;
        refuse_doubles(&items)?;
        app.runner.add(handlers);
        app.engine.registry.change(|catalog| items.into_iter().for_each(|item| item.put(catalog)));
        Ok(app)
    }

    /// The engine underneath, for transports of one's own.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// Remembers the runtime around the caller as the one that handlers run in where a transport has none.
    pub(super) fn settle(&self) {
        self.runner.settle();
    }

    /// Offers one more thing, or a new form of one of that name, and tells clients.
    ///
    /// # Errors
    /// As those of [`App::change`].
    pub fn add(&self, offer: Offer) -> Result<()> {
        self.change(|changes| {
            changes.add(offer);
        })
    }

    /// Offers something no longer, and tells clients. False if it was not offered. Calls that run go on.
    pub fn remove(&self, kind: Kind, key: &str) -> bool {
        let slot = self.engine.registry.change(|catalog| {
            let slot = slot_of(catalog, kind, key);
            catalog.remove(kind, key);
            slot
        });
        if let Some(slot) = slot {
            self.runner.remove(&[slot]);
            self.engine.list_changed(kind);
        }
        slot.is_some()
    }

    /// Makes several changes at once: readers see all or none, and every list that changed is announced once.
    ///
    /// # Errors
    /// [`ErrorKind::Definition`](crate::error::ErrorKind::Definition) if something cannot be offered; then nothing changed.
    pub fn change(&self, change: impl FnOnce(&mut Changes)) -> Result<()> {
        let mut changes = Changes::default();
        change(&mut changes);
        let (items, handlers) = self.check(changes.added)?;
        self.runner.add(handlers);
        let mut old = Vec::new();
        let mut kinds: HashSet<Kind> = items.iter().filter_map(Item::kind).collect();
        self.engine.registry.change(|catalog| {
            for (kind, key) in &changes.removed {
                if let Some(slot) = slot_of(catalog, *kind, key) {
                    catalog.remove(*kind, key);
                    old.push(slot);
                    kinds.insert(*kind);
                }
            }
            for item in items {
                old.extend(item.replaces(catalog));
                item.put(catalog);
            }
        });
        self.runner.remove(&old);
        // Resources and templates share one announcement.
        if kinds.contains(&Kind::Resources) {
            kinds.remove(&Kind::Templates);
        }
        for kind in kinds {
            self.engine.list_changed(kind);
        }
        Ok(())
    }

    /// Tells the clients who follow a resource that its content changed.
    pub fn resource_updated(&self, uri: &str) {
        self.engine.resource_updated(uri);
    }

    /// All definitions, and the handlers behind them; or all that is wrong.
    fn check(&self, offers: Vec<Offer>) -> Result<(Vec<Item>, Handlers)> {
        let mut items = Vec::with_capacity(offers.len());
        let mut handlers = Vec::with_capacity(offers.len());
        let mut faults = Vec::new();
        for Offer { what, handler } in offers {
            let slot = self.engine.registry.next_slot();
            match what.check(slot, self.engine.limits()) {
                Ok(item) => {
                    items.push(item);
                    handlers.push((slot, handler));
                }
                Err(fault) => faults.push(fault),
            }
        }
        match all(faults) {
            None => Ok((items, handlers)),
            Some(fault) => Err(fault),
        }
    }
}

/// Several changes of what is offered; see [`App::change`]. What is taken away goes first.
#[derive(Default)]
pub struct Changes {
    added: Vec<Offer>,
    removed: Vec<(Kind, Box<str>)>,
}

impl Changes {
    /// Offers one more thing, or a new form of one of that name.
    pub fn add(&mut self, offer: Offer) -> &mut Self {
        self.added.push(offer);
        self
    }

    /// Offers something no longer.
    pub fn remove(&mut self, kind: Kind, key: &str) -> &mut Self {
        self.removed.push((kind, key.into()));
        self
    }
}

fn declare(catalog: &mut Catalog, kind: Kind) {
    match kind {
        Kind::Tools => catalog.tools.declare(),
        Kind::Resources => catalog.resources.declare(),
        Kind::Templates => catalog.templates.declare(),
        Kind::Prompts => catalog.prompts.declare(),
    }
}

/// Two tools of one name, of which a client could only ever reach one, are a mistake while a server is described.
fn refuse_doubles(items: &[Item]) -> Result<()> {
    let mut seen = HashSet::new();
    let doubles = items
        .iter()
        .filter_map(|item| Some((item.kind()?, item.key())))
        .filter(|known| !seen.insert(*known))
        .map(|(kind, key)| Error::definition(format!("{}: `{key}` is offered twice", kind.word())));
    all(doubles.collect()).map_or(Ok(()), Err)
}

/// Several faults as one, so that all of them are known at once.
fn all(mut faults: Vec<Error>) -> Option<Error> {
    match faults.len() {
        0 | 1 => faults.pop(),
        _ => {
            let texts: Vec<_> = faults.iter().map(Error::message).collect();
            Some(Error::definition(texts.join("; ")))
        }
    }
}
