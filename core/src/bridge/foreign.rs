//! Requests of a foreign web server (ASGI, Express, fetch handlers): their heads in, the parts of their answers out through the queue.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http::header::{HeaderName, HeaderValue};
use http::request::Parts;
use http::{Request, Response};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::queue::{Item, ItemKind, Queue};
use crate::engine::http::{HttpOptions, MountPath, Ticket};
use crate::engine::{Engine, Principal};
use crate::error::{Error, Result};
use crate::protocol::http::origin::{OriginPolicy, OriginSettings};
use crate::protocol::http::reply::HttpReply;
use crate::protocol::sink::Message;
use crate::time::Now;

const HEAD: u32 = 0;
const BODY: u32 = 1;
const END: u32 = 2;

/// The request of the foreign server that a call came with.
#[derive(Clone, Copy, Debug)]
pub struct ForeignRequest(pub u64);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Head<'a> {
    method: &'a str,
    path: String,
    #[serde(default)]
    query: String,
    headers: Vec<(String, String)>,
    #[serde(borrow)]
    principal: Option<&'a RawValue>,
    root_path: Option<String>,
    /// The address that the foreign server is bound to, where it says.
    server: Option<String>,
}

/// All requests of foreign servers that are not answered yet.
pub struct Foreign {
    last: AtomicU64,
    open: Arc<Mutex<HashMap<u64, Open>>>,
    loopback: Arc<HttpOptions>,
    elsewhere: Arc<HttpOptions>,
}

struct Open {
    ticket: Option<Arc<Ticket>>,
    queued: Arc<AtomicUsize>,
}

impl Foreign {
    pub fn new() -> Result<Self> {
        let policy = |bind: [u8; 4], any: bool| {
            let settings = OriginSettings { allow_any_host: any, ..OriginSettings::default() };
            OriginPolicy::new(IpAddr::from(bind), &settings)
        };
        Ok(Self {
            last: AtomicU64::new(0),
            open: Arc::default(),
            loopback: Arc::new(options(policy([127, 0, 0, 1], false)?)),
            elsewhere: Arc::new(options(policy([0, 0, 0, 0], true)?)),
        })
    }

    /// Serves one request; its answer comes as HTTP items of the returned token.
    pub fn handle(&self, engine: &Arc<Engine>, queue: &Arc<Queue>, head: &str, body: Bytes, now: Now) -> Result<u64> {
        let head: Head<'_> = serde_json::from_str(head)
            .map_err(|error| Error::invalid_request(format!("the request's head: {error}")))?;
        let local = head.server.as_deref().is_some_and(is_loopback);
        let token = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let parts = head.into_parts(token)?;
        let queued = Arc::<AtomicUsize>::default();
        self.lock().insert(token, Open { ticket: None, queued: Arc::clone(&queued) });
        let reply = Arc::new(ForeignReply { token, queue: Arc::clone(queue), open: Arc::clone(&self.open), queued });
        let options = if local { &self.loopback } else { &self.elsewhere };
        if let Some(answer) = engine.check_http(options, &parts) {
            reply.respond(answer);
        } else if body.len() > engine.limits().message_bytes {
            reply.respond(engine.body_too_large());
        } else {
            let ticket = engine.http(options, parts, body, reply, now);
            if let Some(open) = self.lock().get_mut(&token) {
                open.ticket = Some(ticket);
            }
        }
        Ok(token)
    }

    /// The foreign client went away.
    pub fn drop_request(&self, token: u64) {
        let open = self.lock().remove(&token);
        if let Some(ticket) = open.and_then(|open| open.ticket) {
            ticket.gone();
        }
    }

    /// The foreign server passed that many bytes on.
    pub fn sent(&self, token: u64, bytes: usize) {
        if let Some(open) = self.lock().get(&token) {
            open.queued.fetch_sub(bytes.min(open.queued.load(Ordering::Relaxed)), Ordering::Relaxed);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<u64, Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn options(policy: OriginPolicy) -> HttpOptions {
    let mut options = HttpOptions::new(policy);
    // The foreign server decides which paths come here.
    options.path.clear();
    options
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}

impl Head<'_> {
    fn into_parts(self, token: u64) -> Result<Parts> {
        let wrong = |what: &str| Error::invalid_request(format!("the request's {what} cannot be read"));
        let uri = match self.query.is_empty() {
            true => self.path,
            false => format!("{}?{}", self.path, self.query),
        };
        let request = Request::builder().method(self.method).uri(uri).body(()).map_err(|_| wrong("method or path"))?;
        let (mut parts, ()) = request.into_parts();
        for (name, value) in &self.headers {
            let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong("header name"))?;
            // Header values of ASGI are Latin-1: one character, one byte.
            let bytes: Vec<u8> =
                value.chars().map(|character| u8::try_from(u32::from(character)).unwrap_or(b'?')).collect();
            parts.headers.append(name, HeaderValue::from_bytes(&bytes).map_err(|_| wrong("header value"))?);
        }
        parts.extensions.insert(ForeignRequest(token));
        if let Some(root) = self.root_path.filter(|root| !root.is_empty()) {
            parts.extensions.insert(MountPath(root));
        }
        if let Some(principal) = self.principal {
            parts.extensions.insert(Arc::new(Principal::parse(principal.get())?));
        }
        Ok(parts)
    }
}

/// The way back: parts of the answer go through the queue.
struct ForeignReply {
    token: u64,
    queue: Arc<Queue>,
    open: Arc<Mutex<HashMap<u64, Open>>>,
    queued: Arc<AtomicUsize>,
}

impl ForeignReply {
    fn push(&self, part: u32, text: Bytes) {
        self.queue.push(Item { kind: ItemKind::Http, token: self.token, slot: part, text });
    }

    fn push_head<B>(&self, response: &Response<B>) {
        let headers: Vec<(&str, String)> = response
            .headers()
            .iter()
            .map(|(name, value)| (name.as_str(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
            .collect();
        let head = serde_json::json!({ "status": response.status().as_u16(), "headers": headers });
        self.push(HEAD, head.to_string().into());
    }

    fn end(&self) {
        self.push(END, Bytes::new());
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.token);
    }
}

impl HttpReply for ForeignReply {
    fn respond(&self, response: Response<Message>) {
        self.push_head(&response);
        let body = response.into_body().into_bytes();
        if !body.is_empty() {
            self.push(BODY, body);
        }
        self.end();
    }

    fn open(&self, head: Response<()>) {
        self.push_head(&head);
    }

    fn write(&self, bytes: Bytes) {
        self.queued.fetch_add(bytes.len(), Ordering::Relaxed);
        self.push(BODY, bytes);
    }

    fn close(&self) {
        self.end();
    }

    fn queued(&self) -> usize {
        self.queued.load(Ordering::Relaxed)
    }
}
