//! The clients of a run: how each is opened, and what it sends.

use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::client::{Inbox, Speaker};
use super::http::{Exchange, Written};
use super::invariants::Ledger;
use super::pattern;
use super::run::Run;
use super::stream::Pipe;
use super::vector::{HttpRequest, Transport};

/// One client.
pub struct Peer {
    pub speaker: Speaker,
    pub way: Way,
    pub inbox: Inbox,
    pub ledger: Ledger,
}

/// How its messages travel.
pub enum Way {
    Pipe(Pipe),
    Http(Web),
}

/// A client over HTTP: its session, and everything it has open.
#[derive(Default)]
pub struct Web {
    pub session: Option<String>,
    /// The address to post to, where the stream told one (2024-11-05).
    pub address: Option<String>,
    pub open: Vec<Exchange>,
}

impl Run {
    /// Opens a client, with its handshake where the revision has one.
    pub fn ensure(&mut self, on: &str) -> Result<(), String> {
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
        self.write_http(Written { method, path, mount: None, headers, body })
    }

    fn write_http(&mut self, written: Written<'_>) -> Result<Exchange, String> {
        let exchange = Exchange::send(&self.server.engine, &self.server.http, written, self.now)?;
        self.pump();
        Ok(exchange)
    }

    /// Sends a message as the client's transport does.
    pub fn send(&mut self, on: &str, message: &Value) -> Result<(), String> {
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

    pub fn write(&mut self, on: &str, bytes: &[u8]) -> Result<(), String> {
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
    pub fn send_http(&mut self, on: &str, request: &HttpRequest) -> Result<Exchange, String> {
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
        let path = request.path.as_deref().unwrap_or("/mcp");
        let mount = request.mount.as_deref();
        self.write_http(Written { method, path, mount, headers: &headers, body: body.into() })
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
