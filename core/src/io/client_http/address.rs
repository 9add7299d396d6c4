//! The address of a server: one origin, to which everything of a client goes.

use std::net::IpAddr;

use http::Uri;
use url::{Host, Url};

use crate::error::{Error, Result};

/// An address that was checked.
#[derive(Clone, Debug)]
pub struct Address {
    url: Url,
}

impl Address {
    /// Reads an absolute `http` or `https` URL. Names outside ASCII take their IDNA form; a fragment is dropped.
    ///
    /// # Errors
    /// `InvalidParams` for anything else, also for `user:password@`: credentials in a URL end in logs, a header does not. The URL is
    /// quoted without them and without its query (Y28).
    pub fn parse(text: &str) -> Result<Self> {
        let mut url = Url::parse(text.trim()).map_err(|error| {
            let shown = text.split(['?', '#']).next().unwrap_or_default();
            let shown = shown.rsplit_once('@').map_or(shown, |(_, host)| host);
            Error::invalid_params(format!("`{}` is no URL: {error}", shown.escape_debug()))
        })?;
        if !matches!(url.scheme(), "http" | "https") {
            let text =
                format!("a URL of the scheme `{}` is no address of a server: it takes http or https", url.scheme());
            return Err(Error::invalid_params(text));
        }
        if !url.username().is_empty() || url.password().is_some() {
            let text = "the URL holds a user or a password: send them as an `Authorization` header instead";
            return Err(Error::invalid_params(text));
        }
        url.set_fragment(None);
        Ok(Self { url })
    }

    /// The whole address, as requests name it.
    pub fn as_str(&self) -> &str {
        self.url.as_str()
    }

    /// Whether connections are encrypted.
    pub fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// Without query: what errors and logs may show.
    pub fn shown(&self) -> String {
        format!("{}{}", self.origin(), self.url.path())
    }

    /// Scheme, host and port.
    pub fn origin(&self) -> String {
        self.url.origin().ascii_serialization()
    }

    /// The host, without the brackets of IPv6.
    pub fn host(&self) -> String {
        match self.url.host() {
            Some(Host::Ipv6(address)) => address.to_string(),
            Some(host) => host.to_string(),
            None => String::new(),
        }
    }

    /// Whether it is this machine.
    pub fn is_loopback(&self) -> bool {
        match self.url.host() {
            Some(Host::Domain(name)) => {
                let name = name.strip_suffix('.').unwrap_or(name);
                name == "localhost" || name.ends_with(".localhost")
            }
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => IpAddr::V6(address).to_canonical().is_loopback(),
            None => false,
        }
    }
}

/// The target of a redirect of the request to `from`.
pub fn join(from: &Uri, location: &str) -> Option<Url> {
    let mut url = Url::parse(&from.to_string()).ok()?.join(location).ok()?;
    url.set_fragment(None);
    Some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_normalised() {
        for (text, url, host) in [
            ("http://Host:80/mcp#x", "http://host/mcp", "host"),
            ("https://[::1]:8443", "https://[::1]:8443/", "::1"),
            ("https://bücher.example/a?k=1", "https://xn--bcher-kva.example/a?k=1", "xn--bcher-kva.example"),
            ("http://127.1/x", "http://127.0.0.1/x", "127.0.0.1"),
        ] {
            let address = Address::parse(text).unwrap();
            assert_eq!((address.as_str(), address.host().as_str()), (url, host));
        }
        assert_eq!(Address::parse("https://h/a?key=s3cr3t").unwrap().shown(), "https://h/a");
    }

    #[test]
    fn y28_what_is_no_address_is_refused_without_its_secrets() {
        for text in ["", "mcp", "/mcp", "ftp://h/", "http+unix://s/", "http://u:s3cr3t@h/", "http://", "u:s3cr3t@h x"] {
            let error = Address::parse(text).unwrap_err();
            assert!(!error.to_string().contains("s3cr3t"), "{error}");
        }
    }

    #[test]
    fn y05_loopback_has_many_names() {
        for text in
            ["http://localhost", "http://LOCALHOST:1", "http://127.9.9.9", "http://[::1]", "http://[::ffff:127.0.0.1]"]
        {
            assert!(Address::parse(text).unwrap().is_loopback(), "{text}");
        }
        for text in ["http://localhost.test", "http://127.0.0.1.test", "http://[::2]", "http://128.0.0.1"] {
            assert!(!Address::parse(text).unwrap().is_loopback(), "{text}");
        }
    }
}
