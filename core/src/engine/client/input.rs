//! What the server asks: over the back channel in the legacy era, inside an `input_required` result in the modern one. The host
//! sees the same question either way.
//! See <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr>.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::host::{AskKind, Token};
use super::operation::Plan;
use super::state::{Effect, State, empty, invalid};
use crate::error::{Error, ErrorKind, Result};
use crate::model::params;
use crate::model::{Era, Level, Method};
use crate::time::Now;
use crate::wire::envelope::WireError;
use crate::wire::{RequestId, raw, write};

/// A question that the host has not answered yet.
pub(super) enum Ask {
    /// A request of a legacy server.
    BackChannel { id: RequestId },
    /// Input number `index` of a call.
    Input { token: Token, index: usize },
}

impl Ask {
    pub fn is_of(&self, call: Token) -> bool {
        matches!(self, Self::Input { token, .. } if *token == call)
    }
}

/// What a call gathers for its next round.
pub(super) struct Input {
    /// Echoed as the JSON text it came as.
    state: Option<Box<RawValue>>,
    /// By the server's keys.
    answers: Vec<(Box<str>, Option<Box<RawValue>>)>,
}

impl Input {
    /// Writes the members that a retry adds.
    pub fn write(&self, out: &mut Vec<u8>) {
        if !self.answers.is_empty() {
            write::key(out, "inputResponses");
            out.push(b'{');
            for (key, answer) in &self.answers {
                write::member(out, key, answer.as_deref().map_or("{}", RawValue::get).as_bytes());
            }
            write::close(out);
        }
        if let Some(state) = &self.state {
            write::member(out, "requestState", state.get().as_bytes());
        }
    }
}

#[derive(Deserialize)]
struct Asked<'a> {
    #[serde(borrow)]
    method: Option<&'a RawValue>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<WireError<'a>>,
}

impl State {
    /// The result of a call says what it needs.
    pub fn input_required(&mut self, token: Token, result: &RawValue, now: Now) {
        if let Err(error) = self.gather(token, result, now) {
            self.finish(token, Err(error));
        }
    }

    fn gather(&mut self, token: Token, result: &RawValue, now: Now) -> Result<()> {
        let limit = self.options.limits.input_rounds;
        let Some(call) = self.calls.get(&token) else { return Ok(()) };
        match call.plan {
            Plan::Request(method) if method.row().may_need_input => {}
            _ => return Err(invalid("it asks for input where it may not")),
        }
        if call.rounds > limit {
            return Err(Error::limit("input_rounds", limit, "how often the server asked for input"));
        }
        let state = raw::get(result, "requestState")?;
        let requests = raw::get(result, "inputRequests")?.filter(|requests| requests.get() != "null");
        if state.is_none() && requests.is_none() {
            return Err(invalid("it asks for input and says neither for which nor with what state"));
        }
        let mut questions = Vec::new();
        for (key, request) in requests.map(raw::members).transpose()?.into_iter().flatten() {
            let asked: Asked<'_> =
                serde_json::from_str(request.get()).map_err(|_| invalid("an input request is no request"))?;
            let name =
                params::required(asked.method, "method").map_err(|_| invalid("an input request has no method"))?;
            let kind = self.kind_of(&name, asked.params)?;
            questions.push((Box::<str>::from(key), kind, asked.params.map_or_else(empty, ToOwned::to_owned)));
        }
        let answers = questions.iter().map(|(key, ..)| (key.clone(), None)).collect();
        if let Some(call) = self.calls.get_mut(&token) {
            call.input = Some(Input { state: state.map(ToOwned::to_owned), answers });
        }
        if questions.is_empty() {
            self.issue(token, now);
        }
        for (index, (_, kind, params)) in questions.into_iter().enumerate() {
            self.put_question(Ask::Input { token, index }, kind, params);
        }
        Ok(())
    }

    /// What a method asks for, if the client declared that it can be asked that.
    fn kind_of(&self, method: &str, params: Option<&RawValue>) -> Result<AskKind> {
        let is_url = params
            .and_then(|params| raw::get(params, "mode").ok().flatten())
            .is_some_and(|mode| mode.get() == "\"url\"");
        let can = self.capabilities;
        let (kind, declared) = match Method::parse(method) {
            Some(Method::Elicit) if is_url => (AskKind::Elicit, can.elicit_url),
            Some(Method::Elicit) => (AskKind::Elicit, can.elicit_form),
            Some(Method::Sample) => (AskKind::Sample, can.sampling),
            Some(Method::ListRoots) => (AskKind::Roots, can.roots),
            _ => return Err(Error::method_not_found(method)),
        };
        match declared {
            true => Ok(kind),
            false => Err(Error::method_not_found(method).with("capability", kind.word())),
        }
    }

    fn put_question(&mut self, ask: Ask, kind: AskKind, params: Box<RawValue>) {
        self.last_ask += 1;
        self.asks.insert(self.last_ask, ask);
        self.effects.push(Effect::Ask(self.last_ask, kind, params));
    }

    /// A request of the server. Modern servers send none, and nothing is sent to them but requests and notifications.
    pub fn asked(&mut self, id: RequestId, method: &str, params: Option<&RawValue>) {
        if self.version().is_some_and(|version| version.era() == Era::Modern) {
            return self
                .report(Level::Warning, format!("a modern server sent the request `{}`", method.escape_debug()));
        }
        if Method::parse(method) == Some(Method::Ping) {
            return self.reply(&id, Ok("{}"));
        }
        match self.kind_of(method, params) {
            Ok(kind) => {
                let params = params.map_or_else(empty, ToOwned::to_owned);
                self.put_question(Ask::BackChannel { id }, kind, params);
            }
            Err(error) => self.reply(&id, Err(error)),
        }
    }

    fn reply(&mut self, id: &RequestId, outcome: Result<&str>) {
        let mut out = Vec::with_capacity(128);
        match outcome {
            Ok(result) => write::result(&mut out, id, |out| out.extend_from_slice(result.as_bytes())),
            Err(error) => write::error(&mut out, Some(id), &error),
        }
        self.send_notice(out);
    }

    /// The host answers.
    pub fn answer(&mut self, number: u64, text: &str, now: Now) {
        let Some(ask) = self.asks.remove(&number) else { return };
        let outcome = read_answer(text);
        match ask {
            Ask::BackChannel { id } => self.reply(&id, outcome.as_ref().map(|result| result.get()).map_err(clone)),
            Ask::Input { token, index } => match outcome {
                Err(error) => self.finish(token, Err(error)),
                Ok(result) => {
                    let Some(input) = self.calls.get_mut(&token).and_then(|call| call.input.as_mut()) else { return };
                    input.answers[index].1 = Some(result);
                    if input.answers.iter().all(|(_, answer)| answer.is_some()) {
                        self.arm(token, now);
                        self.issue(token, now);
                    }
                }
            },
        }
    }

    /// The roots are different now.
    pub fn roots_changed(&mut self) {
        if self.capabilities.roots && self.version().is_some_and(|version| version.era() == Era::Legacy) {
            let mut out = Vec::with_capacity(64);
            write::notification(&mut out, Method::RootsChanged.as_str(), None);
            self.send_notice(out);
        }
    }

    /// A legacy server takes a question back.
    pub fn question_cancelled(&mut self, cancelled: &RequestId) {
        self.withdraw_asks(|ask| matches!(ask, Ask::BackChannel { id } if id == cancelled));
    }

    /// Tells the host that some questions need no answer.
    pub fn withdraw_asks(&mut self, which: impl Fn(&Ask) -> bool) {
        let numbers: Vec<_> = self.asks.iter().filter(|(_, ask)| which(ask)).map(|(number, _)| *number).collect();
        for number in numbers {
            self.asks.remove(&number);
            self.effects.push(Effect::Withdrawn(number));
        }
    }
}

fn read_answer(text: &str) -> Result<Box<RawValue>> {
    let wrong =
        |what: String| Error::internal(format!("the answer to a question of the server cannot be read: {what}"));
    let answer: Answer<'_> = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
    match (answer.result, answer.error) {
        (Some(result), None) if raw::is_object(result) => Ok(result.to_owned()),
        (None, Some(error)) => {
            // It is the host's own refusal, and no remote error.
            let refused = Error::new(ErrorKind::Refused, error.message.as_ref()).with_code(error.code);
            Err(error.data.into_iter().fold(refused, |refused, data| refused.with_data(data.to_owned())))
        }
        _ => Err(wrong("it needs an object `result` or an object `error`".to_owned())),
    }
}

fn clone(error: &Error) -> Error {
    let copy = Error::new(error.kind(), error.message()).with_code(error.code());
    error.data().into_iter().fold(copy, |copy, data| copy.with_data(data.to_owned()))
}
