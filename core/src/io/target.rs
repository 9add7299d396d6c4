//! Where a server is, for every language: a command, a URL, a server of this process, or an entry of a hosts' configuration file.

use std::fmt;
use std::sync::Arc;

use tokio::runtime::Handle;

use super::child::ChildSpec;
use super::client::ClientConnection;
use super::http_options::HttpOptions;
use super::{client_http, client_memory, client_stdio};
use crate::engine::Engine;
use crate::engine::client::{ClientHost, ClientOptions};

mod entry;
mod expand;
mod given;

pub use expand::{Variables, environment};

/// Where a server is. Made of an address, of a command, or of a server of this process:
///
/// ```no_run
/// use omniport::api::Server;
/// use omniport::api::client::Client;
///
/// # async fn connect() -> omniport::error::Result<()> {
/// let remote = Client::connect("http://127.0.0.1:8000/mcp").await?;
/// let child = Client::connect(["python", "server.py"]).await?;
/// let here = Client::connect(&Server::new("demo").build()?).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub enum Target {
    /// A process that speaks over its standard streams.
    Command(ChildSpec),
    /// An HTTP endpoint, and how it is reached.
    Url { url: String, http: Box<HttpOptions> },
    /// A server of this process. Messages cross as text, as they would on a wire.
    Server(Arc<Engine>),
}

impl Target {
    /// A program with arguments, started without a shell; see [`ChildSpec`] for environment and directory.
    pub fn command<S: Into<String>>(argv: impl IntoIterator<Item = S>) -> Self {
        Self::Command(ChildSpec { argv: argv.into_iter().map(Into::into).collect(), ..ChildSpec::default() })
    }

    /// An HTTP endpoint without headers of the user's.
    pub fn url(url: impl Into<String>) -> Self {
        Self::Url { url: url.into(), http: Box::default() }
    }

    /// Replaces how the server is reached over HTTP. Headers that the target has already are kept, unless these name them too. Other
    /// targets have none of it.
    pub fn set_http(&mut self, options: HttpOptions) {
        if let Self::Url { http, .. } = self {
            let before = std::mem::replace(&mut **http, options);
            let given = std::mem::replace(&mut http.headers, before.headers);
            http.headers.extend(given);
        }
    }

    /// Connects, on that runtime. What goes wrong is the result of [`ClientConnection::opened`].
    pub fn connect(self, runtime: &Handle, options: ClientOptions, host: Arc<dyn ClientHost>) -> ClientConnection {
        match self {
            Self::Command(spec) => client_stdio::connect_command(runtime, options, spec, host),
            Self::Url { url, http } => client_http::connect_url(runtime, options, &url, &http, host),
            Self::Server(server) => client_memory::connect_engine(runtime, options, &server, host),
        }
    }
}

impl From<&str> for Target {
    fn from(url: &str) -> Self {
        Self::url(url)
    }
}

impl From<String> for Target {
    fn from(url: String) -> Self {
        Self::url(url)
    }
}

impl<const N: usize> From<[&str; N]> for Target {
    fn from(argv: [&str; N]) -> Self {
        Self::command(argv)
    }
}

impl From<Vec<String>> for Target {
    fn from(argv: Vec<String>) -> Self {
        Self::command(argv)
    }
}

impl From<ChildSpec> for Target {
    fn from(spec: ChildSpec) -> Self {
        Self::Command(spec)
    }
}

/// Names what may be in a log: of a URL neither user nor query, of headers the names (Y28, security 53).
impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(spec) => f.debug_tuple("Command").field(spec).finish(),
            Self::Url { url, http } => {
                let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
                let end = rest.find(['?', '#']).unwrap_or(rest.len());
                let (authority, path) = rest[..end].split_at(rest[..end].find('/').unwrap_or(end));
                let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
                let names: Vec<_> = http.headers.keys().collect();
                f.debug_struct("Url")
                    .field("url", &format_args!("{scheme}://{host}{path}"))
                    .field("headers", &names)
                    .finish()
            }
            Self::Server(_) => f.write_str("Server"),
        }
    }
}

#[cfg(test)]
#[path = "target/tests.rs"]
mod tests;
