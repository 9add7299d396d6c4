//! One vector, one revision, one transport: the steps in order, with a clear word about the first that fails.

use std::sync::Arc;
use std::time::Duration;

use omniport::engine::client::{ClientEngine, Link, Operation};
use omniport::error::{Error, ErrorKind};
use omniport::time::Now;
use serde_json::{Value, json};

use super::file::{Failure, Step, Transport, Vector, headers};
use super::listener::Listener;
use super::outbox::Outbox;
use super::pattern::{self, Bindings};
use super::peer::{Peer, URL, events, kind};
use super::revisions::MODERN;
use super::rule::Tally;

/// Runs a vector for one revision over one transport.
pub fn run(vector: &Vector, revision: &str, transport: Transport) -> Result<Tally, String> {
    let now = Now { monotonic: Duration::from_secs(1000), unix: Duration::from_secs(1_800_000_000) };
    let (listener, outbox) = (Arc::<Listener>::default(), Arc::<Outbox>::default());
    let link = match transport {
        Transport::Stream => Link::Lines(outbox.clone()),
        Transport::Http => {
            Link::Http { sink: outbox.clone(), url: URL.into(), headers: headers(&vector.client.headers)? }
        }
    };
    let engine = ClientEngine::new(vector.client.options(revision)?, link, listener.clone());
    let mut bindings = Bindings::new();
    bindings.insert("version".to_owned(), revision.into());
    bindings.insert("session".to_owned(), vector.server.session.clone().into());
    for group in [if revision == MODERN { "modern" } else { "legacy" }, revision] {
        bindings.extend(vector.vars.get(group).cloned().unwrap_or_default());
    }
    let peer = Peer::new(engine, outbox, transport, revision, vector.server.clone(), now);
    let mut run = Run { peer, listener, bindings, was_closed: false, tally: Tally { runs: 1, ..Tally::default() } };
    if vector.client.connect {
        run.peer.open()?;
        run.opened()?;
    }
    for (index, step) in vector.steps.iter().enumerate() {
        run.step(step).map_err(|error| format!("step {} {step}\n    {error}", index + 1))?;
    }
    run.nothing_left().map_err(|error| format!("at the end: {error}"))?;
    Ok(run.tally)
}

struct Run {
    peer: Peer,
    listener: Arc<Listener>,
    bindings: Bindings,
    /// The user closed the client, which then ends what is under way.
    was_closed: bool,
    tally: Tally,
}

impl Run {
    /// The client says that it is connected.
    fn opened(&mut self) -> Result<(), String> {
        let told = self.told();
        self.look(&[json!({"state": "connecting"}), json!({"state": "ready"}), json!({"result": {}})], told, false)
            .map_err(|error| format!("while connecting: {error}"))
    }

    fn step(&mut self, step: &Value) -> Result<(), String> {
        let filled = pattern::fill(step, &self.bindings)?;
        let step: Step = serde_json::from_value(filled).map_err(|error| error.to_string())?;
        if step.verbs() != 1 {
            return Err(format!("a step has one verb, this one has {}", step.verbs()));
        }
        self.tally.steps += 1;
        self.tally.assertions += usize::from(step.asserts());
        match step.asserts() {
            true => self.check(&step),
            false if step.is_of_user() => self.act(&step),
            false => self.serve(&step),
        }
    }

    /// What the user does.
    fn act(&mut self, step: &Step) -> Result<(), String> {
        let (engine, now) = (Arc::clone(&self.peer.engine), self.peer.now);
        if step.connect == Some(true) {
            let token = engine.connect(now);
            self.listener.name(token, step.name.as_deref().unwrap_or("connect"));
        } else if let Some(word) = &step.start {
            let operation = Operation::parse(word).ok_or_else(|| format!("no operation is called {word:?}"))?;
            let params = step.params.as_ref().map_or_else(String::new, |params| match params {
                Value::String(text) => text.clone(),
                params => params.to_string(),
            });
            let token = engine.start(operation, &params, step.options.build()?, now);
            self.listener.name(token, step.name.as_deref().unwrap_or(word));
        } else if let Some(name) = &step.cancel {
            let token = self.listener.token(name).ok_or_else(|| format!("no call is called {name:?}"))?;
            engine.cancel(token, step.reason.as_ref().and_then(Value::as_str).unwrap_or("no longer needed"));
        } else if let Some(number) = step.answer {
            let (member, body) = answer(step)?;
            engine.answer(number, &json!({member: body}).to_string(), now);
        } else if step.close == Some(true) {
            self.was_closed = true;
            engine.close();
        } else if let Some(ms) = step.advance_ms {
            self.advance(ms);
        } else {
            return Err("a flag that says `false` does nothing".to_owned());
        }
        Ok(())
    }

    /// The time passes, and the engine's timers with it, one deadline after the other.
    fn advance(&mut self, ms: u64) {
        let end = self.peer.now.after(Duration::from_millis(ms));
        loop {
            let next = self.peer.engine.tick(self.peer.now);
            match next.filter(|next| *next <= end.monotonic && *next > self.peer.now.monotonic) {
                Some(next) => self.peer.now = self.peer.now.after(next - self.peer.now.monotonic),
                None => break,
            }
        }
        self.peer.now = end;
        self.peer.engine.tick(end);
    }

    /// What the server does.
    fn serve(&mut self, step: &Step) -> Result<(), String> {
        if let Some(input) = &step.input {
            self.only_streams()?;
            let text = input.as_str().map_or_else(|| input.to_string(), ToOwned::to_owned);
            if let Ok(message) = serde_json::from_str(&text) {
                self.peer.written(&message);
            }
            self.peer.engine.receive(text.as_bytes(), self.peer.now);
        } else if let Some(hex) = &step.bytes {
            self.only_streams()?;
            self.peer.engine.receive(&unhex(hex)?, self.peer.now);
        } else if let Some(message) = &step.say {
            let mut message = message.clone();
            message["jsonrpc"] = "2.0".into();
            self.peer.say(&message, step.during.as_deref())?;
        } else if let Some(method) = &step.reply {
            let (member, body) = answer(step)?;
            self.peer.reply(method, step.id.as_ref(), member, body.clone())?;
        } else if let Some(name) = &step.respond {
            self.respond(self.peer.named(name)?, step)?;
        } else if let Some(name) = &step.broken {
            self.peer.break_off(self.peer.named(name)?);
        } else if let Some(failure) = &step.lost {
            self.only_streams()?;
            self.peer.end(built(failure)?);
        }
        Ok(())
    }

    fn only_streams(&self) -> Result<(), String> {
        match self.peer.transport {
            Transport::Stream => Ok(()),
            Transport::Http => Err("there is no such stream over HTTP".to_owned()),
        }
    }

    fn respond(&mut self, exchange: u64, step: &Step) -> Result<(), String> {
        let (body, mut all) = match (&step.json, &step.events, &step.body) {
            (Some(json), None, None) => (Some(json.to_string()), kind("application/json")),
            (None, Some(all), None) => (Some(events(all)?), kind("text/event-stream")),
            (None, None, body) => (body.clone(), http::HeaderMap::new()),
            _ => return Err("an answer has one of `json`, `events`, `body`".to_owned()),
        };
        all.extend(headers(&step.headers)?);
        let status = step.status.unwrap_or(200);
        let ends = step.end.unwrap_or(step.events.is_none());
        self.peer.answer(exchange, status, &all, body.as_deref().map(str::as_bytes), ends);
        Ok(())
    }

    /// What the client did.
    fn check(&mut self, step: &Step) -> Result<(), String> {
        if let Some(patterns) = &step.out {
            let sent = self.peer.messages()?;
            self.tally.messages += sent.len();
            held(&step.holds, sent.iter().map(|(_, text)| text.as_str()))?;
            self.look(patterns, sent.into_iter().map(|(message, _)| message).collect(), step.unordered)
        } else if let Some(patterns) = &step.requests {
            self.check_requests(patterns, step.unordered)
        } else if let Some(patterns) = &step.told {
            let told = self.listener.take();
            held(&step.holds, told.iter().map(|told| told.text.as_str()))?;
            self.look(patterns, told.into_iter().map(|told| told.value).collect(), step.unordered)
        } else if let Some(patterns) = &step.reports {
            let reports = Value::Array(self.listener.reports());
            pattern::check(&json!({"$contains": patterns}), &reports, &mut self.bindings)
        } else if let Some(method) = &step.taken_back {
            self.check_taken_back(method, step)
        } else if let Some(names) = &step.aborted {
            let mut wanted = names.iter().map(|name| self.peer.named(name)).collect::<Result<Vec<_>, _>>()?;
            let mut aborted = self.peer.aborted();
            wanted.sort_unstable();
            aborted.sort_unstable();
            match wanted == aborted {
                true => Ok(()),
                false => Err(format!("expected {names:?} (exchanges {wanted:?}) to be ended, found {aborted:?}")),
            }
        } else if step.restarted.is_some() {
            let restarts = std::mem::take(&mut self.peer.outbox.sent().restarts);
            match restarts == usize::from(step.restarted == Some(true)) {
                true => Ok(()),
                false => Err(format!("the server was started anew {restarts} times")),
            }
        } else {
            self.nothing_left()
        }
    }

    fn check_requests(&mut self, patterns: &[Value], unordered: bool) -> Result<(), String> {
        let requests = self.peer.requests()?;
        self.tally.messages += requests.len();
        let told = |error: String| format!("{error}\n    requests: {}", shown(requests.iter().map(|(_, seen)| seen)));
        if requests.len() != patterns.len() {
            return Err(told(format!("expected {} requests, found {}", patterns.len(), requests.len())));
        }
        let mut left: Vec<usize> = (0..requests.len()).collect();
        for pattern in patterns {
            let mut pattern = pattern.as_object().cloned().ok_or("a request is an object")?;
            let name = pattern.remove("as");
            let pattern = Value::Object(pattern);
            let mut wrong = String::new();
            let candidates = if unordered { left.len() } else { 1 };
            let found = (0..candidates).find(|place| {
                match pattern::check(&pattern, &requests[left[*place]].1, &mut self.bindings) {
                    Ok(()) => true,
                    Err(error) => {
                        wrong = error;
                        false
                    }
                }
            });
            let exchange = requests[left.remove(found.ok_or_else(|| told(wrong))?)].0;
            if let Some(name) = name.as_ref().and_then(Value::as_str) {
                self.peer.name(exchange, name);
            }
        }
        Ok(())
    }

    /// The server was told that an answer is no longer wanted, in the way of the carrier and the era.
    fn check_taken_back(&mut self, method: &str, step: &Step) -> Result<(), String> {
        let waiting = self.peer.waiting(method, step.id.as_ref())?;
        let (id, exchange) = (waiting.id.clone(), waiting.exchange);
        let reason = step.reason.clone().unwrap_or_else(|| json!({"$any": true}));
        let notice = json!({"method": "notifications/cancelled", "params": {"requestId": id, "reason": reason}});
        let is_modern_http = self.peer.transport == Transport::Http && self.peer.revision == MODERN;
        let sent = self.peer.messages()?.into_iter().map(|(message, _)| message).collect();
        self.look(if is_modern_http { &[] } else { std::slice::from_ref(&notice) }, sent, false)?;
        let aborted = self.peer.aborted();
        match aborted.iter().all(|ended| Some(*ended) == exchange) && (!is_modern_http || aborted.len() == 1) {
            true => Ok(()),
            false => Err(format!("expected the end of exchange {exchange:?}, found that of {aborted:?}")),
        }
    }

    fn told(&self) -> Vec<Value> {
        self.listener.take().into_iter().map(|told| told.value).collect()
    }

    /// Exactly these came, in this order or in any.
    fn look(&mut self, patterns: &[Value], came: Vec<Value>, unordered: bool) -> Result<(), String> {
        let told = |error: String| format!("{error}\n    came: {}", shown(came.iter()));
        if came.len() != patterns.len() {
            return Err(told(format!("expected {}, found {}", patterns.len(), came.len())));
        }
        let wanted = Value::Array(patterns.to_vec());
        let wanted = if unordered { json!({"$contains": wanted}) } else { wanted };
        pattern::check(&wanted, &Value::Array(came.clone()), &mut self.bindings).map_err(told)
    }

    /// A vector says all that its client does: what is left is a surprise.
    fn nothing_left(&mut self) -> Result<(), String> {
        let told = self.told();
        if !told.is_empty() {
            return Err(format!("the user was told what no step named: {}", shown(told.iter())));
        }
        if self.was_closed {
            let mut outbox = self.peer.outbox.sent();
            outbox.aborted.clear();
            outbox.requests.retain(|(_, request)| request.method() != "DELETE");
        }
        if self.peer.engine.is_closed() {
            if !self.peer.outbox.sent().closed {
                return Err("the client is over and its way out is open".to_owned());
            }
            if let Some(due) = self.peer.engine.tick(self.peer.now) {
                return Err(format!("the client is over and still waits for {due:?}"));
            }
        }
        let sent = self.peer.requests()?;
        if !sent.is_empty() {
            return Err(format!("requests that no step named: {}", shown(sent.iter().map(|(_, seen)| seen))));
        }
        let sent = self.peer.messages()?;
        if !sent.is_empty() {
            return Err(format!("messages that no step named: {}", shown(sent.iter().map(|(message, _)| message))));
        }
        let (aborted, restarts) = (self.peer.aborted().len(), self.peer.outbox.sent().restarts);
        match (aborted, restarts) {
            (0, 0) => Ok(()),
            (_, 0) => Err(format!("{aborted} requests were ended that no step named")),
            _ => Err(format!("the server was started anew {restarts} times")),
        }
    }
}

impl Step {
    fn is_of_user(&self) -> bool {
        self.connect.is_some()
            || self.start.is_some()
            || self.cancel.is_some()
            || self.answer.is_some()
            || self.close.is_some()
            || self.advance_ms.is_some()
    }
}

fn answer(step: &Step) -> Result<(&'static str, &Value), String> {
    match (&step.result, &step.error) {
        (Some(result), None) => Ok(("result", result)),
        (None, Some(error)) => Ok(("error", error)),
        _ => Err("an answer has one of `result` and `error`".to_owned()),
    }
}

fn built(failure: &Failure) -> Result<Error, String> {
    let kind = ErrorKind::of_word(&failure.kind).ok_or_else(|| format!("no error is {:?}", failure.kind))?;
    let mut error = Error::new(kind, &*failure.message);
    if let Some(exit) = failure.exit {
        error = error.with("exit", exit);
    }
    if let Some(stderr) = &failure.stderr {
        error = error.with("stderr", stderr);
    }
    Ok(error)
}

/// Texts that what was looked at must hold, byte for byte.
fn held<'a>(wanted: &[String], texts: impl Iterator<Item = &'a str> + Clone) -> Result<(), String> {
    match wanted.iter().find(|wanted| !texts.clone().any(|text| text.contains(wanted.as_str()))) {
        Some(missing) => Err(format!("nothing holds {missing:?}: {}", texts.collect::<Vec<_>>().join("\n    "))),
        None => Ok(()),
    }
}

fn shown<'a>(all: impl Iterator<Item = &'a Value>) -> String {
    let text = all.map(Value::to_string).collect::<Vec<_>>().join("\n          ");
    text.chars().take(3000).collect()
}

fn unhex(text: &str) -> Result<Vec<u8>, String> {
    let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let pair = |pair: &[u8]| {
        let pair = std::str::from_utf8(pair).map_err(|error| error.to_string())?;
        u8::from_str_radix(pair, 16).map_err(|error| format!("{pair:?}: {error}"))
    };
    digits.chunks(2).map(pair).collect()
}
