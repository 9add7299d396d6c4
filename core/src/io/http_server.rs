//! A server on a TCP port: a few threads, each with its own runtime, that accept from one listener.
//!
//! A connection stays on the thread that accepted it; nothing of a request moves between threads unless its handler does.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr, TcpListener, ToSocketAddrs};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;
use std::time::Duration;

use http::Request;
use hyper::body::Incoming;
use tokio::sync::watch;

use super::http::{Answer, Body, Setup};
use super::{clock, timers};
use crate::engine::Engine;
use crate::engine::http::HttpOptions;
use crate::error::{Error, ErrorKind, Result};
use crate::protocol::http::origin::{Cors, OriginPolicy, OriginSettings};

mod connections;
mod worker;

/// How a server is reached, and with what it serves.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HttpServerOptions {
    /// The name or address to bind to; IPv6 addresses with or without brackets.
    pub host: String,
    /// 0 takes any free one; see [`HttpServer::local_addr`].
    pub port: u16,
    /// The path of the MCP endpoint.
    pub path: String,
    /// The paths of the two HTTP+SSE endpoints of 2024-11-05: the stream's, and the one to post to.
    pub sse: Option<(String, String)>,
    pub origin: OriginSettings,
    pub cors: Option<Cors>,
    /// Whether answers are always JSON and never event streams.
    pub json_only: bool,
    /// Threads; as many as this process may use processors when absent.
    pub threads: Option<usize>,
    /// Whether clients may speak HTTP/2 without TLS to it.
    pub http2: bool,
    /// How long a client may take for the head of a request, or pause within a body.
    pub pause: Duration,
}

impl HttpServerOptions {
    /// Options for a server on that host and port, with the usual paths.
    pub fn new(host: impl Into<String>, port: u16) -> Self {
        Self {
            host: host.into(),
            port,
            path: "/mcp".to_owned(),
            sse: Some(("/sse".to_owned(), "/messages/".to_owned())),
            origin: OriginSettings::default(),
            cors: None,
            json_only: false,
            threads: None,
            http2: false,
            pause: Duration::from_secs(30),
        }
    }

    fn http(&self, bound: IpAddr) -> Result<HttpOptions> {
        let mut options = HttpOptions::new(OriginPolicy::new(bound, &self.origin)?);
        options.path.clone_from(&self.path);
        options.sse.clone_from(&self.sse);
        options.cors.clone_from(&self.cors);
        options.json_only = self.json_only;
        Ok(options)
    }
}

/// A server that runs. It stops when it is dropped.
pub struct HttpServer {
    engine: Arc<Engine>,
    address: SocketAddr,
    /// When to be over, once that is decided: time of the monotonic clock.
    stop: watch::Sender<Option<Duration>>,
    running: Arc<Running>,
}

/// The threads that are not over yet.
#[derive(Default)]
struct Running {
    threads: Mutex<Vec<ThreadId>>,
    changed: Condvar,
}

impl Running {
    fn threads(&self) -> MutexGuard<'_, Vec<ThreadId>> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HttpServer {
    /// Binds and serves.
    ///
    /// # Errors
    /// `Io` when the host is unknown or the port is taken; `Definition` when the host is open to others and no host is allowed.
    pub fn bind(engine: &Arc<Engine>, options: &HttpServerOptions) -> Result<Self> {
        let listener = listen(&options.host, options.port)?;
        let address = listener.local_addr()?;
        let setup = Setup {
            engine: Arc::clone(engine),
            options: Arc::new(options.http(address.ip())?),
            pause: Some(options.pause),
        };
        timers::drive(engine);
        let server =
            Self { engine: Arc::clone(engine), address, stop: watch::Sender::new(None), running: Arc::default() };
        let count = options.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        listener.set_nonblocking(true)?;
        for _ in 0..count.max(1) {
            server.start(&listener, &setup, options)?;
        }
        Ok(server)
    }

    fn start(&self, listener: &TcpListener, setup: &Setup, options: &HttpServerOptions) -> Result<()> {
        let worker = worker::Worker::new(listener.try_clone()?, setup.clone(), options.http2, self.stop.subscribe())?;
        let running = Arc::clone(&self.running);
        // Held until its entry is made, so that a thread cannot leave before it came.
        let mut threads = self.running.threads();
        let thread = std::thread::Builder::new().name("omniport-http".into()).spawn(move || {
            worker.run();
            running.threads().retain(|thread| *thread != std::thread::current().id());
            running.changed.notify_all();
        })?;
        threads.push(thread.thread().id());
        Ok(())
    }

    /// Where it listens.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Waits until it is over.
    pub fn wait(&self) {
        let mut threads = self.running.threads();
        while !threads.is_empty() {
            threads = self.running.changed.wait(threads).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Whether it is over.
    pub fn is_over(&self) -> bool {
        self.running.threads().is_empty()
    }

    /// Stops: accepts nothing more, ends idle connections and streams at once, lets running requests finish for at most `grace`,
    /// and cancels the others. Returns when all is over; called by a handler on one of the server's own threads, it only begins it.
    /// A second call may shorten the grace.
    pub fn shutdown(&self, grace: Duration) {
        self.engine.drain();
        self.stop_at(clock::now().monotonic + grace);
        self.engine.end_streams();
        if !self.running.threads().contains(&std::thread::current().id()) {
            self.wait();
        }
    }

    fn stop_at(&self, at: Duration) {
        self.stop.send_if_modified(|stop| {
            let sooner = stop.is_none_or(|before| at < before);
            if sooner {
                *stop = Some(at);
            }
            sooner
        });
    }

    /// Serves until it is over, SIGTERM comes or Ctrl-C is pressed; then stops with the engine's `shutdown_grace`. A second signal
    /// stops it at once. Without this call signals are the process's own affair.
    ///
    /// # Errors
    /// When the handlers cannot be set.
    pub fn wait_or_signal(&self) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let mut signals = Signals::new()?;
            tokio::select! {
                () = signals.next() => {}
                // Every worker holds a receiver until its end.
                () = self.stop.closed() => return Ok(()),
            }
            self.engine.drain();
            self.stop_at(clock::now().monotonic + self.engine.limits().shutdown_grace);
            self.engine.end_streams();
            tokio::select! {
                () = signals.next() => self.stop_at(clock::now().monotonic),
                () = self.stop.closed() => {}
            }
            Ok::<_, Error>(())
        })?;
        self.wait();
        Ok(())
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.stop_at(clock::now().monotonic);
    }
}

/// The signals that ask a server to stop.
struct Signals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

impl Signals {
    fn new() -> Result<Self> {
        Ok(Self {
            #[cfg(unix)]
            terminate: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?,
        })
    }

    #[cfg(unix)]
    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = tokio::signal::ctrl_c() => {}
        }
    }

    #[cfg(not(unix))]
    async fn next(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}

/// Binds to the first address of the host that can be bound to. No port is shared: a second server must fail.
fn listen(host: &str, port: u16) -> Result<TcpListener> {
    let wrap = |error: std::io::Error| {
        Error::new(ErrorKind::Io, format!("cannot listen on {host}:{port}: {error}")).caused_by(error)
    };
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let mut addresses: Vec<_> = (bare, port).to_socket_addrs().map_err(wrap)?.collect();
    // `localhost` has addresses of both kinds; clients that try only one try IPv4.
    addresses.sort_by_key(SocketAddr::is_ipv6);
    TcpListener::bind(&*addresses).map_err(wrap)
}

impl hyper::service::Service<Request<Incoming>> for Setup {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Answer<Incoming>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        Answer::new(self.clone(), request)
    }
}
