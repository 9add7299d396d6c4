//! HTTP requests into the engine, as a server would hand them over, and their answers.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::Response;
use omniport::engine::Engine;
use omniport::engine::http::{HttpOptions, MountPath, Ticket};
use omniport::protocol::http::reply::HttpReply;
use omniport::protocol::sink::Message;
use omniport::time::Now;
use serde_json::{Map, Value};

use super::sse::Events;

/// A request as it goes out.
pub struct Written<'a> {
    pub method: &'a str,
    pub path: &'a str,
    /// The prefix that a foreign server mounted this one under.
    pub mount: Option<&'a str>,
    /// Each is a text or an array of texts; a `host` is added.
    pub headers: &'a Map<String, Value>,
    pub body: Bytes,
}

/// One request and what came back for it.
pub struct Exchange {
    answer: Arc<Answer>,
    ticket: Option<Arc<Ticket>>,
    events: Events,
}

#[derive(Default)]
struct Answer(Mutex<State>);

#[derive(Default)]
struct State {
    head: Option<(u16, Map<String, Value>)>,
    /// The body of a whole answer.
    body: Option<Bytes>,
    /// Bytes of an event stream that were not read yet.
    stream: Vec<u8>,
    is_stream: bool,
    is_over: bool,
}

/// What is known of an answer; events are handed out once.
pub struct Seen {
    pub status: u16,
    pub headers: Map<String, Value>,
    pub body: Option<Bytes>,
    pub events: Vec<Value>,
    pub is_open: bool,
}

impl HttpReply for Answer {
    fn respond(&self, response: Response<Message>) {
        let (parts, body) = response.into_parts();
        let mut state = self.0.lock().unwrap();
        assert!(state.head.is_none(), "one request was answered twice");
        state.head = Some((parts.status.as_u16(), headers(&parts.headers)));
        state.body = Some(body.into_bytes());
        state.is_over = true;
    }

    fn open(&self, head: Response<()>) {
        let mut state = self.0.lock().unwrap();
        assert!(state.head.is_none(), "one request was answered twice");
        state.head = Some((head.status().as_u16(), headers(head.headers())));
        state.is_stream = true;
    }

    fn write(&self, bytes: Bytes) {
        let mut state = self.0.lock().unwrap();
        assert!(state.is_stream && !state.is_over, "bytes outside of an open stream");
        state.stream.extend_from_slice(&bytes);
    }

    fn close(&self) {
        self.0.lock().unwrap().is_over = true;
    }
}

fn headers(all: &http::HeaderMap) -> Map<String, Value> {
    let mut headers = Map::new();
    for name in all.keys() {
        let values: Vec<_> = all.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes())).collect();
        headers.insert(name.as_str().to_owned(), values.join(", ").into());
    }
    headers
}

impl Exchange {
    /// Sends a request.
    pub fn send(
        engine: &Arc<Engine>,
        options: &Arc<HttpOptions>,
        written: Written<'_>,
        now: Now,
    ) -> Result<Self, String> {
        let Written { method, path, mount, headers, body } = written;
        let mut builder = http::Request::builder().method(method).uri(path);
        if let Some(mount) = mount {
            builder = builder.extension(MountPath(mount.to_owned()));
        }
        if !headers.contains_key("host") {
            builder = builder.header("host", "127.0.0.1:8000");
        }
        for (name, value) in headers {
            let values = match value {
                Value::Null => continue,
                Value::Array(values) => values.clone(),
                value => vec![value.clone()],
            };
            for value in values {
                let text = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
                builder = builder.header(name.as_str(), text);
            }
        }
        let (parts, ()) =
            builder.body(()).map_err(|error| format!("the request cannot be built: {error}"))?.into_parts();
        let answer = Arc::<Answer>::default();
        let reply = Arc::clone(&answer) as Arc<dyn HttpReply>;
        let ticket = match engine.check_http(options, &parts) {
            Some(response) => {
                reply.respond(response);
                None
            }
            // The transport counts the bytes that really come.
            None if body.len() > engine.limits().message_bytes => {
                reply.respond(engine.body_too_large());
                None
            }
            None => Some(engine.http(options, parts, body, reply, now)),
        };
        Ok(Self { answer, ticket, events: Events::default() })
    }

    /// What came back so far; none while there is no head.
    pub fn look(&mut self) -> Option<Seen> {
        let mut state = self.answer.0.lock().unwrap();
        let (status, headers) = state.head.clone()?;
        let bytes = std::mem::take(&mut state.stream);
        let seen = Seen {
            status,
            headers,
            body: state.body.clone(),
            events: self.events.read(&bytes),
            is_open: state.is_stream && !state.is_over,
        };
        Some(seen)
    }

    /// The client goes away.
    pub fn leave(&self) {
        if let Some(ticket) = &self.ticket {
            ticket.gone();
        }
    }
}

impl Exchange {
    /// Headers and status, without taking anything.
    pub fn answer_so_far(&mut self) -> Option<(Map<String, Value>, u16)> {
        let state = self.answer.0.lock().unwrap();
        state.head.clone().map(|(status, headers)| (headers, status))
    }

    /// The messages that came since the last look, of a whole answer or of an event stream.
    pub fn messages(&mut self) -> Vec<Vec<u8>> {
        let (bytes, body) = {
            let mut state = self.answer.0.lock().unwrap();
            (std::mem::take(&mut state.stream), state.body.take())
        };
        let whole = body.filter(|body| body.starts_with(b"{") || body.starts_with(b"["));
        let events = self.events.read(&bytes).into_iter();
        let messages =
            events.filter_map(|event| event.get("data").filter(|data| data.is_object() || data.is_array()).cloned());
        whole
            .map(|body| body.to_vec())
            .into_iter()
            .chain(messages.map(|message| message.to_string().into_bytes()))
            .collect()
    }
}
