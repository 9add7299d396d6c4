//! What the server asks: over the back channel in the legacy era, inside an `input_required` result in the modern one. The host
//! sees the same question either way.
//! See <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr>.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::host::{AskKind, Token};
use super::operation::Plan;
use super::options::ClientOptions;
use super::state::{Effect, State, Timer, empty, invalid};
use crate::error::{Error, ErrorKind, Result};
use crate::model::params;
use crate::model::{Era, Level, Method};
use crate::protocol::modern::input;
use crate::schema::example;
use crate::time::Now;
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

/// A question, and what its answer is held against.
pub(super) struct Asked {
    ask: Ask,
    kind: AskKind,
    /// The schema of a form.
    schema: Option<Arc<RawValue>>,
    /// When a legacy server gets an error instead.
    due: Option<Duration>,
}

impl Asked {
    pub fn is_of(&self, call: Token) -> bool {
        self.ask.is_of(call)
    }
}

/// What the host is asked.
struct Question {
    kind: AskKind,
    params: Box<RawValue>,
}

/// What is needed to read an answer without the engine's lock.
pub(super) struct Reader {
    kind: AskKind,
    schema: Option<Arc<RawValue>>,
    options: Arc<ClientOptions>,
}

/// What the host answered, and what is to be reported of it.
pub(super) struct HostAnswer {
    outcome: Result<Box<RawValue>>,
    report: Option<(Level, String)>,
}

impl Reader {
    /// Reads an answer of the host, and holds it against what was asked (Y17).
    pub fn read(&self, text: &str) -> HostAnswer {
        let result = match read_answer(text) {
            Ok(result) => result,
            Err(error) => return HostAnswer { outcome: Err(error), report: None },
        };
        match input::check_answer(self.kind.method(), self.schema.as_deref(), &result, &self.options.limits) {
            Ok(()) => HostAnswer { outcome: Ok(result), report: None },
            Err(error) if error.kind() == ErrorKind::InvalidParams => {
                let example = self.example().map(|example| format!("a right answer is {example}"));
                let report =
                    [Some(error.headline()), example.as_deref()].into_iter().flatten().collect::<Vec<_>>().join("; ");
                let error = match example {
                    Some(example) => error.explained(example),
                    None => error,
                };
                HostAnswer { outcome: Err(error), report: Some((Level::Error, report)) }
            }
            // The host cannot help that the server's form is broken; the server may well know what to do with the answer.
            Err(error) => {
                let text = format!("the answer to a form of the server cannot be checked: {error}");
                HostAnswer { outcome: Ok(result), report: Some((Level::Warning, text)) }
            }
        }
    }

    /// An answer of the user that would do.
    fn example(&self) -> Option<String> {
        match (self.kind, self.schema.as_deref()) {
            (AskKind::Elicit, Some(schema)) => {
                let content = example::of_form(schema.get(), &self.options.limits)?;
                Some(format!(r#"{{"action":"accept","content":{content}}}"#))
            }
            (AskKind::ElicitUrl, _) => Some(r#"{"action":"accept"}"#.to_owned()),
            _ => None,
        }
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
struct Request<'a> {
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
    error: Option<Refusal<'a>>,
}

/// Why the host does not answer.
#[derive(Deserialize)]
struct Refusal<'a> {
    #[serde(borrow, default)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    message: Cow<'a, str>,
    code: Option<i64>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

impl State {
    /// The result of a call says what it needs.
    pub fn input_required(&mut self, token: Token, result: &RawValue, now: Now) {
        if let Err(error) = self.gather(token, result, now) {
            self.finish(token, Err(error), now);
        }
    }

    fn gather(&mut self, token: Token, result: &RawValue, now: Now) -> Result<()> {
        let limit = self.options.limits.input_rounds;
        let Some(call) = self.calls.get_mut(&token) else { return Ok(()) };
        match call.plan {
            Plan::Request(method) if method.row().may_need_input => {}
            _ => return Err(invalid("it asks for input where it may not")),
        }
        if call.rounds >= limit {
            return Err(Error::limit("input_rounds", limit, "how often the server asked for input"));
        }
        call.rounds += 1;
        let by_hand = call.options.by_hand;
        let state = raw::get(result, "requestState")?;
        let requests = raw::get(result, "inputRequests")?.filter(|requests| requests.get() != "null");
        if state.is_none() && requests.is_none() {
            return Err(invalid("it asks for input and says neither for which nor with what state"));
        }
        let mut questions = Vec::new();
        for (key, request) in requests.map(raw::members).transpose()?.into_iter().flatten() {
            let asked: Request<'_> =
                serde_json::from_str(request.get()).map_err(|_| invalid("an input request is no request"))?;
            let name =
                params::required(asked.method, "method").map_err(|_| invalid("an input request has no method"))?;
            questions.push((Box::<str>::from(key), self.question_of(&name, asked.params)?));
        }
        if by_hand {
            self.forget(token);
            self.effects.push(Effect::InputRequired(token, result.to_owned()));
            return Ok(());
        }
        self.check_room(questions.len())?;
        let answers = questions.iter().map(|(key, _)| (key.clone(), None)).collect();
        if let Some(call) = self.calls.get_mut(&token) {
            call.input = Some(Input { state: state.map(ToOwned::to_owned), answers });
        }
        match questions.is_empty() {
            true => {
                self.arm(token, now);
                self.issue(token, now);
            }
            false => self.arm_for(token, self.options.limits.input_for, now),
        }
        for (index, (_, question)) in questions.into_iter().enumerate() {
            self.put_question(Ask::Input { token, index }, question, None);
        }
        Ok(())
    }

    /// Whether so many more questions may wait for the host: a server must not fill its memory with them.
    fn check_room(&self, more: usize) -> Result<()> {
        let limit = self.options.limits.in_flight;
        match self.asks.len() + more > limit {
            true => Err(Error::limit("in_flight", limit, "the number of questions that wait for an answer")),
            false => Ok(()),
        }
    }

    /// What a method asks for, if the client declared that it can be asked that.
    fn question_of(&self, method: &str, params: Option<&RawValue>) -> Result<Question> {
        let is_url = input::is_url(params.and_then(|params| raw::get(params, "mode").ok().flatten()));
        let can = self.capabilities;
        let (kind, declared) = match Method::parse(method) {
            Some(Method::Elicit) if is_url => (AskKind::ElicitUrl, can.elicit_url),
            Some(Method::Elicit) => (AskKind::Elicit, can.elicit_form),
            Some(Method::Sample) => (AskKind::Sample, can.sampling),
            Some(Method::ListRoots) => (AskKind::Roots, can.roots),
            _ => return Err(Error::method_not_found(method)),
        };
        match declared {
            true => Ok(Question { kind, params: params.map_or_else(empty, ToOwned::to_owned) }),
            // The method is known, its mode is not: the revision has a code of its own for that.
            false if kind.method() == Method::Elicit && (can.elicit_form || can.elicit_url) => {
                let mode = if is_url { "url" } else { "form" };
                let text = format!("the client did not declare that it can be asked by the mode `{mode}`");
                Err(Error::invalid_params(text).with("capability", kind.word()))
            }
            false => Err(Error::method_not_found(method).with("capability", kind.word())),
        }
    }

    fn put_question(&mut self, ask: Ask, question: Question, due: Option<Duration>) {
        let Question { kind, params } = question;
        let schema = raw::get(&params, "requestedSchema").ok().flatten().filter(|_| kind == AskKind::Elicit);
        let schema = schema.map(|schema| Arc::from(schema.to_owned()));
        self.last_ask += 1;
        if let Some(due) = due {
            self.set_timer(due, Timer::Ask(self.last_ask));
        }
        self.asks.insert(self.last_ask, Asked { ask, kind, schema, due });
        self.effects.push(Effect::Ask(self.last_ask, kind, params));
    }

    /// A request of the server. Modern servers send none, and nothing is sent to them but requests and notifications.
    pub fn asked(&mut self, id: RequestId, method: &str, params: Option<&RawValue>, now: Now) {
        if self.version().is_some_and(|version| version.era() == Era::Modern) {
            return self
                .report(Level::Warning, format!("a modern server sent the request `{}`", method.escape_debug()));
        }
        if Method::parse(method) == Some(Method::Ping) {
            return self.reply(&id, Ok("{}"));
        }
        let question = self.check_room(1).and_then(|()| self.question_of(method, params));
        match question {
            Ok(question) => {
                let due = now.monotonic.saturating_add(self.options.limits.input_for);
                self.put_question(Ask::BackChannel { id }, question, Some(due));
            }
            Err(error) => self.reply(&id, Err(&error)),
        }
    }

    pub fn reply(&mut self, id: &RequestId, outcome: Result<&str, &Error>) {
        let mut out = Vec::with_capacity(128);
        match outcome {
            Ok(result) => write::result(&mut out, id, |out| out.extend_from_slice(result.as_bytes())),
            Err(error) => write::error(&mut out, Some(id), error),
        }
        self.send_notice(out);
    }

    /// How the answer to a question is read; none when it is over.
    pub fn question(&self, number: u64) -> Option<Reader> {
        let asked = self.asks.get(&number)?;
        Some(Reader { kind: asked.kind, schema: asked.schema.clone(), options: Arc::clone(&self.options) })
    }

    /// The host answers.
    pub fn answer(&mut self, number: u64, answer: HostAnswer, now: Now) {
        let Some(ask) = self.take_ask(number) else { return };
        let HostAnswer { outcome, report } = answer;
        if let Some((level, text)) = report {
            self.report(level, text);
        }
        match ask {
            Ask::BackChannel { id } => self.reply(&id, outcome.as_deref().map(RawValue::get)),
            Ask::Input { token, index } => match outcome {
                Err(error) => self.finish(token, Err(error), now),
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

    fn take_ask(&mut self, number: u64) -> Option<Ask> {
        let asked = self.asks.remove(&number)?;
        if let Some(due) = asked.due {
            self.clear_timer(due, Timer::Ask(number));
        }
        Some(asked.ask)
    }

    /// The host had its time for a question of a legacy server, which waits and would go on doing so.
    pub fn ask_due(&mut self, number: u64) {
        let Some(Ask::BackChannel { id }) = self.take_ask(number) else { return };
        let limit = self.options.limits.input_for.as_secs_f64();
        let text = format!("the question was not answered within {limit} s (limit `input_for`)");
        self.reply(&id, Err(&Error::new(ErrorKind::Timeout, text)));
        self.effects.push(Effect::Withdrawn(number));
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
        let numbers: Vec<_> =
            self.asks.iter().filter(|(_, asked)| which(&asked.ask)).map(|(number, _)| *number).collect();
        for number in numbers {
            self.take_ask(number);
            self.effects.push(Effect::Withdrawn(number));
        }
    }
}

fn read_answer(text: &str) -> Result<Box<RawValue>> {
    let wrong =
        |what: String| Error::internal(format!("the answer to a question of the server cannot be read: {what}"));
    let answer: Answer<'_> = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
    match (answer.result, answer.error) {
        (Some(result), None) => Ok(result.to_owned()),
        (None, Some(error)) => {
            // A word that is no kind is no reason to keep the message from the server.
            let kind = ErrorKind::of_word(&error.kind).unwrap_or(ErrorKind::Internal);
            // It is the host's own refusal, and no remote error.
            let refused = Error::new(ErrorKind::Refused, error.message).with_code(error.code.unwrap_or(kind.code()));
            Err(error.data.into_iter().fold(refused, |refused, data| refused.with_data(data.to_owned())))
        }
        _ => Err(wrong("it needs a `result` or an `error`".to_owned())),
    }
}
