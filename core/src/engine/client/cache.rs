//! Results that their server lets a client keep for a while. Whoever's credentials a private result was for is part of its key: it must
//! never reach another principal (security 52).
//! See <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching>.

use std::collections::BTreeMap;
use std::time::Duration;

use http::HeaderMap;
use ring::digest::{self, SHA256};
use rustc_hash::FxHashMap;
use serde_json::value::RawValue;

use crate::model::{Method, params};
use crate::time::Now;
use crate::wire::raw;

/// What an entry weighs besides its text.
const OVERHEAD: usize = 256;

/// Headers that tell requests apart and never principals.
const TRACING: [&str; 2] = ["traceparent", "tracestate"];

type Key = [u8; 32];

/// What changes together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Topic {
    Tools,
    /// Their list, and that of templates.
    Resources,
    Prompts,
    /// The contents of single resources.
    Contents,
}

impl Topic {
    /// What the results of a method tell about; none for methods whose results are not kept.
    fn of(method: Method) -> Option<Self> {
        match method {
            Method::ListTools => Some(Self::Tools),
            Method::ListResources | Method::ListTemplates => Some(Self::Resources),
            Method::ListPrompts => Some(Self::Prompts),
            Method::ReadResource => Some(Self::Contents),
            _ => None,
        }
    }
}

/// Where the result of one request is looked for and kept.
pub(super) struct Place {
    shared: Key,
    private: Key,
    topic: Topic,
    uri: Option<Box<str>>,
    /// How often the topic had changed when it was asked about: an answer may be older than a change that came before it.
    changes: u64,
}

/// How long a result may be kept and for whom, gathered over all its pages.
pub(super) struct Hint {
    until: Duration,
    is_public: bool,
}

impl Default for Hint {
    fn default() -> Self {
        Self { until: Duration::MAX, is_public: true }
    }
}

impl Hint {
    /// Takes one more page: the first that goes stale makes all of them so.
    pub fn add(&mut self, page: &RawValue, now: Now) {
        let member = |name| raw::get(page, name).ok().flatten();
        let ttl = member("ttlMs").map_or(Duration::ZERO, |ttl| milliseconds(ttl.get()));
        self.until = self.until.min(now.monotonic.saturating_add(ttl));
        // A scope that is absent or unknown promises nothing.
        self.is_public &= member("cacheScope").is_some_and(|scope| scope.get() == "\"public\"");
    }
}

/// A time to live. Negative ones count as 0 by the page; what is no integer is no time either, and promises nothing.
fn milliseconds(text: &str) -> Duration {
    let whole = text.parse::<u64>().ok().or_else(|| {
        // Writers without integers say `300000.0` or `3e5`; a conversion from above the range saturates.
        let number = text.parse::<f64>().ok().filter(|number| *number >= 0.0 && number.fract() == 0.0)?;
        Some(number as u64)
    });
    Duration::from_millis(whole.unwrap_or(0))
}

struct Entry {
    text: Box<RawValue>,
    until: Duration,
    topic: Topic,
    uri: Option<Box<str>>,
    used: u64,
}

impl Entry {
    fn weight(&self) -> usize {
        self.text.get().len() + self.uri.as_ref().map_or(0, |uri| uri.len()) + OVERHEAD
    }
}

/// The results kept, those used last the longest.
pub(super) struct Cache {
    entries: FxHashMap<Key, Entry>,
    order: BTreeMap<u64, Key>,
    bytes: usize,
    room: usize,
    uses: u64,
    changes: [u64; 4],
}

impl Cache {
    pub fn new(room: usize) -> Self {
        Self { entries: FxHashMap::default(), order: BTreeMap::new(), bytes: 0, room, uses: 0, changes: [0; 4] }
    }

    /// Where the result of a request belongs; nowhere for a retry with input, which no key describes.
    pub fn place(&self, method: Method, one_page: bool, own: &RawValue, headers: &HeaderMap) -> Option<Place> {
        let topic = Topic::of(method).filter(|_| self.room > 0 && method.row().cacheable)?;
        let member = |name| raw::get(own, name).ok().flatten();
        if member("inputResponses").is_some() || member("requestState").is_some() {
            return None;
        }
        let request = [method.as_str().as_bytes(), &[one_page.into()], own.get().as_bytes()];
        let shared = digest_of(request.into_iter());
        let mut named: Vec<_> = headers.iter().filter(|(name, _)| !TRACING.contains(&name.as_str())).collect();
        named.sort_by_key(|(name, _)| name.as_str());
        let principal = named.iter().flat_map(|(name, value)| [name.as_str().as_bytes(), value.as_bytes()]);
        let private = digest_of(std::iter::once(&shared[..]).chain(principal));
        let uri = member("uri").filter(|_| topic == Topic::Contents);
        let uri = uri.and_then(|uri| params::text(uri, "uri").ok()).map(|uri| uri.as_ref().into());
        Some(Place { shared, private, topic, uri, changes: self.changes[topic as usize] })
    }

    /// What is kept there, if it is fresh.
    pub fn get(&mut self, place: &Place, now: Now) -> Option<Box<RawValue>> {
        for key in [&place.private, &place.shared] {
            let Some(entry) = self.entries.get_mut(key) else { continue };
            if entry.until <= now.monotonic {
                self.remove(key);
                continue;
            }
            self.uses += 1;
            self.order.remove(&entry.used);
            entry.used = self.uses;
            self.order.insert(self.uses, *key);
            return Some(entry.text.clone());
        }
        None
    }

    /// Keeps a result as its hint allows it.
    pub fn put(&mut self, place: Place, hint: &Hint, text: &RawValue, now: Now) {
        let Place { shared, private, topic, uri, changes } = place;
        // Whatever is kept there is older.
        self.remove(&private);
        self.remove(&shared);
        if hint.until <= now.monotonic || changes != self.changes[topic as usize] {
            return;
        }
        if text.get().len().saturating_add(OVERHEAD) > self.room {
            return;
        }
        self.uses += 1;
        let entry = Entry { text: text.to_owned(), until: hint.until, topic, uri, used: self.uses };
        let key = if hint.is_public { shared } else { private };
        self.bytes += entry.weight();
        self.order.insert(self.uses, key);
        self.entries.insert(key, entry);
        while self.bytes > self.room
            && let Some(oldest) = self.order.first_key_value().map(|(_, key)| *key)
        {
            self.remove(&oldest);
        }
    }

    fn remove(&mut self, key: &Key) {
        if let Some(entry) = self.entries.remove(key) {
            self.order.remove(&entry.used);
            self.bytes -= entry.weight();
        }
    }

    fn remove_all(&mut self, which: impl Fn(&Entry) -> bool) {
        let keys: Vec<_> = self.entries.iter().filter(|(_, entry)| which(entry)).map(|(key, _)| *key).collect();
        keys.iter().for_each(|key| self.remove(key));
    }

    /// A list changed.
    pub fn changed(&mut self, topic: Topic) {
        self.changes[topic as usize] += 1;
        self.remove_all(|entry| entry.topic == topic);
    }

    /// A resource changed; it may be a part of one that was read.
    pub fn updated(&mut self, uri: &str) {
        self.changes[Topic::Contents as usize] += 1;
        self.remove_all(|entry| entry.uri.as_deref().is_some_and(|kept| uri.starts_with(kept)));
    }

    /// Changes may have been missed.
    pub fn clear(&mut self) {
        self.changes.iter_mut().for_each(|changes| *changes += 1);
        self.remove_all(|_| true);
    }
}

/// The digest of parts, each told from the next by its length.
fn digest_of<'a>(parts: impl Iterator<Item = &'a [u8]>) -> Key {
    let mut context = digest::Context::new(&SHA256);
    for part in parts {
        context.update(&part.len().to_le_bytes());
        context.update(part);
    }
    let mut key = Key::default();
    key.copy_from_slice(context.finish().as_ref());
    key
}

#[cfg(test)]
#[path = "cache/tests.rs"]
mod tests;
