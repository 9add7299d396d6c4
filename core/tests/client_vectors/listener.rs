//! A host that writes down what it is told, as the JSON that vectors describe.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use omniport::engine::client::{AskKind, Change, ClientHost, ClientState, Token};
use omniport::error::Error;
use omniport::model::Level;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// Something the host was told, and the JSON text it came as where there is one.
pub struct Told {
    pub value: Value,
    pub text: String,
}

/// What was told since the last look.
#[derive(Default)]
struct Notes {
    told: Vec<Told>,
    reports: Vec<Value>,
    names: BTreeMap<Token, String>,
}

/// The host of the runner.
#[derive(Default)]
pub struct Listener(Mutex<Notes>);

fn value(raw: &RawValue) -> Value {
    serde_json::from_str(raw.get()).unwrap_or_else(|error| format!("unreadable: {error}").into())
}

/// An error with every fact.
pub fn error(error: &Error) -> Value {
    let facts: Map<String, Value> =
        error.context().iter().map(|(name, value)| ((*name).to_owned(), value.as_str().into())).collect();
    let mut told = json!({
        "kind": error.kind().word(), "code": error.code(), "message": error.message(), "facts": facts,
        "retry": error.can_retry(),
    });
    if let Some(data) = error.data() {
        told["data"] = value(data);
    }
    told
}

impl Listener {
    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, value: Value, text: &str) {
        self.notes().told.push(Told { value, text: text.to_owned() });
    }

    /// Calls a token by a name.
    pub fn name(&self, token: Token, name: &str) {
        self.notes().names.insert(token, name.to_owned());
    }

    /// The token of that name, the newest if there are several.
    pub fn token(&self, name: &str) -> Option<Token> {
        self.notes().names.iter().rev().find(|(_, known)| *known == name).map(|(token, _)| *token)
    }

    /// Takes what was told since the last look, tokens by their names.
    pub fn take(&self) -> Vec<Told> {
        let mut notes = self.notes();
        let mut told = std::mem::take(&mut notes.told);
        for told in &mut told {
            for member in ["done", "progress", "log", "of"] {
                let place = told.value.get_mut(member);
                if let Some((place, token)) = place.and_then(|place| place.as_u64().map(|token| (place, token))) {
                    *place = notes.names.get(&token).map_or_else(|| token.into(), |name| name.as_str().into());
                }
            }
        }
        told
    }

    /// Takes the reports since the last look.
    pub fn reports(&self) -> Vec<Value> {
        std::mem::take(&mut self.notes().reports)
    }
}

impl ClientHost for Listener {
    fn result(&self, token: Token, result: Result<Box<RawValue>, Error>) {
        match result {
            Ok(result) => self.push(json!({"done": token, "result": value(&result)}), result.get()),
            Err(failure) => self.push(json!({"done": token, "error": error(&failure)}), ""),
        }
    }

    fn input_required(&self, token: Token, result: Box<RawValue>) {
        self.push(json!({"done": token, "needs": value(&result)}), result.get());
    }

    fn progress(&self, token: Token, params: Box<RawValue>) {
        self.push(json!({"progress": token, "params": value(&params)}), params.get());
    }

    fn log(&self, token: Option<Token>, params: Box<RawValue>) {
        self.push(json!({"log": token, "params": value(&params)}), params.get());
    }

    fn change(&self, change: Change) {
        let mut told = json!({"change": change.word()});
        match change {
            Change::Tools(Some(diff)) => {
                told["diff"] = json!({"added": diff.added, "removed": diff.removed, "changed": diff.changed});
            }
            Change::Resource { uri } => told["uri"] = json!(uri),
            Change::Missed { token } => told["of"] = json!(token),
            Change::Ended { token } => told["of"] = json!(token),
            _ => {}
        }
        self.push(told, "");
    }

    fn ask(&self, number: u64, kind: AskKind, params: Box<RawValue>) {
        self.push(json!({"ask": kind.word(), "number": number, "params": value(&params)}), params.get());
    }

    fn withdrawn(&self, number: u64) {
        self.push(json!({"withdrawn": number}), "");
    }

    fn state(&self, state: ClientState) {
        let mut told = json!({"state": state.word()});
        if let Some(cause) = state.cause() {
            told["cause"] = cause.into();
        }
        self.push(told, "");
    }

    fn closed(&self, failure: Error) {
        self.push(json!({"closed": error(&failure)}), "");
    }

    fn report(&self, level: Level, text: String) {
        self.notes().reports.push(json!({"level": level.as_str(), "text": text}));
    }
}
