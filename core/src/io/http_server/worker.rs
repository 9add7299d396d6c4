//! One thread of a server: accepts, serves, and leaves when it is told to.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

use super::super::clock;
use super::super::http::Setup;
use super::connections::{Connections, Graceful};
use crate::error::Result;

/// The least that hyper takes as its buffer.
const LEAST_HEAD: usize = 8192;

/// Headers of one request.
const HEADERS: usize = 128;

/// How long accepting rests when the process has no descriptor to spare: the connection stays in the queue.
const REST: Duration = Duration::from_millis(50);

pub(super) struct Worker {
    runtime: Runtime,
    listener: std::net::TcpListener,
    protocol: Protocol,
    stop: watch::Receiver<Option<Duration>>,
}

#[derive(Clone)]
enum Protocol {
    Http1(http1::Builder, Setup),
    /// HTTP/1 and HTTP/2, told apart by the first bytes.
    Both(auto::Builder<TokioExecutor>, Setup),
}

impl Worker {
    pub fn new(
        listener: std::net::TcpListener,
        setup: Setup,
        http2: bool,
        stop: watch::Receiver<Option<Duration>>,
    ) -> Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let head = setup.engine.limits().header_bytes;
        let protocol = if http2 { both(setup, head) } else { http1(setup, head) };
        Ok(Self { runtime, listener, protocol, stop })
    }

    /// Serves until it is told to stop and the connections are over, or their time is. Those that are left are dropped with the
    /// runtime, which takes their requests back.
    pub fn run(self) {
        let Self { runtime, listener, protocol, mut stop } = self;
        let connections = Arc::<Connections>::default();
        runtime.block_on(async {
            match TcpListener::from_std(listener) {
                Ok(listener) => accept(&listener, &protocol, &connections, &mut stop).await,
                Err(error) => tracing::error!(%error, "a listener cannot be used"),
            }
            connections.end();
            loop {
                let at = *stop.borrow_and_update();
                let left = at.unwrap_or_default().saturating_sub(clock::now().monotonic);
                tokio::select! {
                    () = connections.none_left() => return,
                    () = tokio::time::sleep(left) => return,
                    changed = stop.changed() => if changed.is_err() { return },
                }
            }
        });
    }
}

fn http1(setup: Setup, head: usize) -> Protocol {
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(setup.pause)
        .max_headers(HEADERS)
        .max_buf_size(head.max(LEAST_HEAD));
    Protocol::Http1(builder, setup)
}

fn both(setup: Setup, head: usize) -> Protocol {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(setup.pause)
        .max_headers(HEADERS)
        .max_buf_size(head.max(LEAST_HEAD));
    let head = u32::try_from(head).unwrap_or(u32::MAX);
    builder.http2().timer(TokioTimer::new()).max_header_list_size(head);
    Protocol::Both(builder, setup)
}

/// Accepts until the server stops.
async fn accept(
    listener: &TcpListener,
    protocol: &Protocol,
    connections: &Arc<Connections>,
    stop: &mut watch::Receiver<Option<Duration>>,
) {
    loop {
        let accepted = tokio::select! {
            biased;
            _ = stop.wait_for(Option::is_some) => return,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => protocol.serve(stream, connections),
            Err(error) if is_of_one_connection(&error) => {}
            Err(error) => {
                tracing::warn!(%error, "no connection can be accepted");
                tokio::time::sleep(REST).await;
            }
        }
    }
}

fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}

impl Protocol {
    fn serve(&self, stream: TcpStream, connections: &Arc<Connections>) {
        // Small answers must not wait for the client's acknowledgement of earlier ones.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY");
        }
        let stream = TokioIo::new(stream);
        match self {
            Self::Http1(builder, setup) => {
                let served = connections.serve(builder.serve_connection(stream, setup.clone()));
                tokio::spawn(async move {
                    if let Err(error) = served.await {
                        tracing::debug!(%error, "a connection ended");
                    }
                });
            }
            Self::Both(builder, setup) => {
                let served = connections.serve(builder.serve_connection(stream, setup.clone()).into_owned());
                tokio::spawn(async move {
                    if let Err(error) = served.await {
                        tracing::debug!(error, "a connection ended");
                    }
                });
            }
        }
    }
}

impl Graceful for http1::Connection<TokioIo<TcpStream>, Setup> {
    fn end(self: Pin<&mut Self>) {
        self.graceful_shutdown();
    }
}

impl Graceful for auto::Connection<'static, TokioIo<TcpStream>, Setup, TokioExecutor> {
    fn end(self: Pin<&mut Self>) {
        self.graceful_shutdown();
    }
}
