//! The host of a client in a language: sends what the engine tells to the inbox of whoever waits for it.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use rustc_hash::FxHashMap;
use serde_json::value::RawValue;

use super::desk::{severity, write_error};
use super::inbox::{Inbox, Part, Told};
use crate::engine::client::{AskKind, Change, ClientHost, ClientState, Token, ToolsDiff};
use crate::error::{Error, Result};
use crate::model::Level;
use crate::wire::write;

static LAST_NUMBER: AtomicU64 = AtomicU64::new(0);

/// Which notifications somebody listens to; the others never reach the language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Listens {
    /// `notifications/progress`.
    pub progress: bool,
    /// `notifications/message`.
    pub log: bool,
    /// Lines that the server process writes to stderr; of the client as a whole only.
    pub stderr: bool,
}

/// One client as its language sees it.
pub struct ClientDesk {
    /// Names the client in every inbox; no other client of this process has the number.
    pub number: u64,
    listens: Listens,
    most: usize,
    /// Notifications that were handed out and not yet handled.
    waiting: AtomicUsize,
    dropped: AtomicU64,
    routes: Mutex<Routes>,
}

/// Where answers go.
struct Routes {
    /// Whatever belongs to no call.
    home: Arc<Inbox>,
    calls: FxHashMap<Token, Route>,
    /// What was told of a call before its caller could say where to.
    early: FxHashMap<Token, Vec<Told>>,
}

struct Route {
    inbox: Arc<Inbox>,
    listens: Listens,
}

impl ClientDesk {
    /// A desk for a client that tells what belongs to no call to `home`. At most `most` notifications wait to be handled; further ones
    /// are dropped and counted.
    pub fn new(home: Arc<Inbox>, listens: Listens, most: usize) -> Self {
        Self {
            number: LAST_NUMBER.fetch_add(1, Ordering::Relaxed) + 1,
            listens,
            most,
            waiting: AtomicUsize::new(0),
            dropped: AtomicU64::new(0),
            routes: Mutex::new(Routes { home, calls: FxHashMap::default(), early: FxHashMap::default() }),
        }
    }

    fn routes(&self) -> MutexGuard<'_, Routes> {
        self.routes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says where the answer of a call goes that was just started; what it listens to adds to what the client does.
    pub fn route(&self, token: Token, inbox: &Arc<Inbox>, listens: Listens) {
        let mut routes = self.routes();
        let mut is_over = false;
        for told in routes.early.remove(&token).into_iter().flatten() {
            is_over |= matches!(told.part, Part::Result | Part::Error | Part::Input);
            if self.wanted(told.part, listens) {
                self.hand(inbox, told);
            }
        }
        if !is_over {
            routes.calls.insert(token, Route { inbox: Arc::clone(inbox), listens });
        }
    }

    /// Sends what belongs to no call there from now on.
    pub fn move_home(&self, home: &Arc<Inbox>) {
        self.routes().home = Arc::clone(home);
    }

    /// So many notifications were handled.
    pub fn handled(&self, count: usize) {
        let before = self.waiting.fetch_sub(count, Ordering::AcqRel);
        if before <= count {
            self.report_dropped();
        }
    }

    fn report_dropped(&self) {
        let dropped = self.dropped.swap(0, Ordering::AcqRel);
        if dropped > 0 {
            let most = self.most;
            let text = format!(
                "{dropped} notifications of the server were dropped: more than `host_events` ({most}) waited to be handled"
            );
            self.tell_home(Part::Report, severity(Level::Warning).into(), text);
        }
    }

    fn told(&self, part: Part, token: u64, text: impl Into<Bytes>) -> Told {
        Told { client: self.number, part, token, text: text.into() }
    }

    fn wanted(&self, part: Part, call: Listens) -> bool {
        match part {
            Part::Progress => self.listens.progress || call.progress,
            Part::Log => self.listens.log || call.log,
            _ => true,
        }
    }

    /// Puts something into an inbox; a notification only while there is room (Y09).
    fn hand(&self, inbox: &Inbox, told: Told) {
        if matches!(told.part, Part::Progress | Part::Log | Part::Change | Part::Stderr) {
            if self.waiting.load(Ordering::Acquire) >= self.most {
                self.dropped.fetch_add(1, Ordering::AcqRel);
                return;
            }
            self.waiting.fetch_add(1, Ordering::AcqRel);
        }
        inbox.push(told);
    }

    fn tell_home(&self, part: Part, token: u64, text: impl Into<Bytes>) {
        let told = self.told(part, token, text);
        let home = Arc::clone(&self.routes().home);
        self.hand(&home, told);
    }

    fn outcome(&self, token: Token, part: Part, text: Vec<u8>) {
        let told = self.told(part, token, text);
        let mut routes = self.routes();
        match routes.calls.remove(&token) {
            Some(route) => {
                drop(routes);
                route.inbox.push(told);
            }
            None => routes.early.entry(token).or_default().push(told),
        }
    }

    /// A notification of a call, by the way its result will go, so that it is there first (X03).
    fn notice(&self, token: Token, part: Part, params: Box<RawValue>) {
        let mut routes = self.routes();
        match routes.calls.get(&token) {
            Some(route) if self.wanted(part, route.listens) => {
                let inbox = Arc::clone(&route.inbox);
                drop(routes);
                self.hand(&inbox, self.told(part, token, text_of(params)));
            }
            Some(_) => {}
            None => {
                let early = routes.early.entry(token).or_default();
                if early.len() < self.most {
                    early.push(self.told(part, token, text_of(params)));
                }
            }
        }
    }
}

fn text_of(raw: Box<RawValue>) -> Vec<u8> {
    String::from(Box::<str>::from(raw)).into_bytes()
}

fn error_text(error: &Error) -> Vec<u8> {
    let mut text = Vec::with_capacity(160);
    write_error(&mut text, error);
    text
}

impl ClientHost for ClientDesk {
    fn result(&self, token: Token, result: Result<Box<RawValue>>) {
        match result {
            Ok(result) => self.outcome(token, Part::Result, text_of(result)),
            Err(error) => self.outcome(token, Part::Error, error_text(&error)),
        }
    }

    fn input_required(&self, token: Token, result: Box<RawValue>) {
        self.outcome(token, Part::Input, text_of(result));
    }

    fn progress(&self, token: Token, params: Box<RawValue>) {
        self.notice(token, Part::Progress, params);
    }

    fn log(&self, token: Option<Token>, params: Box<RawValue>) {
        match token {
            Some(token) => self.notice(token, Part::Log, params),
            None if self.listens.log => self.tell_home(Part::Log, 0, text_of(params)),
            None => {}
        }
    }

    fn change(&self, change: Change) {
        let (token, text) = change_text(&change);
        self.tell_home(Part::Change, token, text);
    }

    fn ask(&self, number: u64, kind: AskKind, params: Box<RawValue>) {
        let mut text = b"{".to_vec();
        write::member(&mut text, kind.word(), params.get().as_bytes());
        text.push(b'}');
        self.tell_home(Part::Asked, number, text);
    }

    fn withdrawn(&self, number: u64) {
        self.tell_home(Part::Withdrawn, number, Bytes::new());
    }

    fn state(&self, state: ClientState) {
        let mut text = b"{".to_vec();
        write::member_string(&mut text, "state", state.word());
        if let Some(cause) = state.cause() {
            write::member_string(&mut text, "cause", cause);
        }
        text.push(b'}');
        self.tell_home(Part::State, 0, text);
    }

    fn closed(&self, error: Error) {
        self.report_dropped();
        self.tell_home(Part::Closed, 0, error_text(&error));
    }

    fn report(&self, level: Level, text: String) {
        self.tell_home(Part::Report, severity(level).into(), text);
    }

    fn stderr(&self, line: &str) {
        if self.listens.stderr {
            self.tell_home(Part::Stderr, 0, line.to_owned());
        }
    }
}

/// The text of a change, and the call it belongs to.
fn change_text(change: &Change) -> (Token, Vec<u8>) {
    let mut text = b"{".to_vec();
    write::member_string(&mut text, "kind", change.word());
    let token = match change {
        Change::Missed { token } => token.unwrap_or_default(),
        Change::Ended { token } => *token,
        _ => 0,
    };
    if let Change::Resource { uri } = change {
        write::member_string(&mut text, "uri", uri);
    }
    if let Change::Tools(Some(diff)) = change {
        let ToolsDiff { added, removed, changed } = &**diff;
        for (member, names) in [("added", added), ("removed", removed), ("changed", changed)] {
            write::key(&mut text, member);
            text.push(b'[');
            for (place, name) in names.iter().enumerate() {
                if place > 0 {
                    text.push(b',');
                }
                write::string(&mut text, name);
            }
            text.push(b']');
        }
    }
    text.push(b'}');
    (token, text)
}

#[cfg(test)]
mod tests;
