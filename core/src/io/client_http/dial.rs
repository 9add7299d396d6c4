//! Opens connections: directly, through a proxy, or to a Unix socket; encrypted where the URL says so.

use std::fmt;
use std::future::Future;
use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use http::uri::Scheme;
use hyper_util::client::legacy::connect::proxy::{SocksV5, Tunnel};
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time;
use tokio_rustls::TlsConnector;
use tower_service::Service;

use super::proxy::{Kind, Proxy};
use super::tls::Tls;

/// An idle connection is probed that often, so that one whose other end vanished is noticed (X06).
const KEEP_ALIVE: Duration = Duration::from_secs(30);
/// Probes that may be lost.
const KEEP_ALIVE_TRIES: u32 = 3;

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// What opens the connections of one client. Each must be there within `limit`: name, TCP, proxy and TLS together.
#[derive(Clone)]
pub struct Dialer {
    tcp: HttpConnector,
    way: Arc<Way>,
    tls: Option<Tls>,
    limit: Duration,
}

/// How the server is reached.
pub enum Way {
    Direct,
    Proxy(Proxy),
    Socket(PathBuf),
}

impl Dialer {
    /// `tls` is needed where the server or the proxy is reached by `https`.
    pub fn new(way: Way, tls: Option<Tls>, limit: Duration) -> Self {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        // Small requests and answers: to wait for more bytes would only cost time.
        tcp.set_nodelay(true);
        tcp.set_keepalive(Some(KEEP_ALIVE));
        tcp.set_keepalive_interval(Some(KEEP_ALIVE / KEEP_ALIVE_TRIES));
        tcp.set_keepalive_retries(Some(KEEP_ALIVE_TRIES));
        // What was sent and is not acknowledged counts like a lost probe; the system's own patience is a quarter of an hour.
        #[cfg(any(target_os = "android", target_os = "linux"))]
        tcp.set_tcp_user_timeout(Some(KEEP_ALIVE * 2));
        Self { tcp, way: Arc::new(way), tls, limit }
    }

    async fn dial(self, to: Uri) -> Result<Stream, BoxError> {
        let encrypted = to.scheme() == Some(&Scheme::HTTPS);
        let tls = self.tls.as_ref().map(|tls| &tls.server);
        let io: Io = match &*self.way {
            Way::Direct => tcp(self.tcp, to.clone()).await?,
            Way::Socket(path) => socket(path).await?,
            Way::Proxy(Proxy { uri, kind: Kind::Socks { local, auth } }) => {
                let mut socks = SocksV5::new(uri.clone(), self.tcp).local_dns(*local);
                if let Some((user, password)) = auth.clone() {
                    socks = socks.with_auth(user, password);
                }
                Box::new(socks.call(to.clone()).await?.into_inner())
            }
            Way::Proxy(Proxy { uri, kind: Kind::Http(auth) }) => {
                let opener = Opener { tcp: self.tcp, tls: self.tls.as_ref().map(|tls| Arc::clone(&tls.proxy)) };
                if !encrypted {
                    return Ok(Stream { io: opener.open(uri.clone()).await?, h2: false, proxied: true });
                }
                let mut tunnel = Tunnel::new(uri.clone(), opener);
                if let Some(auth) = auth.clone() {
                    tunnel = tunnel.with_auth(auth);
                }
                tunnel.call(to.clone()).await?.into_inner()
            }
        };
        match (encrypted, tls) {
            (false, _) => Ok(Stream { io, h2: false, proxied: false }),
            (true, Some(tls)) => encrypt(io, &to, tls).await,
            (true, None) => Err("the client was not set up for https".into()),
        }
    }
}

async fn tcp(mut connector: HttpConnector, to: Uri) -> Result<Io, BoxError> {
    Ok(Box::new(connector.call(to).await?.into_inner()))
}

#[cfg(unix)]
async fn socket(path: &std::path::Path) -> Result<Io, BoxError> {
    Ok(Box::new(tokio::net::UnixStream::connect(path).await?))
}

#[cfg(not(unix))]
async fn socket(_: &std::path::Path) -> Result<Io, BoxError> {
    Err("this system has no Unix sockets".into())
}

async fn encrypt(io: Io, to: &Uri, tls: &Arc<ClientConfig>) -> Result<Stream, BoxError> {
    let host = to.host().ok_or("the URL has no host")?;
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let name = ServerName::try_from(host.to_owned())?;
    let io = TlsConnector::from(Arc::clone(tls)).connect(name, io).await?;
    let h2 = io.get_ref().1.alpn_protocol() == Some(b"h2");
    Ok(Stream { io: Box::new(io), h2, proxied: false })
}

impl Service<Uri> for Dialer {
    type Response = TokioIo<Stream>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, to: Uri) -> Self::Future {
        let dialer = self.clone();
        Box::pin(async move {
            let limit = dialer.limit;
            match time::timeout(limit, dialer.dial(to)).await {
                Ok(stream) => stream.map(TokioIo::new),
                Err(_) => Err(TooSlow(limit).into()),
            }
        })
    }
}

/// There is no connection after the time that was given for it.
#[derive(Debug)]
pub struct TooSlow(Duration);

impl fmt::Display for TooSlow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no connection after {} s (limit `dial_for`)", self.0.as_secs_f64())
    }
}

impl std::error::Error for TooSlow {}

/// Opens the connection to a proxy.
#[derive(Clone)]
struct Opener {
    tcp: HttpConnector,
    tls: Option<Arc<ClientConfig>>,
}

impl Opener {
    async fn open(self, to: Uri) -> Result<Io, BoxError> {
        let io = tcp(self.tcp, to.clone()).await?;
        match (to.scheme() == Some(&Scheme::HTTPS), &self.tls) {
            (false, _) => Ok(io),
            (true, Some(tls)) => Ok(encrypt(io, &to, tls).await?.io),
            (true, None) => Err("the client was not set up for https".into()),
        }
    }
}

impl Service<Uri> for Opener {
    type Response = TokioIo<Io>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, to: Uri) -> Self::Future {
        let opener = self.clone();
        Box::pin(async move { opener.open(to).await.map(TokioIo::new) })
    }
}

/// Both directions of a connection.
trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

type Io = Box<dyn Duplex>;

/// An open connection, and what is spoken on it.
pub struct Stream {
    io: Io,
    h2: bool,
    proxied: bool,
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        let connected = Connected::new().proxy(self.proxied);
        if self.h2 { connected.negotiated_h2() } else { connected }
    }
}

impl AsyncRead for Stream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, into)
    }
}

impl AsyncWrite for Stream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, from: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, from)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        from: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(cx, from)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }
}
