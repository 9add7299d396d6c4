//! Changes that the server tells. Those of one list that come in a storm are told once; a list of tools that somebody has seen is read
//! again, so that the host learns what is different.

use std::collections::BTreeSet;

use super::cache::Topic;
use super::call::Waiter;
use super::host::{Change, ToolsDiff};
use super::operation::Operation;
use super::options::CallOptions;
use super::state::{Effect, State, Timer};
use crate::error::Result;
use crate::model::Level;
use crate::time::Now;

/// What is gathered.
#[derive(Default)]
pub(super) struct Changes {
    /// Lists that changed and were not told yet.
    gathered: BTreeSet<Topic>,
    refresh: Refresh,
}

/// Whether the list of tools is being read again.
#[derive(Default, PartialEq, Eq)]
enum Refresh {
    #[default]
    No,
    Running,
    /// It changed once more meanwhile; however often, one further reading shows the last state.
    Outdated,
}

impl State {
    /// A list changed: what is kept of it is stale at once, and the host is told after `refresh_after`. The wait is not begun anew by
    /// what follows: a storm without end must not hide the changes.
    pub fn list_changed(&mut self, topic: Topic, now: Now) {
        self.cache.changed(topic);
        if self.changes.gathered.insert(topic) {
            self.set_timer(now.monotonic.saturating_add(self.options.limits.refresh_after), Timer::Changed(topic));
        }
    }

    /// A resource changed.
    pub fn resource_updated(&mut self, uri: &str) {
        self.cache.updated(uri);
        self.effects.push(Effect::Change(Change::Resource { uri: uri.into() }));
    }

    /// The connection is made; if it is not the first one, changes may have been missed.
    pub fn renewed(&mut self, now: Now) {
        self.cache.clear();
        if self.tools.are_listed() {
            self.list_changed(Topic::Tools, now);
        }
    }

    /// The storm is over, or long enough.
    pub fn gathered(&mut self, topic: Topic, now: Now) {
        self.changes.gathered.remove(&topic);
        match topic {
            Topic::Tools => self.refresh(now),
            Topic::Resources | Topic::Contents => self.effects.push(Effect::Change(Change::Resources)),
            Topic::Prompts => self.effects.push(Effect::Change(Change::Prompts)),
        }
    }

    fn refresh(&mut self, now: Now) {
        if !self.tools.are_listed() {
            return self.effects.push(Effect::Change(Change::Tools(None)));
        }
        match self.changes.refresh {
            Refresh::No => {
                self.changes.refresh = Refresh::Running;
                let waiter = Waiter::Refresh(ToolsDiff::default());
                self.start_own(Operation::ListTools, CallOptions::default(), waiter, now);
            }
            Refresh::Running | Refresh::Outdated => self.changes.refresh = Refresh::Outdated,
        }
    }

    /// The list of tools was read again. The host is told even when nothing it compares is different: titles and annotations may be.
    pub fn refreshed(&mut self, outcome: Result<ToolsDiff>, now: Now) {
        let diff = match outcome {
            Ok(diff) => Some(Box::new(diff)),
            Err(error) => {
                self.report(Level::Warning, format!("the tools changed, and cannot be listed again: {error}"));
                None
            }
        };
        self.effects.push(Effect::Change(Change::Tools(diff)));
        if std::mem::take(&mut self.changes.refresh) == Refresh::Outdated {
            self.refresh(now);
        }
    }
}
