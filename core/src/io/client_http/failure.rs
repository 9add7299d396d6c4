//! What went wrong with a request, in words that say where to look, and with every fact known.

use std::error::Error as Cause;

use http::StatusCode;
use hyper_util::client::legacy;

use super::address::Address;
use super::dial::TooSlow;
use crate::error::{Error, ErrorKind};

/// What a server of TLS 1.3 says to a client without a certificate, when the client takes the connection for open already. HTTP/2 keeps
/// only the words of it.
const WANTS_CERTIFICATE: &str = "alert: CertificateRequired";
const NO_CERTIFICATE: &str = " (the server may want a client certificate: `client_cert`)";

/// There is no answer. `via` names the proxy that is used, if there is one. The fact `sent` is `no` when the server surely has not seen
/// the request, which may then be sent again.
pub fn unanswered(error: &legacy::Error, address: &Address, via: &str) -> Error {
    let origin = address.origin();
    let words = words(error.source());
    let is_unsent = error.is_connect() || find::<hyper::Error>(error).is_some_and(hyper::Error::is_canceled);
    let failed = match (find_tls(error), error.is_connect()) {
        // The same certificate would be shown again.
        (Some(tls), true) => {
            let text = format!("the connection to {origin}{via} cannot be encrypted: {tls}{}", advice(tls));
            Error::new(ErrorKind::Io, text)
        }
        (None, true) => {
            Error::new(ErrorKind::Io, format!("the server {origin}{via} cannot be reached: {words}")).retryable()
        }
        (_, false) if words.contains(WANTS_CERTIFICATE) => {
            Error::new(ErrorKind::Io, format!("the server {origin}{via} did not answer: {words}{NO_CERTIFICATE}"))
        }
        (_, false) => {
            Error::new(ErrorKind::Io, format!("the server {origin}{via} did not answer: {words}")).retryable()
        }
    };
    let failed = failed.with("url", address.shown()).with("sent", if is_unsent { "no" } else { "yes" });
    match find::<TooSlow>(error) {
        Some(_) => failed.with("limit", "dial_for"),
        None => failed,
    }
}

/// The body of an answer broke off.
pub fn broken(error: hyper::Error) -> Error {
    let text = format!("the answer of the server broke off: {}", words(Some(&error)));
    Error::new(ErrorKind::Io, text).caused_by(error).retryable()
}

/// An error of an answer with that status.
pub fn answered(error: Error, status: StatusCode, address: &Address) -> Error {
    error.with("status", status.as_u16()).with("url", address.shown()).with("sent", "yes")
}

/// What may help against an error of TLS.
fn advice(error: &rustls::Error) -> &'static str {
    use rustls::CertificateError::{NotValidForName, NotValidForNameContext, UnknownIssuer};
    match error {
        rustls::Error::InvalidCertificate(UnknownIssuer) => {
            " (nobody here vouches for it: a private authority is added by `ca_file` or `SSL_CERT_FILE`)"
        }
        rustls::Error::InvalidCertificate(NotValidForName | NotValidForNameContext { .. }) => {
            " (the certificate is for another host name)"
        }
        rustls::Error::AlertReceived(_) => NO_CERTIFICATE,
        rustls::Error::InvalidMessage(_) => " (there may be no TLS on that port: try http)",
        _ => "",
    }
}

/// The words of a cause and all that are behind it: those of the outermost say little.
fn words(mut cause: Option<&(dyn Cause + 'static)>) -> String {
    let mut text = String::new();
    while let Some(error) = cause {
        let next = error.to_string();
        if text.is_empty() {
            text = next;
        } else if !text.ends_with(&next) {
            text.push_str(": ");
            text.push_str(&next);
        }
        cause = error.source();
    }
    text
}

/// The first of that type among an error and its causes.
fn find<'a, E: Cause + 'static>(error: &'a (dyn Cause + 'static)) -> Option<&'a E> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        cause = error.source();
    }
    None
}

fn find_tls<'a>(error: &'a (dyn Cause + 'static)) -> Option<&'a rustls::Error> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        // An I/O error hides what it holds from the chain of causes.
        let held = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        let held = held.and_then(|held| held.downcast_ref());
        if let Some(found) = held.or_else(|| error.downcast_ref()) {
            return Some(found);
        }
        cause = error.source();
    }
    None
}
