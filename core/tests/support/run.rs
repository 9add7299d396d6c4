//! One vector, one revision, one transport: the steps in order, with a clear word about the first that fails.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use omniport::time::Now;
use serde_json::{Map, Value, json};

use super::client::{Inbox, Speaker};
use super::http::Exchange;
use super::invariants::Ledger;
use super::pattern::{self, Bindings};
use super::server::Standard;
use super::stream::Pipe;
use super::vector::{Step, Transport, Vector};

/// What a run did, so that nobody passes by doing nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub steps: usize,
    pub assertions: usize,
    pub messages: usize,
}

/// Runs a vector for one revision over one transport.
pub fn run(vector: &Vector, revision: &str, transport: Transport) -> Result<Tally, String> {
    let now = Now { monotonic: Duration::from_secs(1000), unix: Duration::from_secs(1_800_000_000) };
    let server = Standard::build(&vector.server, now)?;
    let speaker = Speaker { revision: revision.to_owned(), settings: vector.client.clone() };
    let mut bindings = Bindings::new();
    bindings.insert("version".to_owned(), revision.into());
    bindings.insert("meta".to_owned(), speaker.meta());
    let era = if speaker.is_modern() { "modern" } else { "legacy" };
    for group in [era, revision] {
        bindings.extend(vector.vars.get(group).cloned().unwrap_or_default());
    }
    let mut run = Run {
        server,
        speaker,
        transport,
        now,
        bindings,
        peers: BTreeMap::new(),
        exchanges: BTreeMap::new(),
        tally: Tally::default(),
    };
    for (index, step) in vector.steps.iter().enumerate() {
        run.step(step).map_err(|error| format!("step {} {step}\n    {error}", index + 1))?;
    }
    run.nothing_left()?;
    Ok(run.tally)
}

struct Run {
    server: Standard,
    speaker: Speaker,
    transport: Transport,
    now: Now,
    bindings: Bindings,
    /// Clients by name.
    peers: BTreeMap<String, Peer>,
    /// Requests that a step wrote itself, by name.
    exchanges: BTreeMap<String, Exchange>,
    tally: Tally,
}

/// One client.
struct Peer {
    speaker: Speaker,
    way: Way,
    inbox: Inbox,
    ledger: Ledger,
}

enum Way {
    Pipe(Pipe),
    Http(Web),
}

/// A client over HTTP: its session, and everything it has open.
#[derive(Default)]
struct Web {
    session: Option<String>,
    /// The address to post to, where the stream told one (2024-11-05).
    address: Option<String>,
    open: Vec<Exchange>,
}

impl Run {
    fn step(&mut self, step: &Value) -> Result<(), String> {
        let filled = pattern::fill(step, &self.bindings)?;
        // Matchers such as `$bind` are no variables, so the patterns are filled too.
        let step: Step = serde_json::from_value(filled).map_err(|error| error.to_string())?;
        if step.verbs() != 1 {
            return Err(format!("a step has one verb, this one has {}", step.verbs()));
        }
        self.tally.steps += 1;
        self.tally.assertions += usize::from(step.asserts());
        let on = step.on.clone().unwrap_or_else(|| "main".to_owned());
        if let Some(request) = step.http {
            let exchange = self.send_http(&on, &request)?;
            self.exchanges.insert(step.name.ok_or("an `http` step needs a name (`as`)")?, exchange);
            self.pump();
            return Ok(());
        }
        if let Some(name) = &step.response {
            return self.check_response(name, &step);
        }
        if let Some(name) = &step.leave {
            self.exchanges.get(name).ok_or_else(|| format!("no request is called {name:?}"))?.leave();
            self.pump();
            return Ok(());
        }
        if let Some(ms) = step.advance_ms {
            self.advance(ms);
            return Ok(());
        }
        if step.stop == Some(true) {
            self.server.engine.drain();
            self.server.engine.end_streams();
            self.pump();
            return Ok(());
        }
        self.client_step(&on, step)
    }

    fn client_step(&mut self, on: &str, step: Step) -> Result<(), String> {
        self.ensure(on)?;
        if let Some(input) = &step.input {
            let text = input.as_str().map_or_else(|| input.to_string(), ToOwned::to_owned);
            self.write(on, format!("{text}\n").as_bytes())?;
        } else if let Some(hex) = &step.bytes {
            let bytes = unhex(hex)?;
            self.write(on, &bytes)?;
        } else if let Some(message) = &step.request {
            let message = self.peers[on].speaker.request(message);
            self.send(on, &message)?;
        } else if let Some(message) = step.notify.as_ref().or(step.reply.as_ref()) {
            let mut message = message.clone();
            message["jsonrpc"] = "2.0".into();
            self.send(on, &message)?;
        } else if let Some(patterns) = &step.out {
            return self.check_out(on, patterns, step.unordered);
        } else if step.none == Some(true) {
            return self.check_out(on, &[], false);
        } else if step.close == Some(true) {
            match &mut self.peers.get_mut(on).expect("it was opened").way {
                Way::Pipe(pipe) => pipe.close(),
                Way::Http(web) => web.open.iter().for_each(Exchange::leave),
            }
            self.pump();
        } else {
            return Err("a flag that says `false` does nothing".to_owned());
        }
        Ok(())
    }

    /// Opens a client, with its handshake where the revision has one.
    fn ensure(&mut self, on: &str) -> Result<(), String> {
        if self.peers.contains_key(on) {
            return Ok(());
        }
        let way = match self.transport {
            Transport::Stream => Way::Pipe(Pipe::open(&self.server.engine)),
            Transport::Http => Way::Http(Web::default()),
        };
        let (inbox, ledger) = (Inbox::default(), Ledger::default());
        self.peers.insert(on.to_owned(), Peer { speaker: self.speaker.clone(), way, inbox, ledger });
        let legacy = !self.speaker.is_modern();
        if legacy && self.transport == Transport::Http && self.speaker.revision == "2024-11-05" {
            self.open_events(on)?;
        }
        if !(legacy && self.speaker.settings.handshake) {
            return Ok(());
        }
        let initialize = self.speaker.initialize();
        self.send(on, &initialize)?;
        let came = self.collect(on)?;
        let [answer] = &came[..] else { return Err(format!("the handshake was answered with {came:?}")) };
        let wanted = json!({"id": "handshake", "result": {"protocolVersion": self.speaker.revision}});
        pattern::check(&wanted, answer, &mut self.bindings)?;
        self.send(on, &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        self.open_general(on)
    }

    /// The stream of the two endpoints of 2024-11-05.
    fn open_events(&mut self, on: &str) -> Result<(), String> {
        let mut headers = Map::new();
        headers.insert("accept".to_owned(), "text/event-stream".into());
        headers.extend(self.own_headers());
        let mut exchange = self.exchange("GET", "/sse", &headers, "")?;
        let seen = exchange.look().ok_or("no event stream")?;
        let first = seen.events.first().ok_or("no first event")?;
        if first["event"] != "endpoint" {
            return Err(format!("the first event must be `endpoint`: {first}"));
        }
        let web = self.web(on);
        web.address = first["data"].as_str().map(ToOwned::to_owned);
        web.open.push(exchange);
        Ok(())
    }

    /// The stream of a session for what belongs to no request.
    fn open_general(&mut self, on: &str) -> Result<(), String> {
        let Way::Http(Web { session: Some(session), .. }) = &self.peers[on].way else { return Ok(()) };
        let mut headers = self.speaker.headers(&json!({}), Some(session));
        headers.insert("accept".to_owned(), "text/event-stream".into());
        headers.remove("content-type");
        let exchange = self.exchange("GET", "/mcp", &headers, "")?;
        self.web(on).open.push(exchange);
        Ok(())
    }

    fn own_headers(&self) -> Map<String, Value> {
        let own = &self.speaker.settings.headers;
        own.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect()
    }

    fn web(&mut self, on: &str) -> &mut Web {
        match &mut self.peers.get_mut(on).expect("it was opened").way {
            Way::Http(web) => web,
            Way::Pipe(_) => unreachable!("only called over HTTP"),
        }
    }

    fn exchange(
        &mut self,
        method: &str,
        path: &str,
        headers: &Map<String, Value>,
        body: &str,
    ) -> Result<Exchange, String> {
        let body = Bytes::copy_from_slice(body.as_bytes());
        let (engine, options) = (&self.server.engine, &self.server.http);
        let exchange = Exchange::send(engine, options, method, path, headers, body, self.now)?;
        self.pump();
        Ok(exchange)
    }

    /// Sends a message as the client's transport does.
    fn send(&mut self, on: &str, message: &Value) -> Result<(), String> {
        self.peers.get_mut(on).expect("it was opened").ledger.sent(message);
        let (path, headers) = match &self.peers[on].way {
            Way::Pipe(_) => return self.write(on, format!("{message}\n").as_bytes()),
            Way::Http(web) => {
                let path = web.address.clone().unwrap_or_else(|| "/mcp".to_owned());
                (path, self.peers[on].speaker.headers(message, web.session.as_deref()))
            }
        };
        let mut exchange = self.exchange("POST", &path, &headers, &message.to_string())?;
        let is_request = message.get("id").is_some() && message.get("method").is_some();
        if let Some(seen) = exchange.answer_so_far() {
            if let Some(session) = seen.0.get("mcp-session-id").and_then(Value::as_str) {
                self.web(on).session = Some(session.to_owned());
                self.bindings.insert("session".to_owned(), session.into());
            }
            if !is_request && seen.1 != 202 {
                return Err(format!("a message that is no request was answered with {}", seen.1));
            }
        }
        self.web(on).open.push(exchange);
        Ok(())
    }

    fn write(&mut self, on: &str, bytes: &[u8]) -> Result<(), String> {
        let now = self.now;
        let peer = self.peers.get_mut(on).expect("it was opened");
        for line in bytes.split(|byte| *byte == b'\n') {
            note(&mut peer.ledger, line);
        }
        match &mut peer.way {
            Way::Pipe(pipe) => pipe.write(bytes, now),
            Way::Http(_) => return Err("`in` and `bytes` are for streams; over HTTP write `http`".to_owned()),
        }
        self.pump();
        Ok(())
    }

    /// A request that the step wrote itself.
    fn send_http(&mut self, on: &str, request: &super::vector::HttpRequest) -> Result<Exchange, String> {
        if request.request.is_some() && !self.speaker.is_modern() && self.speaker.settings.handshake {
            self.ensure(on)?;
        }
        let session = match self.peers.get(on).map(|peer| &peer.way) {
            Some(Way::Http(web)) => web.session.clone(),
            _ => None,
        };
        let (mut headers, body) = match (&request.request, &request.json, &request.body) {
            (Some(message), None, None) => {
                let message = self.speaker.request(message);
                (self.speaker.headers(&message, session.as_deref()), message.to_string())
            }
            (None, Some(json), None) => (self.own_headers(), json.to_string()),
            (None, None, Some(body)) => (self.own_headers(), body.clone()),
            (None, None, None) => (self.own_headers(), String::new()),
            _ => return Err("one of `request`, `json` and `body`".to_owned()),
        };
        headers.extend(request.headers.clone());
        let method = request.method.as_deref().unwrap_or("POST");
        self.exchange(method, request.path.as_deref().unwrap_or("/mcp"), &headers, &body)
    }

    fn check_response(&mut self, name: &str, step: &Step) -> Result<(), String> {
        let exchange = self.exchanges.get_mut(name).ok_or_else(|| format!("no request is called {name:?}"))?;
        let seen = exchange.look();
        if step.pending == Some(true) {
            return match seen {
                None => Ok(()),
                Some(seen) => Err(format!("expected no answer yet, found status {}", seen.status)),
            };
        }
        let seen = seen.ok_or("there is no answer")?;
        let body = seen.body.as_deref().map(|body| String::from_utf8_lossy(body).into_owned()).unwrap_or_default();
        let told = |error: String| {
            format!("{error}\n    status {} {:?}\n    {body} {:?}", seen.status, seen.headers, seen.events)
        };
        if let Some(status) = step.status.filter(|status| *status != seen.status) {
            return Err(told(format!("expected status {status}")));
        }
        if let Some(headers) = &step.headers {
            let found = Value::Object(seen.headers.clone());
            pattern::check(&Value::Object(headers.clone()), &found, &mut self.bindings).map_err(told)?;
        }
        if let Some(expected) = &step.json {
            let found = serde_json::from_str(&body).map_err(|error| told(error.to_string()))?;
            pattern::check(expected, &found, &mut self.bindings).map_err(told)?;
        }
        if let Some(expected) = step.body.as_ref().filter(|expected| **expected != body) {
            return Err(told(format!("expected the body {expected:?}")));
        }
        if let Some(expected) = &step.events {
            let found = Value::Array(seen.events.clone());
            pattern::check(&Value::Array(expected.clone()), &found, &mut self.bindings).map_err(told)?;
        } else if !seen.events.is_empty() {
            return Err(told("events came that the step does not name".to_owned()));
        }
        match step.open.is_some_and(|open| open != seen.is_open) {
            true => Err(told(format!("expected the stream to be {}", if seen.is_open { "closed" } else { "open" }))),
            false => Ok(()),
        }
    }

    /// The time passes, and the engine's timers with it, one deadline after the other.
    fn advance(&mut self, ms: u64) {
        let end = self.now.after(Duration::from_millis(ms));
        loop {
            let next = self.server.engine.tick(self.now);
            self.pump();
            match next.filter(|next| *next <= end.monotonic && *next > self.now.monotonic) {
                Some(next) => self.now = self.now.after(next - self.now.monotonic),
                None => break,
            }
        }
        self.now = end;
        self.server.engine.tick(end);
        self.pump();
    }

    fn pump(&self) {
        self.server.host.pump(&self.server.engine, self.now);
    }

    /// Everything that came for a client since the last look.
    fn collect(&mut self, on: &str) -> Result<Vec<Value>, String> {
        let peer = self.peers.get_mut(on).ok_or_else(|| format!("no client is called {on:?}"))?;
        let revision = peer.speaker.revision.clone();
        let texts: Vec<Vec<u8>> = match &mut peer.way {
            Way::Pipe(pipe) => pipe.read().iter().map(|text| text.to_vec()).collect(),
            Way::Http(web) => web.open.iter_mut().flat_map(Exchange::messages).collect(),
        };
        for text in texts {
            self.tally.messages += 1;
            peer.inbox.push(peer.ledger.check(&text, &revision)?);
        }
        Ok(peer.inbox.take())
    }

    fn check_out(&mut self, on: &str, patterns: &[Value], unordered: bool) -> Result<(), String> {
        let came = Value::Array(self.collect(on)?);
        let told = |error: String| format!("{error}\n    came: {}", shortened(&came.to_string()));
        let wanted = Value::Array(patterns.to_vec());
        let count = came.as_array().map_or(0, Vec::len);
        if count != patterns.len() {
            return Err(told(format!("expected {} messages, found {count}", patterns.len())));
        }
        let wanted = if unordered { json!({"$contains": wanted}) } else { wanted };
        pattern::check(&wanted, &came, &mut self.bindings).map_err(told)
    }

    /// A vector says all that comes: what is left at its end is a surprise.
    fn nothing_left(&mut self) -> Result<(), String> {
        for on in self.peers.keys().cloned().collect::<Vec<_>>() {
            let left = self.collect(&on)?;
            if !left.is_empty() {
                return Err(format!(
                    "at the end, messages that no step named: {}",
                    shortened(&Value::Array(left).to_string())
                ));
            }
        }
        Ok(())
    }
}

/// Notes what a raw line asks, as far as it can be read.
fn note(ledger: &mut Ledger, line: &[u8]) {
    let Ok(message) = serde_json::from_slice::<Value>(line) else {
        // The reader may still find the id in a line that this one refuses.
        let text = String::from_utf8_lossy(line);
        if let Some(id) = text.split("\"id\":").nth(1).and_then(|rest| rest.split([',', '}']).next()) {
            let id: Value = serde_json::from_str(id).unwrap_or_default();
            ledger.sent(&json!({"id": id, "method": "?"}));
        }
        return;
    };
    match &message {
        Value::Array(batch) => batch.iter().for_each(|message| ledger.sent(message)),
        one if one.get("id").is_some() && !one["method"].is_string() => {
            ledger.sent(&json!({"id": one["id"], "method": "?"}));
        }
        one => ledger.sent(one),
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(3000).collect()
}

fn unhex(text: &str) -> Result<Vec<u8>, String> {
    let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    digits
        .chunks(2)
        .map(|pair| {
            let pair = std::str::from_utf8(pair).map_err(|error| error.to_string())?;
            u8::from_str_radix(pair, 16).map_err(|error| format!("{pair:?}: {error}"))
        })
        .collect()
}
