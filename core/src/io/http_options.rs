//! How a client reaches its server over HTTP: headers, certificates, proxy, cookies, socket.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use http::{HeaderMap, HeaderName};
use serde::Deserialize;

use crate::error::{Error, Result};
use crate::protocol::http::client::user_header;

/// The HTTP settings of one client.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct HttpOptions {
    /// In every request. The protocol's own headers win; they go to the origin of the URL and nowhere else (security 25).
    pub headers: HeaderMap,
    /// Certificate authorities besides those of the system.
    pub ca: Vec<Pem>,
    /// Who the client is, for servers that ask for a certificate.
    pub identity: Option<Identity>,
    /// Accepts every certificate. The traffic can then be read and changed by whoever is between; one warning says so.
    pub accept_any_certificate: bool,
    /// What stands between the client and its server.
    pub proxy: ProxyChoice,
    /// Forgets the cookies that the server sets. Otherwise they are kept in memory and sent back to its origin: balancers find the
    /// replica that holds a session by them (Y20).
    pub no_cookies: bool,
    /// The Unix socket that the server listens on. The URL then only says what is asked for; no proxy applies.
    pub socket: Option<PathBuf>,
}

/// Where text in the PEM format is.
#[derive(Clone)]
pub enum Pem {
    /// In a file, which is read when the client connects.
    File(PathBuf),
    /// Here.
    Text(String),
}

/// The certificate of a client, and its private key.
#[derive(Clone)]
pub struct Identity {
    /// The certificate first, then those that lead to its authority.
    pub certificates: Pem,
    /// The private key: PKCS#8, PKCS#1 or SEC 1. Where it is `None`, it is in the file of the certificates.
    pub key: Option<Pem>,
}

/// Which proxy is used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProxyChoice {
    /// What `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` say, in capitals or not; where none is set, what the system is set
    /// to. Servers on this machine (`localhost`, 127.0.0.0/8, `::1`) are reached directly (Y05).
    #[default]
    Environment,
    /// None.
    Off,
    /// This one, whatever the server: `http://`, `https://`, `socks5://` (names are resolved here) or `socks5h://` (by the proxy), with
    /// `user:password@` where it wants that.
    Url(String),
    /// As [`ProxyChoice::Environment`], with these values instead of the environment's.
    Variables(ProxyVariables),
}

/// The values of the variables that name a proxy; empty ones are not set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProxyVariables {
    /// `HTTPS_PROXY`: for `https` URLs.
    pub https: String,
    /// `HTTP_PROXY`: for `http` URLs.
    pub http: String,
    /// `ALL_PROXY`: for those that have none of their own.
    pub all: String,
    /// `NO_PROXY`: hosts, domains with all below them, addresses and networks that are reached directly; `*` for all.
    pub no: String,
}

/// Headers, keys and addresses of proxies are secrets (Y28).
impl fmt::Debug for HttpOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.keys().map(HeaderName::as_str).collect();
        f.debug_struct("HttpOptions").field("headers", &names).finish_non_exhaustive()
    }
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Members {
    headers: BTreeMap<String, String>,
    ca_file: Option<PathBuf>,
    ca_pem: Option<String>,
    client_cert: Option<PathBuf>,
    client_key: Option<PathBuf>,
    verify: Option<bool>,
    proxy: Option<String>,
    cookies: Option<bool>,
    socket: Option<PathBuf>,
}

impl HttpOptions {
    /// Settings with these headers.
    pub fn with_headers(headers: HeaderMap) -> Self {
        Self { headers, ..Self::default() }
    }

    /// Reads settings as a language gives them: a JSON object with the members `headers`, `ca_file`, `ca_pem`, `client_cert`,
    /// `client_key`, `verify`, `proxy` (a URL, `env` or `off`), `cookies` and `socket`, all optional.
    ///
    /// # Errors
    /// `Definition` that names the member. Values of headers are never quoted.
    pub fn parse(text: &str) -> Result<Self> {
        let members: Members =
            serde_json::from_str(text).map_err(|error| Error::definition(format!("the HTTP options: {error}")))?;
        if members.client_key.is_some() && members.client_cert.is_none() {
            return Err(Error::definition("`client_key` needs `client_cert`, the certificate that belongs to it"));
        }
        let ca_file = members.ca_file.map(Pem::File);
        Ok(Self {
            headers: members.headers.iter().map(|(name, value)| user_header(name, value)).collect::<Result<_>>()?,
            ca: ca_file.into_iter().chain(members.ca_pem.map(Pem::Text)).collect(),
            identity: members.client_cert.map(|certificates| Identity {
                certificates: Pem::File(certificates),
                key: members.client_key.map(Pem::File),
            }),
            accept_any_certificate: members.verify == Some(false),
            proxy: match members.proxy.as_deref() {
                None | Some("env") => ProxyChoice::Environment,
                Some("off" | "") => ProxyChoice::Off,
                Some(url) => ProxyChoice::Url(url.to_owned()),
            },
            no_cookies: members.cookies == Some(false),
            socket: members.socket,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn y06_members_are_read() {
        let text = r#"{"headers":{"Authorization":"Bearer s3cr3t"},"ca_file":"/a","ca_pem":"-","client_cert":"/c","verify":false,
            "proxy":"off","cookies":false,"socket":"/s"}"#;
        let options = HttpOptions::parse(text).unwrap();
        assert_eq!(options.headers["authorization"], "Bearer s3cr3t");
        assert!(options.headers["authorization"].is_sensitive());
        assert!(matches!(&options.ca[..], [Pem::File(_), Pem::Text(_)]));
        assert!(options.identity.is_some_and(|identity| identity.key.is_none()));
        assert!(options.accept_any_certificate && options.no_cookies && options.socket.is_some());
        assert_eq!(options.proxy, ProxyChoice::Off);
        assert_eq!(HttpOptions::parse("{}").unwrap().proxy, ProxyChoice::Environment);
    }

    #[test]
    fn y28_errors_name_the_member_and_no_secret() {
        let error = HttpOptions::parse(r#"{"headers":{"X-Key":"s3c\nr3t"}}"#).unwrap_err();
        assert!(error.message().contains("X-Key") && !error.message().contains("s3c"), "{error}");
        assert!(HttpOptions::parse(r#"{"ca":"/a"}"#).unwrap_err().message().contains("`ca`"));
        assert!(HttpOptions::parse(r#"{"client_key":"/k"}"#).unwrap_err().message().contains("client_cert"));
        let shown = format!("{:?}", HttpOptions::parse(r#"{"headers":{"a":"s3cr3t"}}"#).unwrap());
        assert!(!shown.contains("s3cr3t"), "{shown}");
    }
}
