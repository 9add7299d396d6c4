//! A client over HTTP: one task per request, on pooled connections.
//!
//! | file | holds |
//! |---|---|
//! | `address` | the URL of a server, checked |
//! | `transport` | sends a request, redirects and cookies included |
//! | `dial` | opens connections |
//! | `proxy` | which proxy is used |
//! | `tls` | whom the client trusts, and who it is |
//! | `gzip` | takes the compression off a body |
//! | `cookies` | cookies of one origin |
//! | `failure` | what went wrong, in words |
//!
//! There is no time limit here but that for opening a connection: an answer may take as long as its call may (Y04).

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body_util::BodyExt;
use rustc_hash::FxHashMap;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio::time;

use super::client::ClientConnection;
use super::http_options::HttpOptions;
use super::{clock, era_memory};
use crate::engine::client::{ClientEngine, ClientHost, ClientOptions, Link, RequestSink};
use crate::error::Error;
use crate::model::Level;

mod address;
mod cookies;
mod dial;
mod failure;
mod gzip;
mod proxy;
mod tls;
mod transport;

use gzip::Gzip;
use transport::Transport;

/// How long the last request of a closed client (the end of its session) may take.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// The address of a client whose own cannot be used: it only says so.
const NOWHERE: &str = "http://nowhere.invalid/";

/// Connects to an absolute URL of http or https. What goes wrong is the result of [`ClientConnection::opened`], a URL or an option that
/// cannot be used included.
///
/// Names and passwords do not belong into the URL (`Authorization` is a header), nor does a Unix socket
/// ([`HttpOptions::socket`](super::http_options::HttpOptions::socket)).
///
/// Errors carry the facts `url` (without its query), `status` where there is one, and `sent`: `no` when the server surely has not
/// seen the request.
pub fn connect_url(
    runtime: &Handle,
    mut options: ClientOptions,
    url: &str,
    http: &HttpOptions,
    host: Arc<dyn ClientHost>,
) -> ClientConnection {
    let (transport, wrong) = match Transport::open(url, http, &options.limits) {
        Ok(transport) => (Some(transport), None),
        Err(error) => (None, Some(error)),
    };
    if let Some(transport) = transport.as_ref().filter(|_| http.accept_any_certificate) {
        let text = format!("the certificate of {} is not checked (`verify` is off)", transport.address().origin());
        host.report(Level::Warning, text);
    }
    let url = transport.as_ref().map_or(NOWHERE, |transport| transport.address().as_str()).into();
    let key = transport.as_ref().map(|transport| transport.address().shown());
    let (host, watch) = era_memory::recall(key, &mut options, host);
    let requests = Arc::new(Requests {
        transport,
        runtime: runtime.clone(),
        engine: OnceLock::new(),
        running: Mutex::default(),
        changed: Notify::new(),
    });
    let sink = Arc::new(Sink(Arc::clone(&requests)));
    let engine = ClientEngine::new(options, Link::Http { sink, url, headers: http.headers.clone() }, host);
    watch.follow(&engine);
    let _ = requests.engine.set(Arc::downgrade(&engine));
    let connection = ClientConnection::open(runtime, engine, async move { requests.until_closed().await });
    if let Some(error) = wrong {
        connection.engine.fail(error);
    }
    connection
}

struct Requests {
    /// Absent when the options cannot be used; the engine is told soon after it started.
    transport: Option<Transport>,
    runtime: Handle,
    engine: OnceLock<Weak<ClientEngine>>,
    running: Mutex<Running>,
    changed: Notify,
}

#[derive(Default)]
struct Running {
    tasks: FxHashMap<u64, AbortHandle>,
    closed: bool,
}

struct Sink(Arc<Requests>);

impl RequestSink for Sink {
    fn start(&self, id: u64, request: Request<Bytes>) {
        let requests = Arc::clone(&self.0);
        // Held until the task is entered, so that it cannot leave before.
        let mut running = self.0.running();
        let task = self.0.runtime.spawn(async move {
            requests.exchange(id, request).await;
            requests.running().tasks.remove(&id);
            requests.changed.notify_one();
        });
        running.tasks.insert(id, task.abort_handle());
    }

    fn abort(&self, id: u64) {
        if let Some(task) = self.0.running().tasks.remove(&id) {
            task.abort();
        }
    }

    fn close(&self) {
        self.0.running().closed = true;
        self.0.changed.notify_one();
    }
}

impl Requests {
    fn running(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the engine still waits for that answer.
    fn is_wanted(&self, id: u64) -> bool {
        self.running().tasks.contains_key(&id)
    }

    /// The engine is not kept alive by an answer that it no longer waits for.
    fn engine(&self) -> Option<Arc<ClientEngine>> {
        self.engine.get().and_then(Weak::upgrade)
    }

    /// One request and its answer.
    async fn exchange(&self, id: u64, request: Request<Bytes>) {
        let Some(transport) = &self.transport else { return };
        if let Err(error) = self.carry(id, request, transport).await
            && let Some(engine) = self.engine()
        {
            engine.http_failed(id, error, clock::now());
        }
    }

    async fn carry(&self, id: u64, request: Request<Bytes>, transport: &Transport) -> Result<(), Error> {
        let (head, mut body) = transport.send(request).await?.into_parts();
        let answered = |error: Error| failure::answered(error, head.status, transport.address());
        let mut gzip = Gzip::of(&head.headers).map_err(answered)?;
        let Some(engine) = self.engine() else { return Ok(()) };
        engine.http_head(id, head.status, &head.headers, clock::now());
        drop(engine);
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| answered(failure::broken(error)))?;
            let Some(engine) = self.engine() else { return Ok(()) };
            let Some(chunk) = frame.data_ref() else { continue };
            match &mut gzip {
                None => engine.http_chunk(id, chunk, clock::now()),
                Some(gzip) => {
                    let take = |part: &[u8]| {
                        engine.http_chunk(id, part, clock::now());
                        self.is_wanted(id)
                    };
                    gzip.push(chunk, take).map_err(answered)?;
                }
            }
        }
        if let Some(gzip) = gzip {
            gzip.end().map_err(answered)?;
        }
        if let Some(engine) = self.engine() {
            engine.http_end(id, clock::now());
        }
        Ok(())
    }

    /// Ends when the client is closed and its last words are said.
    async fn until_closed(&self) {
        while !self.running().closed {
            self.changed.notified().await;
        }
        let quiet = async {
            while !self.running().tasks.is_empty() {
                self.changed.notified().await;
            }
        };
        if time::timeout(LAST_WORDS, quiet).await.is_err() {
            for (_, task) in self.running().tasks.drain() {
                task.abort();
            }
        }
    }
}
