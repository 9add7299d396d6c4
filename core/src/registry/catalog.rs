//! The snapshot that requests are served from, and the registry that publishes a new one after changes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;

use super::completion::Completions;
use super::prompt::Prompt;
use super::resource::{Resource, ResourceTemplate};
use super::shelf::Shelf;
use super::tool::Tool;
use super::{Kind, Slot};
use crate::registry::template::Value;

/// Everything a server offers at one moment.
#[derive(Clone, Default)]
pub struct Catalog {
    pub tools: Shelf<Tool>,
    pub resources: Shelf<Resource>,
    pub templates: Shelf<ResourceTemplate>,
    pub prompts: Shelf<Prompt>,
    pub completions: Completions,
}

/// Who reads a URI.
pub enum Found<'a> {
    Resource(&'a Arc<Resource>),
    Template(&'a Arc<ResourceTemplate>, Vec<(&'a str, Value)>),
}

impl Catalog {
    /// Finds who reads a URI: a resource of just that URI, else the first template that matches.
    pub fn find(&self, uri: &str) -> Option<Found<'_>> {
        if let Some(resource) = self.resources.get(uri) {
            return Some(Found::Resource(resource));
        }
        self.templates
            .items()
            .iter()
            .find_map(|entry| entry.template.match_uri(uri).map(|variables| Found::Template(entry, variables)))
    }

    /// Whether resources or templates are, or ever were, there.
    pub fn has_resources(&self) -> bool {
        self.resources.is_used() || self.templates.is_used()
    }

    /// Takes something away; false if it is not there.
    pub fn remove(&mut self, kind: Kind, key: &str) -> bool {
        match kind {
            Kind::Tools => self.tools.remove(key),
            Kind::Resources => self.resources.remove(key),
            Kind::Templates => self.templates.remove(key),
            Kind::Prompts => self.prompts.remove(key),
        }
    }
}

/// The catalog under change, and its published snapshot. A thousand registrations in a row make one snapshot.
#[derive(Default)]
pub struct Registry {
    draft: Mutex<(Catalog, Slot)>,
    dirty: AtomicBool,
    published: ArcSwap<Catalog>,
}

impl Registry {
    /// What is offered now.
    pub fn snapshot(&self) -> arc_swap::Guard<Arc<Catalog>> {
        if self.dirty.load(Ordering::Acquire) {
            let draft = self.draft.lock().unwrap_or_else(PoisonError::into_inner);
            if self.dirty.swap(false, Ordering::AcqRel) {
                self.published.store(Arc::new(draft.0.clone()));
            }
        }
        self.published.load()
    }

    /// Changes the catalog; readers see it from their next request on.
    pub fn change<R>(&self, change: impl FnOnce(&mut Catalog) -> R) -> R {
        let mut draft = self.draft.lock().unwrap_or_else(PoisonError::into_inner);
        let result = change(&mut draft.0);
        self.dirty.store(true, Ordering::Release);
        result
    }

    /// A number that no handler has yet.
    pub fn next_slot(&self) -> Slot {
        let mut draft = self.draft.lock().unwrap_or_else(PoisonError::into_inner);
        draft.1 += 1;
        draft.1 - 1
    }
}
