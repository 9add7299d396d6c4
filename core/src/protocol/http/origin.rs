//! Who may speak to a server from a browser: the rules for `Host` and `Origin`, and cross-origin answers.
//!
//! A web page can reach a local server by a name that its owner points at 127.0.0.1 (DNS rebinding; CVE-2025-66414 and its kin).
//! The checks are on by default and compare parsed hosts, never beginnings of texts.
//! See <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#security-warning>.

use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::error::{Error, ErrorKind, Result};

/// Request headers that a browser client of MCP sends.
const ALLOWED_HEADERS: &str =
    "Accept, Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name";
const ALLOWED_METHODS: &str = "GET, POST, DELETE";
/// Response headers that a browser client of MCP must read.
const EXPOSED_HEADERS: &str = "Mcp-Session-Id, WWW-Authenticate, MCP-Protocol-Version";
/// Seconds that a browser may remember the answer to a preflight.
const PREFLIGHT_SECONDS: &str = "600";

/// What the user of a server may set.
#[derive(Clone, Debug, Default)]
pub struct OriginSettings {
    /// Hosts besides the defaults: `mcp.example.com` (default ports), `mcp.example.com:8443`, `mcp.example.com:*` (any port).
    pub allowed_hosts: Vec<String>,
    /// Origins besides those of allowed hosts: `https://app.example.com`.
    pub allowed_origins: Vec<String>,
    /// Accepts every host. An `Origin` must then be that of the request's host, or listed.
    pub allow_any_host: bool,
}

/// The rules of one listener.
#[derive(Clone, Debug)]
pub struct OriginPolicy {
    loopback: bool,
    any_host: bool,
    hosts: Vec<HostRule>,
    origins: Vec<String>,
}

/// A request that is not let in.
#[derive(Debug)]
pub struct Refusal {
    /// 400 for a request without one clear host, 403 for a host or an origin that is not allowed.
    pub status: u16,
    /// Says what was refused and which option allows it.
    pub error: Error,
}

impl OriginPolicy {
    /// The rules for a listener bound to `bind`. One bound to loopback allows `localhost`, `[::1]` and literal addresses of
    /// 127.0.0.0/8 on any port.
    ///
    /// # Errors
    /// `Definition` when `bind` is no loopback address and neither `allowed_hosts` nor `allow_any_host` is set: an empty list must not
    /// mean "everyone" (security 3). Also for an entry that is no host or no origin.
    pub fn new(bind: IpAddr, settings: &OriginSettings) -> Result<Self> {
        let loopback = bind.to_canonical().is_loopback();
        if !loopback && settings.allowed_hosts.is_empty() && !settings.allow_any_host {
            return Err(Error::definition(format!(
                "a server bound to {bind} needs `allowed_hosts` (the names clients reach it by) or `allow_any_host`"
            )));
        }
        let hosts = settings.allowed_hosts.iter().map(|text| HostRule::parse(text)).collect::<Result<_>>()?;
        Ok(Self {
            loopback,
            any_host: settings.allow_any_host,
            hosts,
            origins: parse_origins(&settings.allowed_origins)?,
        })
    }

    /// Judges a request by all its `Host` headers, the authority of its target (`:authority` in HTTP/2), and all its `Origin` headers.
    ///
    /// # Errors
    /// A [`Refusal`] to answer before anything else looks at the request.
    pub fn check(&self, hosts: &[&str], authority: Option<&str>, origins: &[&str]) -> Result<(), Refusal> {
        let named = match (hosts, authority) {
            ([host], None) => *host,
            ([], Some(authority)) => authority,
            ([host], Some(authority)) if host.eq_ignore_ascii_case(authority) => *host,
            ([], None) => return Err(refuse(400, "request without a Host header".into())),
            _ => return Err(refuse(400, "request with more than one host".into())),
        };
        let host = Host::parse(named);
        if !host.is_some_and(|host| self.any_host || self.allows(host)) {
            return Err(refuse(
                403,
                format!("Host {named:?} is not allowed; add it to `allowed_hosts` if clients use it"),
            ));
        }
        match origins {
            [] => Ok(()),
            [origin] if self.allows_origin(origin, host) => Ok(()),
            [origin] => {
                let advice = "add it to `allowed_origins` if its pages may use this server";
                Err(refuse(403, format!("Origin {origin:?} is not allowed; {advice}")))
            }
            _ => Err(refuse(403, "request with more than one Origin header".into())),
        }
    }

    fn allows(&self, host: Host<'_>) -> bool {
        (self.loopback && host.is_loopback()) || self.hosts.iter().any(|rule| rule.allows(host))
    }

    fn allows_origin(&self, text: &str, host: Option<Host<'_>>) -> bool {
        let Some(origin) = Origin::parse(text) else { return false };
        if is_listed(&self.origins, origin) {
            return true;
        }
        let web = origin.scheme.eq_ignore_ascii_case("http") || origin.scheme.eq_ignore_ascii_case("https");
        let same = |host: Host<'_>| host.same_name(origin.host) && (host.port == origin.host.port);
        web && (self.allows(origin.host) || (self.any_host && host.is_some_and(same)))
    }
}

fn refuse(status: u16, message: String) -> Refusal {
    Refusal { status, error: Error::new(ErrorKind::Refused, message).with("status", status) }
}

/// A host and port as parsed from a header.
#[derive(Clone, Copy, Debug)]
struct Host<'t> {
    name: Name<'t>,
    port: Option<u16>,
}

#[derive(Clone, Copy, Debug)]
enum Name<'t> {
    V4(Ipv4Addr),
    V6(Ipv6Addr),
    Domain(&'t str),
}

impl<'t> Host<'t> {
    /// `host [":" port]` and nothing more: no user part, no path, no blanks.
    fn parse(text: &'t str) -> Option<Self> {
        if let Some(rest) = text.strip_prefix('[') {
            let (address, port) = rest.split_once(']')?;
            return Some(Self { name: Name::V6(address.parse().ok()?), port: parse_port(port)? });
        }
        let (name, port) = text.find(':').map_or((text, ""), |colon| text.split_at(colon));
        let port = parse_port(port)?;
        if let Ok(address) = name.parse() {
            return Some(Self { name: Name::V4(address), port });
        }
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
        let valid = !name.is_empty() && name.bytes().all(is_name);
        valid.then_some(Self { name: Name::Domain(name), port })
    }

    fn is_loopback(&self) -> bool {
        match self.name {
            Name::V4(address) => address.is_loopback(),
            Name::V6(address) => address.is_loopback(),
            Name::Domain(name) => name.eq_ignore_ascii_case("localhost"),
        }
    }

    fn same_name(&self, other: Host<'_>) -> bool {
        match (self.name, other.name) {
            (Name::V4(a), Name::V4(b)) => a == b,
            (Name::V6(a), Name::V6(b)) => a == b,
            (Name::Domain(a), Name::Domain(b)) => a.eq_ignore_ascii_case(b),
            _ => false,
        }
    }
}

/// The port after the host: none for an empty text or a bare colon. The outer `None` is a malformed one.
fn parse_port(text: &str) -> Option<Option<u16>> {
    match text.strip_prefix(':') {
        None => text.is_empty().then_some(None),
        Some("") => Some(None),
        Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse().ok().map(Some),
        Some(_) => None,
    }
}

/// An entry of `allowed_hosts`.
#[derive(Clone, Debug)]
struct HostRule {
    host: String,
    any_port: bool,
}

impl HostRule {
    fn parse(text: &str) -> Result<Self> {
        let (host, any_port) = text.strip_suffix(":*").map_or((text, false), |host| (host, true));
        match Host::parse(host) {
            Some(parsed) if !(any_port && parsed.port.is_some()) => Ok(Self { host: host.to_owned(), any_port }),
            _ => Err(Error::definition(format!("`allowed_hosts` entry {text:?} is not a host, host:port or host:*"))),
        }
    }

    fn allows(&self, host: Host<'_>) -> bool {
        let Some(rule) = Host::parse(&self.host) else { return false };
        let port = match rule.port {
            _ if self.any_port => true,
            None => matches!(host.port, None | Some(80 | 443)),
            port => host.port == port,
        };
        port && rule.same_name(host)
    }
}

/// The origin of a page: `scheme://host[:port]`, nothing after. `null` is none.
#[derive(Clone, Copy, Debug)]
struct Origin<'t> {
    scheme: &'t str,
    host: Host<'t>,
}

impl<'t> Origin<'t> {
    fn parse(text: &'t str) -> Option<Self> {
        let (scheme, host) = text.split_once("://")?;
        let valid = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
        let mut host = Host::parse(host)?;
        let default = match scheme {
            _ if scheme.eq_ignore_ascii_case("http") => Some(80),
            _ if scheme.eq_ignore_ascii_case("https") => Some(443),
            _ => None,
        };
        host.port = host.port.filter(|port| Some(*port) != default);
        valid.then_some(Self { scheme, host })
    }

    fn same(&self, other: Origin<'_>) -> bool {
        self.scheme.eq_ignore_ascii_case(other.scheme)
            && self.host.port == other.host.port
            && self.host.same_name(other.host)
    }
}

fn parse_origins(texts: &[String]) -> Result<Vec<String>> {
    let checked = texts.iter().map(|text| match Origin::parse(text) {
        Some(_) => Ok(text.clone()),
        None => Err(Error::definition(format!("`allowed_origins` entry {text:?} is not scheme://host[:port]"))),
    });
    checked.collect()
}

fn is_listed(origins: &[String], origin: Origin<'_>) -> bool {
    origins.iter().filter_map(|text| Origin::parse(text)).any(|listed| listed.same(origin))
}

/// Answers for browsers that ask whether a page of another origin may use this server. A server without it sends no such header.
#[derive(Clone, Debug)]
pub struct Cors {
    /// `None` for every origin.
    origins: Option<Vec<String>>,
    credentials: bool,
}

/// A header's name and value.
pub type Header<'a> = (&'static str, Cow<'a, str>);

impl Cors {
    /// Lets pages of these origins in; `*` alone stands for all. With `credentials` browsers also send cookies.
    /// The [`OriginPolicy`] must allow the same origins.
    ///
    /// # Errors
    /// `Definition` for `*` together with credentials or other entries, and for an entry that is no origin.
    pub fn new(origins: &[String], credentials: bool) -> Result<Self> {
        if origins.iter().any(|origin| origin == "*") {
            if credentials || origins.len() > 1 {
                return Err(Error::definition("`allowed_origins`: `*` excludes credentials and other entries"));
            }
            return Ok(Self { origins: None, credentials });
        }
        Ok(Self { origins: Some(parse_origins(origins)?), credentials })
    }

    /// The headers of every response, errors and 401 included.
    pub fn response_headers<'a>(&self, origin: Option<&'a str>) -> Vec<Header<'a>> {
        let mut headers = self.common(origin);
        if self.lets_in(origin) {
            headers.push(("Access-Control-Expose-Headers", EXPOSED_HEADERS.into()));
        }
        headers
    }

    /// The headers of the 204 that answers `OPTIONS`, given before any authentication: a browser sends no credentials with it.
    /// `requested` is `Access-Control-Request-Headers`; of it, only `Mcp-Param-*` names matter, which no fixed list can hold.
    pub fn preflight_headers<'a>(&self, origin: Option<&'a str>, requested: Option<&str>) -> Vec<Header<'a>> {
        let mut headers = self.common(origin);
        if self.lets_in(origin) {
            headers.push(("Access-Control-Allow-Methods", ALLOWED_METHODS.into()));
            headers.push(("Access-Control-Allow-Headers", allowed_headers(requested.unwrap_or_default())));
            headers.push(("Access-Control-Max-Age", PREFLIGHT_SECONDS.into()));
        }
        headers
    }

    fn common<'a>(&self, origin: Option<&'a str>) -> Vec<Header<'a>> {
        let mut headers = Vec::with_capacity(6);
        if self.origins.is_some() {
            // A cache must not hand one origin's answer, or refusal, to another.
            headers.push(("Vary", "Origin".into()));
        }
        if let Some(origin) = origin.filter(|_| self.lets_in(origin)) {
            let allowed = if self.origins.is_some() { origin } else { "*" };
            headers.push(("Access-Control-Allow-Origin", allowed.into()));
            if self.credentials {
                headers.push(("Access-Control-Allow-Credentials", "true".into()));
            }
        }
        headers
    }

    fn lets_in(&self, origin: Option<&str>) -> bool {
        match (&self.origins, origin) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(origins), Some(origin)) => Origin::parse(origin).is_some_and(|origin| is_listed(origins, origin)),
        }
    }
}

fn allowed_headers(requested: &str) -> Cow<'static, str> {
    let is_param = |name: &&str| {
        let prefix = name.get(..10).is_some_and(|start| start.eq_ignore_ascii_case("mcp-param-"));
        prefix && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
    };
    let mut params = requested.split(',').map(|name| name.trim_matches([' ', '\t'])).filter(is_param).peekable();
    if params.peek().is_none() {
        return ALLOWED_HEADERS.into();
    }
    params.fold(ALLOWED_HEADERS.to_owned(), |list, name| list + ", " + name).into()
}

#[cfg(test)]
#[path = "origin/tests.rs"]
mod tests;
