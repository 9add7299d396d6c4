//! What a client writes into the head of an HTTP request, and how it reads the answer.
//! See <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http>.

use http::header::{self, HeaderMap, HeaderName, HeaderValue, IntoHeaderName};
use http::{Method as Verb, Request, StatusCode, Uri};

use bytes::Bytes;

use super::{headers, server};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::wire::sse::Decoder;

/// Bytes of an unreadable answer that an error quotes.
const QUOTE: usize = 300;

/// Bytes that are set aside for a body because its head says that so many will come.
const RESERVE: usize = 16 << 20;

/// What the head of a request says besides its address. Members that are `None` are left out.
#[derive(Clone, Copy, Default)]
pub struct Head<'a> {
    /// `MCP-Protocol-Version`.
    pub version: Option<&'a str>,
    /// `Mcp-Method`; modern requests only.
    pub method: Option<&'a str>,
    /// `Mcp-Name`, as the body says it; modern requests only.
    pub name: Option<&'a str>,
    /// `Mcp-Param-*` with their values, as the body says them; modern calls only.
    pub mirrored: &'a [(Box<str>, String)],
    /// `Mcp-Session-Id`; legacy requests only.
    pub session: Option<&'a HeaderValue>,
    /// `Last-Event-ID`: where an event stream is taken up again; legacy requests only.
    pub last_event: Option<&'a str>,
    /// What the user wants in every request; the protocol's own headers win.
    pub user: Option<&'a HeaderMap>,
    /// What the user wants in the requests of this call: it replaces headers of every request, and none of the protocol's.
    pub call: Option<&'a HeaderMap>,
}

/// Headers that speak for the protocol, or say where a message ends: they are never the user's, even where this request has none.
const RESERVED: [&str; 8] = [
    server::VERSION,
    server::METHOD,
    server::NAME,
    server::SESSION,
    server::LAST_EVENT,
    "content-length",
    "transfer-encoding",
    "connection",
];

/// A header of the user's. Values are often secrets: this one is marked as such, and no error quotes it (Y28).
///
/// # Errors
/// `Definition` that names the header.
pub fn user_header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue)> {
    let wrong = || {
        let name = name.escape_debug();
        Error::definition(format!("the header `{name}` has characters that no header may have"))
    };
    let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong())?;
    let mut value = HeaderValue::from_str(value).map_err(|_| wrong())?;
    value.set_sensitive(true);
    Ok((key, value))
}

/// What is left of a user's headers.
pub fn user_headers(mut headers: HeaderMap) -> HeaderMap {
    RESERVED.iter().for_each(|name| drop(headers.remove(*name)));
    headers
}

fn is_reserved(name: &HeaderName) -> bool {
    RESERVED.contains(&name.as_str()) || name.as_str().starts_with("mcp-param-")
}

impl Head<'_> {
    /// The request. A POST when there is a body.
    ///
    /// # Errors
    /// `InvalidParams` for an address that is none.
    pub fn request(&self, verb: Verb, url: &str, body: Bytes) -> Result<Request<Bytes>> {
        let uri: Uri = url.parse().map_err(|error: http::uri::InvalidUri| {
            Error::invalid_params(format!("`{}` is no URL: {error}", url.escape_debug()))
        })?;
        let mut request = Request::new(body);
        *request.uri_mut() = uri;
        let all = request.headers_mut();
        if let Some(user) = self.user {
            all.clone_from(user);
        }
        for name in self.call.iter().flat_map(|call| call.keys()).filter(|name| !is_reserved(name)) {
            all.remove(name);
        }
        for (name, value) in self.call.into_iter().flatten().filter(|(name, _)| !is_reserved(name)) {
            all.append(name, value.clone());
        }
        let accept = match verb {
            Verb::GET => "text/event-stream",
            _ => "application/json, text/event-stream",
        };
        all.insert(header::ACCEPT, HeaderValue::from_static(accept));
        if verb == Verb::POST {
            all.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        for (name, value) in
            [(server::VERSION, self.version), (server::METHOD, self.method), (server::LAST_EVENT, self.last_event)]
        {
            put(all, name, value);
        }
        put(all, server::NAME, self.name.map(headers::encode).as_deref());
        for (name, value) in self.mirrored {
            if let Ok(name) = HeaderName::from_bytes(name.as_bytes()) {
                put(all, name, Some(&headers::encode(value)));
            }
        }
        if let Some(session) = self.session {
            all.insert(HeaderName::from_static(server::SESSION), session.clone());
        }
        *request.method_mut() = verb;
        Ok(request)
    }
}

fn put(all: &mut HeaderMap, name: impl IntoHeaderName, value: Option<&str>) {
    if let Some(value) = value.and_then(|value| HeaderValue::from_str(value).ok()) {
        all.insert(name, value);
    }
}

/// What is done with the body of an answer.
pub enum Reader {
    /// One message, or a batch, as JSON.
    Json(Vec<u8>),
    /// A stream of messages.
    Events(Box<Decoder>),
    /// The start of a body that says why the request failed.
    Failure { status: StatusCode, retry_after: Option<String>, body: Vec<u8> },
    /// Nothing in it matters; so many bytes of it came.
    Ignore(usize),
}

impl Reader {
    /// Decides by the head of the answer.
    pub fn open(status: StatusCode, all: &HeaderMap, limits: &Limits) -> Self {
        let text = |name| all.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        if !status.is_success() {
            let retry_after = text(header::RETRY_AFTER).map(ToOwned::to_owned);
            return Self::Failure { status, retry_after, body: Vec::new() };
        }
        match text(header::CONTENT_TYPE) {
            kind if headers::is_event_stream(kind) => Self::Events(Box::new(Decoder::new(limits))),
            kind if headers::is_json(kind) => {
                let length = text(header::CONTENT_LENGTH).and_then(|length| length.parse::<usize>().ok());
                Self::Json(Vec::with_capacity(length.unwrap_or(0).min(limits.message_bytes).min(RESERVE)))
            }
            _ => Self::Failure { status, retry_after: None, body: Vec::new() },
        }
    }
}

/// Whether an answer is an event stream.
pub fn is_stream(status: StatusCode, all: &HeaderMap) -> bool {
    let kind = all.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    status.is_success() && headers::is_event_stream(kind)
}

impl Default for Reader {
    fn default() -> Self {
        Self::Ignore(0)
    }
}

/// Takes more of a body that is read as a whole.
///
/// # Errors
/// `Limit` beyond `message_bytes` (security 13).
pub fn append(body: &mut Vec<u8>, chunk: &[u8], limits: &Limits) -> Result<()> {
    if body.len() + chunk.len() > limits.message_bytes {
        return Err(Error::limit("message_bytes", limits.message_bytes, "the body of an answer"));
    }
    body.extend_from_slice(chunk);
    Ok(())
}

/// The error of an answer that holds no message: its status and the start of its body (H14).
pub fn failure(status: StatusCode, retry_after: Option<&str>, body: &[u8]) -> Error {
    let text = String::from_utf8_lossy(&body[..body.len().min(QUOTE)]);
    let text = text.trim();
    let what = match (status.is_success(), text.is_empty()) {
        (true, true) => format!("the server answered with HTTP status {status} without a body"),
        (true, false) => "the server answered with a body that is neither JSON nor an event stream".to_owned(),
        (false, _) => format!("the server answered with HTTP status {status}"),
    };
    let message = if text.is_empty() { what } else { format!("{what}: {}", text.escape_debug()) };
    let error = Error::new(ErrorKind::Io, message).with("status", status.as_u16());
    let error = match retry_after {
        Some(after) => error.with("retry_after", after),
        None => error,
    };
    match status {
        StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => error.retryable(),
        StatusCode::BAD_GATEWAY | StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT => error.retryable(),
        _ => error,
    }
}

/// The address that an `endpoint` event names, resolved against that of its stream (E09).
///
/// # Errors
/// `Refused` for another origin: what is posted there carries the user's credentials.
pub fn resolve_endpoint(stream: &str, endpoint: &str) -> Result<String> {
    let endpoint = endpoint.trim();
    let base: Uri = stream.parse().map_err(|_| Error::invalid_params(format!("`{stream}` is no URL")))?;
    let (Some(scheme), Some(authority)) = (base.scheme_str(), base.authority()) else {
        return Err(Error::invalid_params(format!("`{stream}` is no absolute URL")));
    };
    let origin = format!("{scheme}://{authority}");
    let resolved = if let Some(rest) = endpoint.strip_prefix("//") {
        format!("{scheme}://{rest}")
    } else if endpoint.starts_with('/') {
        format!("{origin}{endpoint}")
    } else if endpoint.starts_with('?') {
        format!("{origin}{}{endpoint}", base.path())
    } else if endpoint.find([':', '/', '?', '#']).is_some_and(|end| endpoint[end..].starts_with(':')) {
        // A first segment with a colon is a scheme (RFC 3986, 4.2), whatever follows.
        endpoint.to_owned()
    } else {
        let folder = base.path().rfind('/').map_or("/", |end| &base.path()[..=end]);
        let (path, query) = endpoint.split_at(endpoint.find('?').unwrap_or(endpoint.len()));
        format!("{origin}{}{query}", without_dots(&format!("{folder}{path}")))
    };
    let same = resolved.parse::<Uri>().is_ok_and(|uri| {
        let plain = uri.authority().is_some_and(|other| !other.as_str().contains('@'));
        plain
            && uri.scheme_str() == Some(scheme)
            && uri.host().zip(base.host()).is_some_and(|(host, own)| host.eq_ignore_ascii_case(own))
            && port(&uri) == port(&base)
    });
    match same {
        true => Ok(resolved),
        false => Err(Error::new(
            ErrorKind::Refused,
            format!("the server names an endpoint outside its own origin: `{}`", endpoint.escape_debug()),
        )),
    }
}

/// The port, also where the scheme implies it.
fn port(uri: &Uri) -> u16 {
    uri.port_u16().unwrap_or(if uri.scheme_str() == Some("https") { 443 } else { 80 })
}

/// A path without `.` and `..`.
fn without_dots(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').skip(1) {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x10_mirrors_what_the_body_says() {
        let head =
            Head { version: Some("2026-07-28"), method: Some("tools/call"), name: Some("größe"), ..Head::default() };
        let request = head.request(Verb::POST, "http://127.0.0.1:1/mcp", Bytes::from_static(b"{}")).unwrap();
        let get = |name: &str| request.headers()[name].to_str().unwrap().to_owned();
        assert_eq!(get("mcp-method"), "tools/call");
        assert_eq!(headers::decode(&get("mcp-name")).unwrap(), "größe");
        assert_eq!(get("accept"), "application/json, text/event-stream");
        assert_eq!(get("content-type"), "application/json");
        assert!(request.headers().get("mcp-session-id").is_none());
    }

    #[test]
    fn e09_an_endpoint_is_resolved_and_stays_at_its_origin() {
        let base = "http://host:8000/api/sse?x=1";
        for (endpoint, url) in [
            ("messages?sid=1", "http://host:8000/api/messages?sid=1"),
            ("/m/?sid=1", "http://host:8000/m/?sid=1"),
            ("?sid=1", "http://host:8000/api/sse?sid=1"),
            ("../m", "http://host:8000/m"),
            ("http://host:8000/m", "http://host:8000/m"),
            ("//HOST:8000/m", "http://HOST:8000/m"),
        ] {
            assert_eq!(resolve_endpoint(base, endpoint).unwrap(), url, "{endpoint}");
        }
        assert!(resolve_endpoint("https://host/sse", "https://host:443/m").is_ok());
        for endpoint in [
            "http://evil:8000/m",
            "https://host:8000/m",
            "//evil/m",
            "http://host/m",
            "http://host:8000@evil/m",
            "http://user@host:8000/m",
            "file:///etc/passwd",
            "javascript:alert(1)",
        ] {
            assert_eq!(resolve_endpoint(base, endpoint).unwrap_err().kind(), ErrorKind::Refused, "{endpoint}");
        }
    }

    #[test]
    fn h14_a_failure_quotes_its_answer() {
        let error = failure(StatusCode::TOO_MANY_REQUESTS, Some("3"), b"<html>slow down</html>");
        assert!(error.message().contains("slow down") && error.can_retry());
        assert_eq!((error.fact("status"), error.fact("retry_after")), (Some("429"), Some("3")));
    }
}
