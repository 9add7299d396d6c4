//! The settings of an HTTP server as a language gives them: JSON text with our own words. An unknown word is an error that names it.

use serde::Deserialize;

use super::http_server::HttpServerOptions;
use crate::error::{Error, Result};
use crate::protocol::http::origin::Cors;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Http {
    host: Option<String>,
    port: Option<u16>,
    path: Option<String>,
    /// `null` switches the two endpoints of 2024-11-05 off.
    #[serde(default = "usual_sse_path")]
    sse_path: Option<String>,
    message_path: Option<String>,
    #[serde(default)]
    allowed_hosts: Vec<String>,
    #[serde(default)]
    allowed_origins: Vec<String>,
    #[serde(default)]
    allow_any_host: bool,
    cors: Option<CorsMembers>,
    #[serde(default)]
    json_only: bool,
    threads: Option<usize>,
    #[serde(default)]
    http2: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CorsMembers {
    origins: Vec<String>,
    #[serde(default)]
    credentials: bool,
}

#[allow(clippy::unnecessary_wraps, reason = "serde wants a function of the member's type")]
fn usual_sse_path() -> Option<String> {
    Some("/sse".to_owned())
}

/// Reads the settings.
pub fn parse(text: &str) -> Result<HttpServerOptions> {
    let http: Http =
        serde_json::from_str(text).map_err(|error| Error::definition(format!("the HTTP options: {error}")))?;
    let mut options =
        HttpServerOptions::new(http.host.unwrap_or_else(|| "127.0.0.1".to_owned()), http.port.unwrap_or(8000));
    options.origin.allowed_hosts = http.allowed_hosts;
    options.origin.allowed_origins = http.allowed_origins;
    options.origin.allow_any_host = http.allow_any_host;
    if let Some(cors) = http.cors {
        // What CORS lets in, the origin check must let in too.
        options.origin.allowed_origins.extend(cors.origins.iter().filter(|origin| *origin != "*").cloned());
        options.cors = Some(Cors::new(&cors.origins, cors.credentials)?);
    }
    if let Some(path) = http.path {
        options.path = path;
    }
    let messages = http.message_path.unwrap_or_else(|| "/messages/".to_owned());
    options.sse = http.sse_path.map(|path| (path, messages));
    options.json_only = http.json_only;
    options.threads = http.threads;
    options.http2 = http.http2;
    Ok(options)
}
