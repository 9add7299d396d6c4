//! A host that writes down what it is told, and ways out that keep what was sent.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Request};
use omniport::engine::client::{
    AskKind, CallOptions, Change, ClientEngine, ClientHost, ClientOptions, ClientState, LineSink, Link, Operation,
    RequestSink, Token,
};
use omniport::error::Error;
use omniport::model::Level;
use omniport::time::Now;
use serde_json::Value;
use serde_json::value::RawValue;

/// What the host was told, in order.
#[derive(Debug)]
#[allow(dead_code, reason = "some members are read by failing assertions only")]
pub enum Told {
    Result(Token, Result<Value, Error>),
    Progress(Token, Value),
    Log(Option<Token>, Value),
    Change(Change),
    Ask(u64, AskKind, Value),
    Withdrawn(u64),
    Closed(Error),
    Report(Level, String),
}

#[derive(Default)]
pub struct Recorder {
    told: Mutex<Vec<Told>>,
    states: Mutex<Vec<ClientState>>,
}

fn value(raw: &RawValue) -> Value {
    serde_json::from_str(raw.get()).unwrap()
}

impl Recorder {
    fn push(&self, told: Told) {
        self.told.lock().unwrap().push(told);
    }

    /// Takes everything told since the last time.
    pub fn take(&self) -> Vec<Told> {
        std::mem::take(&mut self.told.lock().unwrap())
    }

    /// Takes the states told since the last time.
    #[allow(dead_code, reason = "read by tests of recovery")]
    pub fn states(&self) -> Vec<ClientState> {
        std::mem::take(&mut self.states.lock().unwrap())
    }

    /// Takes the result of a call, if it is there.
    pub fn result(&self, token: Token) -> Option<Result<Value, Error>> {
        let mut all = self.told.lock().unwrap();
        let place = all.iter().position(|told| matches!(told, Told::Result(other, _) if *other == token))?;
        match all.remove(place) {
            Told::Result(_, result) => Some(result),
            _ => None,
        }
    }

    /// Takes the questions that wait.
    pub fn asks(&self) -> Vec<(u64, AskKind, Value)> {
        let mut all = self.told.lock().unwrap();
        let (asks, rest) = std::mem::take(&mut *all).into_iter().partition(|told| matches!(told, Told::Ask(..)));
        *all = rest;
        let asks: Vec<Told> = asks;
        asks.into_iter()
            .filter_map(|told| match told {
                Told::Ask(number, kind, params) => Some((number, kind, params)),
                _ => None,
            })
            .collect()
    }
}

impl ClientHost for Recorder {
    fn result(&self, token: Token, result: Result<Box<RawValue>, Error>) {
        self.push(Told::Result(token, result.map(|raw| value(&raw))));
    }

    fn progress(&self, token: Token, params: Box<RawValue>) {
        self.push(Told::Progress(token, value(&params)));
    }

    fn log(&self, token: Option<Token>, params: Box<RawValue>) {
        self.push(Told::Log(token, value(&params)));
    }

    fn change(&self, change: Change) {
        self.push(Told::Change(change));
    }

    fn ask(&self, number: u64, kind: AskKind, params: Box<RawValue>) {
        self.push(Told::Ask(number, kind, value(&params)));
    }

    fn withdrawn(&self, number: u64) {
        self.push(Told::Withdrawn(number));
    }

    fn state(&self, state: ClientState) {
        self.states.lock().unwrap().push(state);
    }

    fn closed(&self, error: Error) {
        self.push(Told::Closed(error));
    }

    fn report(&self, level: Level, text: String) {
        self.push(Told::Report(level, text));
    }
}

/// What a client sent over a stream.
#[derive(Default)]
pub struct Lines {
    pub sent: Mutex<VecDeque<Bytes>>,
    pub restarts: Mutex<usize>,
    pub closed: Mutex<bool>,
}

impl LineSink for Lines {
    fn send(&self, message: Bytes) {
        assert!(!message.contains(&b'\n'), "a line end inside a line");
        self.sent.lock().unwrap().push_back(message);
    }

    fn restart(&self) {
        *self.restarts.lock().unwrap() += 1;
    }

    fn close(&self) {
        *self.closed.lock().unwrap() = true;
    }
}

/// What a client sent over HTTP.
#[derive(Default)]
pub struct Requests {
    pub started: Mutex<VecDeque<(u64, Request<Bytes>)>>,
    pub aborted: Mutex<Vec<u64>>,
}

impl RequestSink for Requests {
    fn start(&self, id: u64, request: Request<Bytes>) {
        self.started.lock().unwrap().push_back((id, request));
    }

    fn abort(&self, id: u64) {
        self.aborted.lock().unwrap().push(id);
    }

    fn close(&self) {}
}

/// A client with a recorder, over whatever `S` is.
pub struct Client<S> {
    pub engine: Arc<ClientEngine>,
    pub host: Arc<Recorder>,
    pub out: Arc<S>,
    pub now: Now,
}

pub fn over_lines(options: ClientOptions) -> Client<Lines> {
    let (host, out) = (Arc::<Recorder>::default(), Arc::<Lines>::default());
    let engine = ClientEngine::new(options, Link::Lines(out.clone()), host.clone());
    Client { engine, host, out, now: Now::default() }
}

pub fn over_http(options: ClientOptions, url: &str) -> Client<Requests> {
    let (host, out) = (Arc::<Recorder>::default(), Arc::<Requests>::default());
    let mut headers = HeaderMap::new();
    headers.insert("x-user", http::HeaderValue::from_static("yes"));
    let link = Link::Http { sink: out.clone(), url: url.into(), headers };
    let engine = ClientEngine::new(options, link, host.clone());
    Client { engine, host, out, now: Now::default() }
}

impl<S> Client<S> {
    pub fn start(&self, word: &str, params: &str) -> Token {
        self.start_with(word, params, CallOptions::default())
    }

    pub fn start_with(&self, word: &str, params: &str, options: CallOptions) -> Token {
        self.engine.start(Operation::parse(word).unwrap(), params, options, self.now)
    }

    /// Lets time pass.
    pub fn pass(&mut self, time: Duration) {
        self.now = self.now.after(time);
        self.engine.tick(self.now);
    }
}

impl Client<Lines> {
    /// Takes what was sent since the last time.
    pub fn sent(&self) -> Vec<Value> {
        let sent = std::mem::take(&mut *self.out.sent.lock().unwrap());
        sent.iter().map(|line| serde_json::from_slice(line).unwrap()).collect()
    }

    /// Takes the one message that was sent since the last time.
    pub fn sent_one(&self) -> Value {
        let mut sent = self.sent();
        assert_eq!(sent.len(), 1, "{sent:?}");
        sent.remove(0)
    }

    /// The server says something; `id` stands for the id of `to`.
    pub fn hear(&self, text: &str) {
        self.engine.receive(text.as_bytes(), self.now);
    }

    /// The server answers a request.
    pub fn reply(&self, to: &Value, body: &str) {
        self.hear(&format!(r#"{{"jsonrpc":"2.0","id":{},{body}}}"#, to["id"]));
    }
}
