//! A client over HTTP: pooled connections, one task per request.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Request};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use rustc_hash::FxHashMap;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio::time;

use super::client::ClientConnection;
use super::clock;
use crate::engine::client::{ClientEngine, ClientHost, ClientOptions, Link, RequestSink};
use crate::error::{Error, ErrorKind};

/// How long the last request of a closed client (the end of its session) may take.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Connects to an absolute URL; every request carries `headers`. What goes wrong is the result of [`ClientConnection::opened`].
pub fn connect_url(
    runtime: &Handle,
    options: ClientOptions,
    url: &str,
    headers: HeaderMap,
    host: Arc<dyn ClientHost>,
) -> ClientConnection {
    let requests = Arc::new(Requests {
        client: Client::builder(TokioExecutor::new()).build(connector()),
        runtime: runtime.clone(),
        engine: OnceLock::new(),
        running: Mutex::default(),
        changed: Notify::new(),
    });
    let sink = Arc::new(Sink(Arc::clone(&requests)));
    let engine = ClientEngine::new(options, Link::Http { sink, url: url.into(), headers }, host);
    let _ = requests.engine.set(Arc::downgrade(&engine));
    ClientConnection::open(runtime, engine, async move { requests.until_closed().await })
}

/// What opens connections: plain HTTP. The one place that knows what a URL's scheme means.
fn connector() -> HttpConnector {
    let mut connector = HttpConnector::new();
    // Small requests and answers: to wait for more bytes would only cost time.
    connector.set_nodelay(true);
    connector
}

struct Requests {
    client: Client<HttpConnector, Full<Bytes>>,
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

    /// One request and its answer. The engine is not kept alive by an answer that it no longer waits for.
    async fn exchange(&self, id: u64, request: Request<Bytes>) {
        let engine = || self.engine.get().and_then(Weak::upgrade);
        let response = match self.client.request(request.map(Full::new)).await {
            Ok(response) => response,
            Err(error) => {
                if let Some(engine) = engine() {
                    engine.http_failed(id, failed("the server cannot be reached", error), clock::now());
                }
                return;
            }
        };
        let (head, mut body) = response.into_parts();
        let Some(first) = engine() else { return };
        first.http_head(id, head.status, &head.headers, clock::now());
        drop(first);
        while let Some(frame) = body.frame().await {
            let Some(engine) = engine() else { return };
            match frame {
                Ok(frame) => {
                    if let Some(chunk) = frame.data_ref() {
                        engine.http_chunk(id, chunk, clock::now());
                    }
                }
                Err(error) => {
                    let error = failed("the answer of the server broke off", error);
                    return engine.http_failed(id, error, clock::now());
                }
            }
        }
        if let Some(engine) = engine() {
            engine.http_end(id, clock::now());
        }
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

/// The error with the words of all its causes: those of the outermost say little.
fn failed(what: &str, error: impl std::error::Error + Send + Sync + 'static) -> Error {
    let mut text = format!("{what}: {error}");
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    Error::new(ErrorKind::Io, text).caused_by(error).retryable()
}
