//! Which proxy a client uses. It has one server, so this is decided once.

use http::{HeaderValue, Uri};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};

use super::super::http_options::{HttpOptions, ProxyChoice, ProxyVariables};
use super::address::Address;
use crate::error::{Error, Result};

/// A proxy to go through.
#[derive(Clone)]
pub struct Proxy {
    /// Its address, without credentials.
    pub uri: Uri,
    pub kind: Kind,
}

#[derive(Clone)]
pub enum Kind {
    /// Speaks HTTP: requests to `https` servers tunnel through it, others name their server. Holds `Proxy-Authorization`.
    Http(Option<HeaderValue>),
    /// Speaks SOCKS 5; resolves names itself unless `local`. Holds user and password.
    Socks { local: bool, auth: Option<(String, String)> },
}

/// The proxy for a server.
///
/// # Errors
/// `Definition` for a proxy that is no URL or of a kind not known. To go without it might show what it was set up to hide. Its
/// address is never quoted: it may hold a password (Y28).
pub fn find(options: &HttpOptions, address: &Address) -> Result<Option<Proxy>> {
    let variables = match &options.proxy {
        _ if options.socket.is_some() => return Ok(None),
        ProxyChoice::Off => return Ok(None),
        ProxyChoice::Url(url) => return proxy(url, "", "the option `proxy`", address),
        // Nobody outside could reach the server that is meant.
        ProxyChoice::Environment | ProxyChoice::Variables(_) if address.is_loopback() => return Ok(None),
        ProxyChoice::Environment => &read(),
        ProxyChoice::Variables(variables) => variables,
    };
    let own = match address.is_https() {
        true => (&variables.https, "`HTTPS_PROXY`"),
        false => (&variables.http, "`HTTP_PROXY`"),
    };
    match [own, (&variables.all, "`ALL_PROXY`")].into_iter().find(|(url, _)| !url.is_empty()) {
        Some((url, name)) => proxy(url, &variables.no, name, address),
        None if options.proxy == ProxyChoice::Environment => {
            intercept(&Matcher::from_system(), address)?.map(|found| found_proxy(&found, "the system")).transpose()
        }
        None => Ok(None),
    }
}

fn proxy(url: &str, no: &str, name: &str, address: &Address) -> Result<Option<Proxy>> {
    let wrong = || Error::definition(format!("{name} is no proxy: it takes a URL of http, https, socks5 or socks5h"));
    // `socks5://host` has a port that its reader does not know.
    let mut url = url.trim().to_owned();
    if url.starts_with("socks5") && url::Url::parse(&url).is_ok_and(|url| url.port().is_none()) {
        url = format!("{}:1080", url.trim_end_matches('/'));
    }
    let all = Matcher::builder().all(url.as_str()).build();
    if intercept(&all, address)?.is_none() {
        return Err(wrong());
    }
    let matcher = Matcher::builder().all(url.as_str()).no(no).build();
    intercept(&matcher, address)?.map(|found| found_proxy(&found, name)).transpose()
}

fn intercept(matcher: &Matcher, address: &Address) -> Result<Option<Intercept>> {
    let uri: Uri = address.as_str().parse().map_err(|_| Error::invalid_params("the URL of the server is none"))?;
    Ok(matcher.intercept(&uri))
}

fn found_proxy(found: &Intercept, name: &str) -> Result<Proxy> {
    let uri = found.uri().clone();
    let kind = match uri.scheme_str() {
        Some("http" | "https") => Kind::Http(found.basic_auth().cloned()),
        Some(scheme @ ("socks5" | "socks5h")) => Kind::Socks {
            local: scheme == "socks5",
            auth: found.raw_auth().map(|(user, password)| (user.to_owned(), password.to_owned())),
        },
        _ => {
            let text = format!("{name} is of a kind that is not known: it takes http, https, socks5 or socks5h");
            return Err(Error::definition(text));
        }
    };
    Ok(Proxy { uri, kind })
}

/// The variables of this process.
#[allow(clippy::disallowed_methods, reason = "this is where the environment's proxy comes from")]
fn read() -> ProxyVariables {
    let get = |name: &str| {
        let set = |name: String| std::env::var(name).ok().filter(|value| !value.is_empty());
        set(name.to_owned()).or_else(|| set(name.to_lowercase())).unwrap_or_default()
    };
    // Whoever asks a CGI program something sets its HTTP_PROXY by a header (CVE-2016-5385).
    let http = if std::env::var_os("REQUEST_METHOD").is_some() { String::new() } else { get("HTTP_PROXY") };
    ProxyVariables { https: get("HTTPS_PROXY"), http, all: get("ALL_PROXY"), no: get("NO_PROXY") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(variables: &ProxyVariables, url: &str) -> Option<String> {
        let options = HttpOptions { proxy: ProxyChoice::Variables(variables.clone()), ..HttpOptions::default() };
        find(&options, &Address::parse(url).unwrap()).unwrap().map(|proxy| proxy.uri.to_string())
    }

    #[test]
    fn y05_each_server_has_its_proxy() {
        let variables = ProxyVariables {
            https: "http://secure:1".into(),
            http: String::new(),
            all: "socks5://user:word@all".into(),
            no: "corp.test, .dot.test,10.0.0.0/8,192.0.2.1".into(),
        };
        for (url, proxy) in [
            ("https://a.test/", Some("http://secure:1/")),
            ("http://a.test/", Some("socks5://all:1080/")),
            ("https://corp.test/", None),
            ("https://deep.CORP.test/", None),
            ("https://notcorp.test/", Some("http://secure:1/")),
            ("https://a.dot.test/", None),
            ("https://10.1.2.3/", None),
            ("https://192.0.2.1/", None),
            ("https://192.0.2.2/", Some("http://secure:1/")),
            ("https://localhost:1/", None),
            ("http://127.4.5.6/", None),
            ("https://[::1]/", None),
        ] {
            assert_eq!(found(&variables, url).as_deref(), proxy, "{url}");
        }
        let nowhere = ProxyVariables { no: "*".into(), ..variables };
        assert_eq!(found(&nowhere, "https://a.test/"), None);
    }

    #[test]
    fn y05_y28_a_wrong_proxy_is_an_error_without_its_password() {
        let address = Address::parse("https://a.test/").unwrap();
        for url in ["gopher://u:s3cr3t@p", "http://u:s3cr3t@p q", "socks4://u:s3cr3t@p:1"] {
            let options = HttpOptions { proxy: ProxyChoice::Url(url.into()), ..HttpOptions::default() };
            let error = find(&options, &address).err().unwrap();
            assert!(error.message().contains("`proxy`") && !error.to_string().contains("s3cr3t"), "{error}");
        }
    }

    #[test]
    fn y05_credentials_are_decoded() {
        let address = Address::parse("https://a.test/").unwrap();
        let options =
            HttpOptions { proxy: ProxyChoice::Url("http://us%40er:p%3Aw@p".into()), ..HttpOptions::default() };
        let Kind::Http(Some(auth)) = find(&options, &address).unwrap().unwrap().kind else { panic!("no credentials") };
        // us@er:p:w
        assert_eq!(auth, "Basic dXNAZXI6cDp3");
        assert!(auth.is_sensitive());
    }
}
