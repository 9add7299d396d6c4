//! The server that a vector scripts: it knows which requests wait for an answer, and how each carrier brings one.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, StatusCode};
use omniport::engine::client::ClientEngine;
use omniport::error::{Error, ErrorKind};
use omniport::time::Now;
use serde_json::{Map, Value, json};

use super::file::{ServerSettings, Transport};
use super::outbox::Outbox;
use super::revisions::MODERN;
use super::rules::{self, Rules};

pub const URL: &str = "http://127.0.0.1:8000/mcp";
const JSON: &str = "application/json";
const SSE: &str = "text/event-stream";

/// A server, as its client sees it.
pub struct Peer {
    pub engine: Arc<ClientEngine>,
    pub outbox: Arc<Outbox>,
    pub transport: Transport,
    pub revision: String,
    pub settings: ServerSettings,
    pub now: Now,
    pub rules: Rules,
    /// Requests of the client that a step has seen and none has answered, oldest first.
    waiting: VecDeque<Waiting>,
    /// HTTP requests by the names that steps gave them.
    names: BTreeMap<String, u64>,
    /// HTTP requests whose head was answered.
    begun: Vec<u64>,
    /// Those that ask for a stream, and those whose answer is of no use.
    streams: Vec<u64>,
    useless: Vec<u64>,
    /// The stream for what belongs to no request; in 2024-11-05 the one for everything.
    general: Option<u64>,
}

/// A request of the client.
pub struct Waiting {
    pub method: String,
    pub id: Value,
    pub exchange: Option<u64>,
}

impl Peer {
    pub fn new(
        engine: Arc<ClientEngine>,
        outbox: Arc<Outbox>,
        transport: Transport,
        revision: &str,
        settings: ServerSettings,
        now: Now,
    ) -> Self {
        Self {
            engine,
            outbox,
            transport,
            revision: revision.to_owned(),
            settings,
            now,
            rules: Rules::default(),
            waiting: VecDeque::new(),
            names: BTreeMap::new(),
            begun: Vec::new(),
            streams: Vec::new(),
            useless: Vec::new(),
            general: None,
        }
    }

    fn is_modern(&self) -> bool {
        self.revision == MODERN
    }

    /// Whether messages go over the single event stream of 2024-11-05.
    fn has_two_endpoints(&self) -> bool {
        self.transport == Transport::Http && self.revision == "2024-11-05"
    }

    /// Connects the client to the standard server: both sides say what the revision has them say.
    pub fn open(&mut self) -> Result<(), String> {
        self.engine.connect(self.now);
        if self.is_modern() {
            self.only("server/discover")?;
            let capabilities = self.settings.capabilities.clone();
            let result = json!({"supportedVersions": [self.revision], "capabilities": capabilities, "ttlMs": 0,
                "cacheScope": "private",
                "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "standard", "version": "1"}}});
            return self.reply("server/discover", None, "result", result);
        }
        if self.has_two_endpoints() {
            let (first, _) = self.only_request("POST")?;
            self.answer(first, 405, &HeaderMap::new(), Some(b""), true);
            let (stream, _) = self.only_request("GET")?;
            self.general = Some(stream);
            self.answer(stream, 200, &kind(SSE), Some(b"event: endpoint\ndata: /messages?session=1\n\n"), false);
        }
        self.only("initialize")?;
        let result = json!({"protocolVersion": self.revision, "capabilities": self.settings.capabilities,
            "serverInfo": {"name": "standard", "version": "1"}});
        self.reply("initialize", None, "result", result)?;
        self.only("notifications/initialized")?;
        if self.transport == Transport::Http && !self.has_two_endpoints() {
            let (stream, _) = self.only_request("GET")?;
            match self.settings.stream {
                true => {
                    self.general = Some(stream);
                    self.answer(stream, 200, &kind(SSE), None, false);
                }
                false => self.answer(stream, 405, &HeaderMap::new(), None, true),
            }
        }
        Ok(())
    }

    fn only(&mut self, method: &str) -> Result<(), String> {
        let sent = self.messages()?;
        match &sent[..] {
            [(message, _)] if message["method"] == method => Ok(()),
            _ => Err(format!("while connecting: expected `{method}`, found {:?}", texts(&sent))),
        }
    }

    fn only_request(&mut self, verb: &str) -> Result<(u64, Value), String> {
        let mut requests = self.requests()?;
        match requests.pop().filter(|(_, request)| requests.is_empty() && request["method"] == verb) {
            Some(request) => Ok(request),
            None => Err(format!("while connecting: expected one {verb}")),
        }
    }

    /// The messages sent since the last look, with their texts. Over HTTP notifications and answers are accepted.
    pub fn messages(&mut self) -> Result<Vec<(Value, String)>, String> {
        let lines = std::mem::take(&mut self.outbox.sent().lines);
        let mut sent = Vec::new();
        for line in lines {
            let message = self.rules.message(&line, &self.revision)?;
            self.wait_for(&message, None);
            sent.push((message, String::from_utf8_lossy(&line).into_owned()));
        }
        let started = std::mem::take(&mut self.outbox.sent().requests);
        for (exchange, request) in started {
            if request.method() != "POST" {
                return Err(format!("a {} that no step named: {:?}", request.method(), request.headers()));
            }
            let message = self.posted(exchange, &request)?;
            if message.get("method").is_none() || message.get("id").is_none() || self.has_two_endpoints() {
                self.answer(exchange, 202, &HeaderMap::new(), None, true);
            }
            sent.push((message, String::from_utf8_lossy(request.body()).into_owned()));
        }
        Ok(sent)
    }

    /// The HTTP requests started since the last look, as objects.
    pub fn requests(&mut self) -> Result<Vec<(u64, Value)>, String> {
        let started = std::mem::take(&mut self.outbox.sent().requests);
        let mut all = Vec::new();
        for (exchange, request) in started {
            let mut headers = Map::new();
            for (name, value) in request.headers() {
                headers.insert(name.to_string(), String::from_utf8_lossy(value.as_bytes()).into());
            }
            let mut seen = json!({"method": request.method().as_str(), "url": request.uri().to_string(),
                "path": request.uri().path(), "headers": headers});
            match request.method() == "POST" {
                true => seen["json"] = self.posted(exchange, &request)?,
                false => {
                    rules::head(&request, None)?;
                    self.streams.push(exchange);
                }
            }
            all.push((exchange, seen));
        }
        Ok(all)
    }

    fn posted(&mut self, exchange: u64, request: &Request<Bytes>) -> Result<Value, String> {
        let message = self.rules.message(request.body(), &self.revision)?;
        rules::head(request, Some(&message)).map_err(|error| format!("{error}: {message}"))?;
        self.wait_for(&message, Some(exchange));
        Ok(message)
    }

    fn wait_for(&mut self, message: &Value, exchange: Option<u64>) {
        if let (Some(id), Some(method)) = (message.get("id"), message["method"].as_str()) {
            self.waiting.push_back(Waiting { method: method.to_owned(), id: id.clone(), exchange });
        }
    }

    /// The oldest request of that method that waits, or the one of that id.
    pub fn waiting(&self, method: &str, id: Option<&Value>) -> Result<&Waiting, String> {
        let is_it = |waiting: &&Waiting| waiting.method == method && id.is_none_or(|id| *id == waiting.id);
        self.waiting.iter().find(is_it).ok_or_else(|| format!("no request `{method}` waits for an answer"))
    }

    /// Answers a request, in the words of the revision.
    pub fn reply(&mut self, method: &str, id: Option<&Value>, member: &str, body: Value) -> Result<(), String> {
        let (id, exchange) = self.waiting(method, id).map(|waiting| (waiting.id.clone(), waiting.exchange))?;
        self.waiting.retain(|waiting| waiting.id != id);
        let mut body = body;
        if self.is_modern() && member == "result" && body.is_object() && body.get("resultType").is_none() {
            body["resultType"] = "complete".into();
        }
        let status = match body["code"].as_i64().filter(|_| member == "error" && self.is_modern()) {
            Some(-32601) => 404,
            Some(-32022..=-32020) => 400,
            _ => 200,
        };
        let mut message = json!({"jsonrpc": "2.0", "id": id});
        message[member] = body;
        let text = message.to_string();
        match exchange {
            None => self.engine.receive(text.as_bytes(), self.now),
            Some(_) if self.has_two_endpoints() => self.on_stream(self.general, &text)?,
            Some(exchange) if self.begun.contains(&exchange) => {
                self.on_stream(Some(exchange), &text)?;
                self.engine.http_end(exchange, self.now);
            }
            Some(exchange) => {
                let mut headers = kind(JSON);
                if let Some(session) = self.settings.session.as_deref().filter(|_| method == "initialize") {
                    headers.insert("mcp-session-id", HeaderValue::from_str(session).map_err(|e| e.to_string())?);
                }
                self.answer(exchange, status, &headers, Some(text.as_bytes()), true);
            }
        }
        Ok(())
    }

    /// A step wrote a message of the server itself: a request to the client, or maybe the answer to one of the client's.
    pub fn written(&mut self, message: &Value) {
        self.rules.heard(message);
        if message.get("method").is_none() {
            self.waiting.retain(|waiting| waiting.id != message["id"]);
        }
    }

    /// Says something that answers nothing: on the stream of a request, or on the general one.
    pub fn say(&mut self, message: &Value, during: Option<&str>) -> Result<(), String> {
        self.rules.heard(message);
        let text = message.to_string();
        if self.transport == Transport::Stream {
            self.engine.receive(text.as_bytes(), self.now);
            return Ok(());
        }
        let exchange = during.map(|method| self.waiting(method, None).map(|waiting| waiting.exchange)).transpose()?;
        let exchange = exchange.flatten().filter(|_| !self.has_two_endpoints()).or(self.general);
        if let Some(exchange) = exchange.filter(|exchange| !self.begun.contains(exchange)) {
            self.answer(exchange, 200, &kind(SSE), None, false);
        }
        self.on_stream(exchange, &text)
    }

    fn on_stream(&self, exchange: Option<u64>, text: &str) -> Result<(), String> {
        let exchange = exchange.ok_or("no stream is open: say which request it comes with (`during`)")?;
        self.engine.http_chunk(exchange, format!("data: {text}\n\n").as_bytes(), self.now);
        Ok(())
    }

    /// A part of an HTTP answer: its head if that is still to come, a part of its body, its end.
    pub fn answer(&mut self, exchange: u64, status: u16, headers: &HeaderMap, body: Option<&[u8]>, end: bool) {
        if !self.begun.contains(&exchange) {
            self.begun.push(exchange);
            let is_stream = headers.get("content-type").is_some_and(|kind| kind == SSE);
            if status >= 400 || self.streams.contains(&exchange) && !is_stream {
                self.useless.push(exchange);
            }
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            self.engine.http_head(exchange, status, headers, self.now);
        }
        if let Some(body) = body.filter(|body| !body.is_empty()) {
            self.engine.http_chunk(exchange, body, self.now);
        }
        if end {
            self.engine.http_end(exchange, self.now);
            if status >= 400 || !self.has_two_endpoints() {
                self.waiting.retain(|waiting| waiting.exchange != Some(exchange));
            }
        }
    }

    /// Takes the requests that the client ended since the last look. Those that failed, and a GET that was answered with no stream, may
    /// be left alone or ended.
    pub fn aborted(&mut self) -> Vec<u64> {
        let mut aborted = std::mem::take(&mut self.outbox.sent().aborted);
        aborted.retain(|exchange| !self.useless.contains(exchange));
        aborted
    }

    /// An HTTP request breaks off.
    pub fn break_off(&mut self, exchange: u64) {
        self.waiting.retain(|waiting| waiting.exchange != Some(exchange));
        let error = Error::new(ErrorKind::Io, "the connection was reset").retryable();
        self.engine.http_failed(exchange, error, self.now);
    }

    /// The stream ends, and with it everything that waited for an answer.
    pub fn end(&mut self, error: Error) {
        self.waiting.clear();
        self.engine.lost(error, self.now);
    }

    /// Calls an HTTP request by a name.
    pub fn name(&mut self, exchange: u64, name: &str) {
        self.names.insert(name.to_owned(), exchange);
    }

    /// The HTTP request of that name.
    pub fn named(&self, name: &str) -> Result<u64, String> {
        self.names.get(name).copied().ok_or_else(|| format!("no request is called {name:?}"))
    }
}

/// The headers of a body of that type.
pub fn kind(name: &'static str) -> HeaderMap {
    HeaderMap::from_iter([(http::header::CONTENT_TYPE, HeaderValue::from_static(name))])
}

/// The events of a stream as it is written: objects of `id`, `event`, `data`, `retry`, or of one `comment`.
pub fn events(all: &[Value]) -> Result<String, String> {
    let mut text = String::new();
    for event in all {
        let members = event.as_object().ok_or("an event is an object")?;
        for name in ["comment", "event", "id", "retry", "data"] {
            let Some(value) = members.get(name) else { continue };
            let value = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
            let field = if name == "comment" { "" } else { name };
            for line in value.split('\n') {
                text.push_str(&format!("{field}: {line}\n"));
            }
        }
        if let Some(unknown) =
            members.keys().find(|key| !["comment", "event", "id", "retry", "data"].contains(&&***key))
        {
            return Err(format!("an event has no field {unknown:?}"));
        }
        text.push('\n');
    }
    Ok(text)
}

fn texts(sent: &[(Value, String)]) -> Vec<&str> {
    sent.iter().map(|(_, text)| text.as_str()).collect()
}
