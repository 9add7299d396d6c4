//! One list of things with names: in order, found by name in constant time, serialised once.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use rustc_hash::FxHashMap;

use crate::model::{Era, Method};

/// Which of the four lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Tools,
    Resources,
    Templates,
    Prompts,
}

impl Kind {
    /// The method that lists it.
    pub fn method(self) -> Method {
        match self {
            Self::Tools => Method::ListTools,
            Self::Resources => Method::ListResources,
            Self::Templates => Method::ListTemplates,
            Self::Prompts => Method::ListPrompts,
        }
    }

    /// The member of the result that holds the list.
    pub fn member(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Resources => "resources",
            Self::Templates => "resourceTemplates",
            Self::Prompts => "prompts",
        }
    }

    /// The word for it at the language boundary.
    pub fn word(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Resources => "resources",
            Self::Templates => "templates",
            Self::Prompts => "prompts",
        }
    }
}

/// Something that can be listed.
pub trait Entry {
    /// What it is found by: a tool's or prompt's name, a resource's URI, a template's text.
    fn key(&self) -> &str;

    /// Its definition as JSON text, in the form that an era knows.
    fn definition(&self, era: Era) -> &str;
}

/// One list.
pub struct Shelf<T> {
    items: Vec<Arc<T>>,
    index: FxHashMap<Box<str>, usize>,
    /// Whether there ever was something on it: its capability stays declared when the last item goes.
    used: bool,
    pub(super) pages: [OnceLock<Vec<Bytes>>; 2],
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self { items: Vec::new(), index: FxHashMap::default(), used: false, pages: Default::default() }
    }
}

impl<T> Clone for Shelf<T> {
    fn clone(&self) -> Self {
        Self { items: self.items.clone(), index: self.index.clone(), used: self.used, pages: Default::default() }
    }
}

impl<T: Entry> Shelf<T> {
    /// Puts an item at the end, or in the place of the one with the same key.
    pub fn put(&mut self, item: T) {
        self.used = true;
        self.pages = Default::default();
        match self.index.get(item.key()) {
            Some(place) => self.items[*place] = Arc::new(item),
            None => {
                self.index.insert(item.key().into(), self.items.len());
                self.items.push(Arc::new(item));
            }
        }
    }

    /// Takes an item away; false if there is none with that key.
    pub fn remove(&mut self, key: &str) -> bool {
        let Some(place) = self.index.remove(key) else { return false };
        self.pages = Default::default();
        self.items.remove(place);
        for (place, item) in self.items.iter().enumerate().skip(place) {
            self.index.insert(item.key().into(), place);
        }
        true
    }

    /// The item with that key.
    pub fn get(&self, key: &str) -> Option<&Arc<T>> {
        self.index.get(key).map(|place| &self.items[*place])
    }

    /// All items, in order.
    pub fn items(&self) -> &[Arc<T>] {
        &self.items
    }

    /// Whether there is, or ever was, something on it.
    pub fn is_used(&self) -> bool {
        self.used
    }

    /// Declares the list although nothing is on it yet.
    pub fn declare(&mut self) {
        self.used = true;
    }
}
