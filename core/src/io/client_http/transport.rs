//! Sends the requests of one client to its server, and follows it where it sends them within its own origin.

use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, LOCATION, PROXY_AUTHORIZATION, USER_AGENT};
use http::{HeaderValue, Method, Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Body, Incoming};
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};

use super::super::http_options::HttpOptions;
use super::address::{self, Address};
use super::cookies::Jar;
use super::dial::{Dialer, Way};
use super::failure;
use super::proxy::{self, Kind, Proxy};
use super::tls::Tls;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;

/// How long an unused connection is kept. Many servers close theirs after 5 s, and a request that meets that moment is lost; to open
/// one anew costs little without encryption.
const IDLE: Duration = Duration::from_secs(4);
const IDLE_ENCRYPTED: Duration = Duration::from_secs(60);
/// Unused connections kept.
const IDLE_CONNECTIONS: usize = 128;
/// An HTTP/2 connection with requests under way is asked that often whether it is alive (X06), and given that long.
const PING_EVERY: Duration = Duration::from_secs(30);
const PING_FOR: Duration = Duration::from_secs(15);
/// Bytes of a redirect's body that are read so that its connection can be used again.
const REDIRECT_BYTES: usize = 16 << 10;

const USER: HeaderValue = HeaderValue::from_static(concat!("omniport/", env!("CARGO_PKG_VERSION")));
const GZIP: HeaderValue = HeaderValue::from_static("gzip");

/// The way to one server.
pub struct Transport {
    client: Client<Dialer, Full<Bytes>>,
    address: Address,
    host: String,
    /// Names the proxy in errors.
    via: String,
    /// What a proxy wants in each request that it forwards in the clear.
    proxy_auth: Option<HeaderValue>,
    jar: Option<Jar>,
    redirects: usize,
}

impl Transport {
    /// Reads the options; opens no connection yet.
    ///
    /// # Errors
    /// `InvalidParams` for the URL, `Definition` for an option that cannot be used.
    pub fn open(url: &str, options: &HttpOptions, limits: &Limits) -> Result<Self> {
        let address = Address::parse(url)?;
        let proxy = proxy::find(options, &address)?;
        let encrypted = address.is_https();
        let needs_tls = encrypted || proxy.as_ref().is_some_and(|proxy| proxy.uri.scheme_str() == Some("https"));
        let tls = needs_tls.then(|| Tls::new(options)).transpose()?;
        let proxy_auth = match &proxy {
            Some(Proxy { kind: Kind::Http(auth), .. }) if !encrypted => auth.clone(),
            _ => None,
        };
        let via = proxy.as_ref().map_or_else(String::new, |proxy| format!(" through the proxy {}", proxy.uri));
        let way = match (&options.socket, proxy) {
            (Some(path), _) => Way::Socket(path.clone()),
            (None, Some(proxy)) => Way::Proxy(proxy),
            (None, None) => Way::Direct,
        };
        let client = Client::builder(TokioExecutor::new())
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(if encrypted { IDLE_ENCRYPTED } else { IDLE })
            .pool_max_idle_per_host(IDLE_CONNECTIONS)
            .http2_keep_alive_interval(PING_EVERY)
            .http2_keep_alive_timeout(PING_FOR)
            .build(Dialer::new(way, tls, limits.dial_for));
        Ok(Self {
            client,
            host: address.host(),
            via,
            address,
            proxy_auth,
            jar: (!options.no_cookies).then(Jar::default),
            redirects: limits.redirects,
        })
    }

    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Sends a request; the head of its answer. A redirect within the origin is followed, none leaves it (security 25).
    ///
    /// # Errors
    /// `Io` with every fact known, `Refused` for a redirect that is not followed.
    pub async fn send(&self, mut request: Request<Bytes>) -> Result<Response<Incoming>> {
        let headers = request.headers_mut();
        headers.entry(USER_AGENT).or_insert(USER);
        headers.insert(ACCEPT_ENCODING, GZIP);
        if let Some(auth) = &self.proxy_auth {
            headers.insert(PROXY_AUTHORIZATION, auth.clone());
        }
        for _ in 0..=self.redirects {
            let response = self.send_once(request.clone()).await?;
            let Some(next) = self.next(&request, &response)? else { return Ok(response) };
            *request.uri_mut() = next;
            let body = response.into_body();
            if body.size_hint().upper().is_some_and(|bytes| bytes <= REDIRECT_BYTES as u64) {
                // Whether it arrives does not matter.
                let _ = Limited::new(body, REDIRECT_BYTES).collect().await;
            }
        }
        let error = Error::limit("redirects", self.redirects, "the number of redirects of one request");
        Err(error.with("url", self.address.shown()).with("sent", "yes"))
    }

    async fn send_once(&self, mut request: Request<Bytes>) -> Result<Response<Incoming>> {
        let Some(jar) = &self.jar else { return self.exchange(request).await };
        let path = request.uri().path().to_owned();
        jar.add(request.headers_mut(), &path);
        let response = self.exchange(request).await?;
        jar.keep(response.headers(), &self.host, &path);
        Ok(response)
    }

    async fn exchange(&self, request: Request<Bytes>) -> Result<Response<Incoming>> {
        let sent = self.client.request(request.map(Full::new)).await;
        sent.map_err(|error| failure::unanswered(&error, &self.address, &self.via))
    }

    /// Where the answer sends the request, if it does.
    fn next(&self, request: &Request<Bytes>, response: &Response<Incoming>) -> Result<Option<Uri>> {
        let status = response.status();
        let keeps_method = matches!(status, StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
        let may_change = matches!(status, StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND | StatusCode::SEE_OTHER);
        let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
        let (Some(location), true) = (location, keeps_method || may_change) else { return Ok(None) };
        let refused = |text: String| failure::answered(Error::new(ErrorKind::Refused, text), status, &self.address);
        let Some(target) = address::join(request.uri(), location) else {
            return Err(refused(format!("the server redirects with HTTP status {status} to what is no URL")));
        };
        // Only the origin is told: paths and queries of redirects to login pages hold secrets.
        let (from, to) = (self.address.origin(), target.origin().ascii_serialization());
        if from != to {
            let advice = match (from.strip_prefix("http:"), to.strip_prefix("https:")) {
                (Some(from), Some(to)) if host_of(from) == host_of(to) => {
                    "it wants https, and the request was already sent without: use its https address"
                }
                _ => {
                    "another origin, which gets nothing that is meant for this one: if the server moved, use its new address"
                }
            };
            return Err(refused(format!("the server redirects with HTTP status {status} to `{to}`: {advice}")));
        }
        if !keeps_method && request.method() != Method::GET {
            return Err(refused(format!(
                "the server redirects a {} with HTTP status {status} to `{to}`, which would lose its body: the URL may be wrong",
                request.method()
            )));
        }
        let path = &target[url::Position::BeforePath..];
        let mut parts = request.uri().clone().into_parts();
        parts.path_and_query = path.parse().ok();
        Ok(Uri::from_parts(parts).ok())
    }
}

/// The host of `//host:port`.
fn host_of(rest: &str) -> &str {
    rest.rsplit_once(':').map_or(rest, |(host, port)| if port.ends_with(']') { rest } else { host })
}
