//! Ways to serve: on this process's pipes, on a port, under another server's roof.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use super::app::App;
use super::server::Server;
use crate::engine::http::HttpOptions;
use crate::error::{Error, ErrorKind, Result};
use crate::io::http_server::{HttpServer, HttpServerOptions};
use crate::io::service::McpService;
use crate::protocol::http::origin::{Cors, OriginPolicy};

/// How an HTTP server is reached. Made of an address (`"127.0.0.1:8000"`, `"localhost:0"`, `"[::1]:8000"`), with the usual paths.
#[derive(Clone, Debug)]
pub struct HttpConfig {
    options: HttpServerOptions,
    /// An address that cannot be read; told when the server is started.
    fault: Option<String>,
}

impl HttpConfig {
    /// Listens on that host and port; port 0 takes any free one.
    pub fn new(address: impl AsRef<str>) -> Self {
        let address = address.as_ref();
        let parts = address.rsplit_once(':').and_then(|(host, port)| Some((host, port.parse().ok()?)));
        let (host, port) = parts.unwrap_or_default();
        Self {
            options: HttpServerOptions::new(host, port),
            fault: (host.is_empty()).then(|| format!("{address:?} is no address of the form host:port")),
        }
    }

    /// Sets the path of the MCP endpoint; `/mcp` by default.
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.options.path = path.into();
        self
    }

    /// Sets the paths of the HTTP+SSE endpoints of 2024-11-05: the stream's and the one to post to; `/sse` and `/messages/` by default.
    pub fn sse(mut self, stream: impl Into<String>, post: impl Into<String>) -> Self {
        self.options.sse = Some((stream.into(), post.into()));
        self
    }

    /// Does not serve HTTP+SSE.
    pub fn without_sse(mut self) -> Self {
        self.options.sse = None;
        self
    }

    /// Adds a name that clients reach the server by: `mcp.example.com`, `mcp.example.com:8443`, `mcp.example.com:*`. A server on
    /// another address than loopback needs one.
    pub fn allowed_host(mut self, host: impl Into<String>) -> Self {
        self.options.origin.allowed_hosts.push(host.into());
        self
    }

    /// Adds an origin whose pages may use the server: `https://app.example.com`.
    pub fn allowed_origin(mut self, origin: impl Into<String>) -> Self {
        self.options.origin.allowed_origins.push(origin.into());
        self
    }

    /// Accepts every `Host` header: only behind something that checks it.
    pub fn allow_any_host(mut self) -> Self {
        self.options.origin.allow_any_host = true;
        self
    }

    /// Sets the answers to cross-origin requests of browsers.
    pub fn cors(mut self, cors: Cors) -> Self {
        self.options.cors = Some(cors);
        self
    }

    /// Answers with JSON always, and never with event streams.
    pub fn json_only(mut self) -> Self {
        self.options.json_only = true;
        self
    }

    /// Sets the number of threads; as many as there are processors by default.
    pub fn threads(mut self, threads: usize) -> Self {
        self.options.threads = Some(threads);
        self
    }

    /// Lets clients speak HTTP/2 without TLS.
    pub fn http2(mut self) -> Self {
        self.options.http2 = true;
        self
    }
}

impl From<&str> for HttpConfig {
    fn from(address: &str) -> Self {
        Self::new(address)
    }
}

impl From<String> for HttpConfig {
    fn from(address: String) -> Self {
        Self::new(address)
    }
}

impl From<SocketAddr> for HttpConfig {
    fn from(address: SocketAddr) -> Self {
        Self::new(address.to_string())
    }
}

impl App {
    /// Serves on stdin and stdout until the client leaves. Both are taken: a `print` goes to stderr from now on.
    ///
    /// # Errors
    /// When stdin or stdout is closed or served already, or reading fails.
    #[cfg(unix)]
    pub async fn serve_stdio(&self) -> Result<()> {
        use crate::io::stdio::{self, StdioEnd};

        self.settle();
        let server = CloseOnDrop(stdio::serve_stdio(self.engine())?);
        let (tell, ended) = tokio::sync::oneshot::channel();
        server.0.on_end(move |end| {
            let _ = tell.send(end.clone());
        });
        match ended.await {
            Ok(StdioEnd::Failed(why)) => Err(Error::new(ErrorKind::Io, why)),
            Ok(StdioEnd::NoInput) => {
                tracing::warn!(target: "omniport", "{}", StdioEnd::NoInput);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Serves over HTTP until SIGTERM or Ctrl-C, then lets running calls finish for `Limits::shutdown_grace`.
    ///
    /// Handlers run on the server's own threads: a connection stays on one of them, and so does what it calls.
    ///
    /// # Errors
    /// When the address cannot be read or bound to, or is open to others and no host is allowed.
    pub async fn serve_http(&self, config: impl Into<HttpConfig>) -> Result<()> {
        let server = StopOnDrop(Arc::new(self.bind_http(config)?));
        let waiting = Arc::clone(&server.0);
        blocking(move || waiting.wait_or_signal()).await?
    }

    /// Serves over HTTP until `stop` ends, then lets running calls finish for `Limits::shutdown_grace`. Signals stay the program's.
    ///
    /// # Errors
    /// As those of [`App::serve_http`].
    pub async fn serve_http_until(&self, config: impl Into<HttpConfig>, stop: impl Future<Output = ()>) -> Result<()> {
        let server = StopOnDrop(Arc::new(self.bind_http(config)?));
        stop.await;
        let grace = self.engine().limits().shutdown_grace;
        let stopping = Arc::clone(&server.0);
        blocking(move || stopping.shutdown(grace)).await
    }

    /// Starts serving over HTTP and returns at once. The server stops when its handle is dropped or told to.
    ///
    /// # Errors
    /// As those of [`App::serve_http`].
    pub fn bind_http(&self, config: impl Into<HttpConfig>) -> Result<HttpServer> {
        let HttpConfig { options, fault } = config.into();
        match fault {
            Some(fault) => Err(Error::definition(fault)),
            None => HttpServer::bind(self.engine(), &options),
        }
    }

    /// A Tower service to mount in another server. The address of `config` stands for the one the outer server listens on: it decides
    /// which `Host` headers are allowed without being named.
    ///
    /// # Errors
    /// When the address is no IP address, or is open to others and no host is allowed.
    pub fn service(&self, config: impl Into<HttpConfig>) -> Result<McpService> {
        let HttpConfig { options, fault } = config.into();
        match fault {
            Some(fault) => Err(Error::definition(fault)),
            None => Ok(McpService::new(self.engine(), http_options(&options)?)),
        }
    }
}

fn http_options(options: &HttpServerOptions) -> Result<HttpOptions> {
    let bare = options.host.trim_start_matches('[').trim_end_matches(']');
    let address = match bare {
        "localhost" => IpAddr::V4(Ipv4Addr::LOCALHOST),
        _ => bare.parse().map_err(|_| Error::definition(format!("{bare:?} is no IP address")))?,
    };
    let mut http = HttpOptions::new(OriginPolicy::new(address, &options.origin)?);
    http.path.clone_from(&options.path);
    http.sse.clone_from(&options.sse);
    http.cors.clone_from(&options.cors);
    http.json_only = options.json_only;
    Ok(http)
}

impl Server {
    /// [`Server::build`] and [`App::serve_stdio`].
    ///
    /// # Errors
    /// Those of both.
    #[cfg(unix)]
    pub async fn serve_stdio(self) -> Result<()> {
        self.build()?.serve_stdio().await
    }

    /// [`Server::build`] and [`App::serve_http`].
    ///
    /// # Errors
    /// Those of both.
    pub async fn serve_http(self, config: impl Into<HttpConfig>) -> Result<()> {
        self.build()?.serve_http(config).await
    }
}

/// Waits for something that blocks its thread.
async fn blocking<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> Result<R> {
    tokio::task::spawn_blocking(work).await.map_err(|error| Error::internal(error.to_string()))
}

/// Ends the server when its future is dropped.
struct StopOnDrop(Arc<HttpServer>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.shutdown(Duration::ZERO);
    }
}

#[cfg(unix)]
struct CloseOnDrop(crate::io::stdio::StdioHandle);

#[cfg(unix)]
impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.close(Duration::ZERO);
    }
}
