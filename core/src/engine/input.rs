//! Questions of handlers: sent on the back channel in the legacy era; in the modern one the request is answered with what is needed,
//! the handler waits, parked, and the retry resumes it. Where it is gone, the handler runs again and its questions are answered from
//! the sealed log, in order, as long as each is the same question.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::Weak;
use std::time::Duration;

use serde_json::value::RawValue;

use super::Engine;
use super::call::{Asked, Call, Origin, State};
use super::serve::Served;
use super::timers::Timed;
use crate::entropy;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Era, Method};
use crate::protocol::exchange::Exchange;
use crate::protocol::modern::input::{self, Continuation, Question};
use crate::protocol::modern::seal::{self, Binding};
use crate::protocol::outgoing::{self, Asker};
use crate::protocol::peer::{Peer, Running};
use crate::protocol::sink::{Frame, Sink};
use crate::time::Now;
use crate::wire::write;

/// Calls that wait for a retry, by the round they wait for.
pub(super) type Parked = HashMap<Continuation, Arc<Call>>;

/// What a request brings for a call that asked before.
pub(super) struct Retry {
    state: input::State,
    responses: BTreeMap<String, Box<RawValue>>,
    sealed: bool,
}

impl Retry {
    /// Sets a fresh run up to be answered from the log and from what just came.
    pub fn prepare(mut self, state: &mut State) {
        for (key, digest) in std::mem::take(&mut self.state.pending) {
            match self.responses.remove(&*key) {
                Some(answer) => self.state.log.push((digest, answer)),
                None => state.expected.push(digest),
            }
        }
        state.log_used = vec![false; self.state.log.len()];
        state.log = self.state.log;
        state.steps = self.state.steps;
        state.given = self.responses;
        state.resumed = self.sealed;
    }
}

impl Engine {
    /// Reads what a request brings for an earlier round. State that was not sealed for just this request is refused.
    pub(super) fn read_retry(&self, served: &Served<'_>, origin: &Origin, now: Now) -> Result<Option<Retry>> {
        let Some(params) = served.request.params.as_ref().filter(|_| served.method.row().may_need_input) else {
            return Ok(None);
        };
        if served.version.era() == Era::Legacy || (params.request_state.is_none() && params.input_responses.is_none()) {
            return Ok(None);
        }
        let responses = input::parse_responses(params.input_responses)?;
        let Some(sealed) = params.request_state else {
            return Ok(Some(Retry { state: input::State::default(), responses, sealed: false }));
        };
        let sealed = crate::model::params::text(sealed, "requestState")?;
        let plain = self.sealer.open(&sealed, &binding(served.method, origin), now, self.limits().request_state_for)?;
        let state =
            serde_json::from_slice(&plain).map_err(|_| Error::internal("a sealed request state cannot be read"))?;
        Ok(Some(Retry { state, responses, sealed: true }))
    }

    /// Marks the sealed state of a retry as used; false if it was already.
    pub(super) fn redeem(&self, retry: &Retry, now: Now) -> bool {
        let until = now.unix + self.limits().request_state_for;
        !retry.sealed || self.redeemed.redeem(retry.state.continuation, now.unix, until)
    }

    /// Hands a retry to the handler that waits for it; gives both back when none waits.
    pub(super) fn resume(self: &Arc<Self>, retry: Retry, exchange: Exchange, now: Now) -> Option<(Retry, Exchange)> {
        let call = match retry.sealed {
            true => self.parked().remove(&retry.state.continuation),
            false => None,
        };
        let Some(call) = call else { return Some((retry, exchange)) };
        let Retry { state: sealed, mut responses, .. } = retry;
        let mut answers = Vec::new();
        {
            let mut state = call.state();
            if let Some(key) = state.timer.take() {
                self.timers.clear(key);
            }
            state.parked_as = None;
            state.resumed = true;
            for (key, digest) in sealed.pending {
                let number = state.questions.iter().position(|asked| asked.key == key && !asked.answered);
                let Some(number) = number else { continue };
                match responses.remove(&*key) {
                    Some(answer) => {
                        let asked = &mut state.questions[number];
                        asked.answered = true;
                        let checked = asked.question.check_answer(&answer, self.limits());
                        if checked.is_ok() {
                            state.log.push((digest, answer.clone()));
                            state.log_used.push(true);
                        }
                        answers.push((number as u32, checked.map(|()| answer)));
                    }
                    None => state.unsent.push(number as u32),
                }
            }
            if let Some(peer) = &exchange.peer {
                peer.state().in_flight.insert(exchange.id.clone(), Arc::clone(&call) as Arc<dyn Running>);
            }
            exchange.sink.runs(&(Arc::clone(&call) as Arc<dyn Running>));
            state.exchange = Some(exchange);
        }
        if let Some(timeout) = call.time_limit() {
            call.limit_to(timeout, now);
        }
        if answers.is_empty() {
            self.flush_call(&call, now);
        }
        for (number, answer) in answers {
            self.host.answer(&call, number, answer);
        }
        None
    }

    /// A handler asks its client; see [`Question::parse`] for the text. Returns the question's number, and its answer where the log
    /// or the request itself has it. Otherwise [`Engine::flush_call`] sends it, and the host gets the answer later.
    pub fn ask(self: &Arc<Self>, call: &Arc<Call>, text: &str) -> Result<(u32, Option<Box<RawValue>>)> {
        let question = Question::parse(text)?;
        let mut state = call.state();
        if call.is_over() {
            return Err(Error::new(ErrorKind::Cancelled, "the call is over: its client cannot be asked any more"));
        }
        if let Some(exchange) = &state.exchange {
            question.check_capability(exchange.capabilities)?;
            check_reachable(exchange)?;
        }
        let number = state.questions.len() as u32;
        let key = unique_key(&state, question.key.as_deref(), number);
        let known = state.find_answer(&question, &key);
        let answered = known.is_some();
        let question = Arc::new(question);
        state.questions.push(Asked { key, question: Arc::clone(&question), answered });
        match known {
            Some(answer) => {
                drop(state);
                question.check_answer(&answer, self.limits())?;
                Ok((number, Some(answer)))
            }
            None => {
                state.unsent.push(number);
                Ok((number, None))
            }
        }
    }

    /// Sends what the call asked since the last flush, all of it in one round.
    pub fn flush_call(self: &Arc<Self>, call: &Arc<Call>, now: Now) {
        let mut state = call.state();
        if state.unsent.is_empty() || call.is_over() {
            return;
        }
        let Some(exchange) = state.exchange.take() else { return };
        match exchange.era() {
            Era::Legacy => {
                let peer = exchange.peer.clone();
                let sink = Arc::clone(&exchange.sink);
                state.exchange = Some(exchange);
                let unsent = std::mem::take(&mut state.unsent);
                // The client's user thinks now: that is no time of the handler, in this era as little as in the other (R07).
                if let Some(key) = state.timer.take() {
                    self.timers.clear(key);
                }
                let questions: Vec<_> = unsent
                    .into_iter()
                    .map(|number| (number, Arc::clone(&state.questions[number as usize].question)))
                    .collect();
                drop(state);
                if let Some(peer) = peer {
                    for (number, question) in questions {
                        self.send_question(call, &peer, &*sink, number, &question, now);
                    }
                }
            }
            Era::Modern => self.park(call, state, exchange, now),
        }
    }

    fn send_question(
        self: &Arc<Self>,
        call: &Arc<Call>,
        peer: &Arc<Peer>,
        sink: &dyn Sink,
        number: u32,
        question: &Question,
        now: Now,
    ) {
        let asker: Arc<dyn Asker> = call.clone();
        let deadline = now.monotonic + self.limits().input_for;
        let (id, watch) = {
            let mut peer_state = peer.state();
            let id = peer_state.outgoing.register(outgoing::Question { asker, number, deadline });
            (id, !std::mem::replace(&mut peer_state.outgoing.watched, true))
        };
        if watch {
            let weak: Weak<dyn Timed> = Arc::downgrade(&(Arc::clone(peer) as Arc<dyn Timed>));
            self.timers.set(deadline, weak);
        }
        let mut out = Vec::with_capacity(question.params.get().len() + 128);
        let params = question.params_for_back_channel(call.exchange_version(), || entropy::name(&*self.entropy));
        write::request_with(&mut out, &id, question.method.as_str(), |out| out.extend_from_slice(params.as_bytes()));
        sink.send(Frame::Request(out.into()));
    }

    /// Answers the request with what is needed and lets the handler wait.
    fn park(
        self: &Arc<Self>,
        call: &Arc<Call>,
        mut state: std::sync::MutexGuard<'_, State>,
        mut exchange: Exchange,
        now: Now,
    ) {
        state.unsent.clear();
        let open: Vec<_> = state
            .questions
            .iter()
            .filter(|asked| !asked.answered)
            .map(|asked| (asked.key.clone(), Arc::clone(&asked.question)))
            .collect();
        let continuation = entropy::bytes(&*self.entropy);
        let sealed = input::State {
            continuation,
            log: state.log.clone(),
            pending: open.iter().map(|(key, question)| (key.clone(), question.digest)).collect(),
            steps: state.steps.clone(),
        };
        let plain = serde_json::to_vec(&sealed).unwrap_or_default();
        let text = match self.sealer.seal(&plain, &binding(exchange.method, &call.origin), now, &*self.entropy) {
            Ok(text) => text,
            Err(error) => {
                exchange.fail(&error);
                return;
            }
        };
        let parked = {
            let mut parked = self.parked();
            let room = parked.len() < self.limits().parked;
            if room {
                parked.insert(continuation, Arc::clone(call));
            }
            room
        };
        if let Some(key) = state.timer.take() {
            self.timers.clear(key);
        }
        if parked {
            state.parked_as = Some(continuation);
            let weak: Weak<dyn Timed> = Arc::downgrade(&(Arc::clone(call) as Arc<dyn Timed>));
            state.timer = Some(self.timers.set(now.monotonic + self.limits().parked_for, weak));
        }
        drop(state);
        if let Some(peer) = &exchange.peer {
            peer.state().in_flight.remove(&exchange.id);
        }
        let mut out = Vec::with_capacity(512);
        write::result_open(&mut out, &exchange.id);
        out.push(b'{');
        input::write_required(&mut out, open.iter().map(|(key, question)| (&**key, &**question)), &text);
        out.extend_from_slice(self.meta_of(Era::Modern).as_bytes());
        out.extend_from_slice(b"}}");
        exchange.respond(out.into(), None);
        if !parked && call.finish() {
            // No room to wait: the retry will run the handler again and answer it from the log.
            call.leave();
            self.host.cancel(call, "too many handlers wait for input (limit `parked`)");
        }
    }

    /// Takes back the questions of a call that is over, and tells the client so.
    pub(super) fn withdraw_questions(&self, exchange: &Exchange, asker: &Arc<dyn Asker>, reason: &str) {
        let Some(peer) = &exchange.peer else { return };
        let ids = peer.state().outgoing.take_of(asker);
        for id in ids {
            exchange.sink.send(Frame::Notification(outgoing::cancellation(&id, reason).into()));
        }
    }
}

impl State {
    /// The answer that the log, or the request itself, has for a question.
    fn find_answer(&mut self, question: &Question, key: &str) -> Option<Box<RawValue>> {
        let place =
            self.log.iter().zip(&self.log_used).position(|((digest, _), used)| !used && *digest == question.digest);
        match place {
            Some(place) => {
                self.log_used[place] = true;
                return Some(self.log[place].1.clone());
            }
            None if self.expected.contains(&question.digest) => {}
            // The handler took another way than before: what it asked there is void.
            None => {
                let mut used = self.log_used.iter();
                self.log.retain(|_| *used.next().unwrap_or(&true));
                self.log_used = vec![true; self.log.len()];
            }
        }
        let answer = self.given.remove(key)?;
        self.log.push((question.digest, answer.clone()));
        self.log_used.push(true);
        Some(answer)
    }
}

impl Asker for Call {
    fn answered(self: Arc<Self>, number: u32, answer: Result<&RawValue, Error>) {
        let (question, waits) = {
            let mut state = self.state();
            let Some(asked) = state.questions.get_mut(number as usize).filter(|asked| !asked.answered) else { return };
            asked.answered = true;
            let question = Arc::clone(&asked.question);
            (question, state.timer.is_some() || state.questions.iter().any(|asked| !asked.answered))
        };
        if let Some(timeout) = self.time_limit().filter(|_| !waits && !self.is_over()) {
            self.limit_to(timeout, Now { monotonic: self.engine.timers.latest(), ..Now::default() });
        }
        let limits = self.engine.limits();
        let checked = answer.and_then(|answer| question.check_answer(answer, limits).map(|()| answer.to_owned()));
        self.engine.host.answer(&self, number, checked);
    }

    fn way(&self) -> Option<Arc<dyn Sink>> {
        self.state().exchange.as_ref().map(|exchange| Arc::clone(&exchange.sink))
    }
}

impl Timed for Peer {
    fn due(self: Arc<Self>, _: &Arc<Engine>, now: Now) -> Option<Duration> {
        let (due, next) = {
            let mut state = self.state();
            let due = state.outgoing.take_due(now.monotonic);
            let next = state.outgoing.next_due();
            state.outgoing.watched = next.is_some();
            (due, next)
        };
        for (id, question) in due {
            if let Some(way) = question.asker.way() {
                way.send(Frame::Notification(outgoing::cancellation(&id, "no answer came in time").into()));
            }
            question.time_out();
        }
        next
    }
}

impl Call {
    fn exchange_version(&self) -> crate::model::Version {
        self.state().exchange.as_ref().map_or(crate::model::Version::NEWEST_LEGACY, |exchange| exchange.version)
    }
}

/// Whether a question can get to the client and its answer back (Y18, X11: an error at once, never a hang).
fn check_reachable(exchange: &Exchange) -> Result<()> {
    if !exchange.method.row().may_need_input {
        return Err(Error::internal(format!("a handler of `{}` cannot ask its client", exchange.method.as_str())));
    }
    let reachable = match exchange.era() {
        Era::Modern => true,
        Era::Legacy => exchange.sink.carries_requests() && exchange.peer.as_ref().is_some_and(|peer| peer.stateful),
    };
    match reachable {
        true => Ok(()),
        false => Err(Error::internal("the client cannot be asked: this legacy request belongs to no session")),
    }
}

fn unique_key(state: &State, wanted: Option<&str>, number: u32) -> Box<str> {
    let key = wanted.map_or_else(|| format!("q{}", number + 1), ToOwned::to_owned);
    match state.questions.iter().any(|asked| *asked.key == *key) {
        true => format!("{key}-{}", number + 1).into(),
        false => key.into(),
    }
}

/// What a state is bound to. Arguments are compared as values: a client may write them anew for its retry.
fn binding(method: Method, origin: &Origin) -> Binding {
    let principal = origin.principal.as_ref().map(|principal| principal.key());
    let arguments =
        serde_json::from_slice::<serde_json::Value>(&origin.input).map(|value| value.to_string()).unwrap_or_default();
    seal::binding(principal.as_deref(), method.as_str(), &origin.target, &arguments)
}
