//! What servers spoke the last time: the next client of this process tries that first and saves the questions.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use serde_json::value::RawValue;

use crate::engine::client::{AskKind, Change, ClientEngine, ClientHost, ClientOptions, ClientState, EraChoice, Token};
use crate::error::{Error, Result};
use crate::model::{Level, Version};

/// Servers remembered; the one that was met the longest ago goes first.
const SERVERS: usize = 1024;

static MEMORY: Mutex<VecDeque<(Box<str>, Version)>> = Mutex::new(VecDeque::new());

fn memory() -> MutexGuard<'static, VecDeque<(Box<str>, Version)>> {
    MEMORY.lock().unwrap_or_else(PoisonError::into_inner)
}

fn known(key: &str) -> Option<Version> {
    memory().iter().find(|(other, _)| **other == *key).map(|(_, version)| *version)
}

fn remember(key: &str, version: Version) {
    let mut memory = memory();
    memory.retain(|(other, _)| **other != *key);
    memory.push_back((key.into(), version));
    if memory.len() > SERVERS {
        memory.pop_front();
    }
}

/// What a server process is remembered by. A server over HTTP is by its URL without the query.
pub fn command_key(argv: &[String], cwd: Option<&Path>) -> String {
    format!("{argv:?} {cwd:?}")
}

/// Fills in the revision that the server of that key spoke, unless the user chose one, and makes the host remember what is spoken
/// this time. [`Watch::follow`] must be called when the engine is there.
pub fn recall(
    key: Option<String>,
    options: &mut ClientOptions,
    host: Arc<dyn ClientHost>,
) -> (Arc<dyn ClientHost>, Watch) {
    let Some(key) = key.filter(|_| options.era == EraChoice::Auto) else { return (host, Watch(None)) };
    options.known = options.known.or_else(|| known(&key));
    let watched = Arc::new(Watched { key, engine: OnceLock::new(), host });
    (Arc::clone(&watched) as Arc<dyn ClientHost>, Watch(Some(watched)))
}

/// Waits for its engine.
#[must_use = "nothing is remembered without an engine to ask"]
pub struct Watch(Option<Arc<Watched>>);

impl Watch {
    /// Remembers what this engine agrees on.
    pub fn follow(self, engine: &Arc<ClientEngine>) {
        if let Some(watched) = self.0 {
            let _ = watched.engine.set(Arc::downgrade(engine));
        }
    }
}

/// A host that hears of the agreement too.
struct Watched {
    key: String,
    engine: OnceLock<Weak<ClientEngine>>,
    host: Arc<dyn ClientHost>,
}

impl ClientHost for Watched {
    fn result(&self, token: Token, result: Result<Box<RawValue>>) {
        self.host.result(token, result);
    }

    fn input_required(&self, token: Token, result: Box<RawValue>) {
        self.host.input_required(token, result);
    }

    fn progress(&self, token: Token, params: Box<RawValue>) {
        self.host.progress(token, params);
    }

    fn log(&self, token: Option<Token>, params: Box<RawValue>) {
        self.host.log(token, params);
    }

    fn change(&self, change: Change) {
        self.host.change(change);
    }

    fn ask(&self, number: u64, kind: AskKind, params: Box<RawValue>) {
        self.host.ask(number, kind, params);
    }

    fn withdrawn(&self, number: u64) {
        self.host.withdrawn(number);
    }

    fn state(&self, state: ClientState) {
        if state == ClientState::Ready
            && let Some(version) = self.engine.get().and_then(Weak::upgrade).and_then(|engine| engine.version())
        {
            remember(&self.key, version);
        }
        self.host.state(state);
    }

    fn closed(&self, error: Error) {
        self.host.closed(error);
    }

    fn report(&self, level: Level, text: String) {
        self.host.report(level, text);
    }

    fn stderr(&self, line: &str) {
        self.host.stderr(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_is_bounded_and_the_newest_wins() {
        let key = command_key(&["server".into(), "a b".into()], Some(Path::new("/x")));
        assert_ne!(key, command_key(&["server".into(), "a".into(), "b".into()], Some(Path::new("/x"))));
        assert_eq!(known(&key), None);
        remember(&key, Version::NEWEST_LEGACY);
        remember(&key, Version::NEWEST);
        assert_eq!(known(&key), Some(Version::NEWEST));
        for number in 0..SERVERS {
            remember(&format!("server {number}"), Version::NEWEST);
        }
        assert_eq!((known(&key), memory().len()), (None, SERVERS));
    }
}
