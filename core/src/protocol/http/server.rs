//! What a server checks of an HTTP request's head, and the status that an error travels under.
//! See <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#request-metadata>.

use http::{HeaderMap, StatusCode};

use super::headers;
use crate::error::{Error, ErrorKind, Result};
use crate::model::method::NameField;
use crate::model::{Era, Method, Params, params};
use crate::schema::xheader;

/// `MCP-Protocol-Version`.
pub const VERSION: &str = "mcp-protocol-version";
/// `Mcp-Method`.
pub const METHOD: &str = "mcp-method";
/// `Mcp-Name`.
pub const NAME: &str = "mcp-name";
/// `Mcp-Session-Id`.
pub const SESSION: &str = "mcp-session-id";
/// `Last-Event-ID`.
pub const LAST_EVENT: &str = "last-event-id";

/// The one value of a header; more than one is a mismatch by itself (security 49).
pub fn single<'h>(all: &'h HeaderMap, name: &str) -> Result<Option<&'h str>> {
    let mut values = all.get_all(name).iter();
    let first = values.next();
    if values.next().is_some() {
        return Err(mismatch(format!("the header {name} appears more than once")));
    }
    match first.map(|value| value.to_str()) {
        None => Ok(None),
        Some(Ok(value)) => Ok(Some(value.trim_matches([' ', '\t']))),
        Some(Err(_)) => Err(mismatch(format!("the header {name} has characters that no header may have"))),
    }
}

/// Whether the standard headers of a modern request say what its body says (`-32020`).
pub fn check_standard(all: &HeaderMap, method: &str, params: Option<&Params<'_>>) -> Result<()> {
    let meta = params.and_then(|params| params.meta.as_ref());
    let version = match meta.and_then(|meta| meta.protocol_version) {
        Some(raw) => Some(params::text(raw, "_meta.protocolVersion")?),
        None => None,
    };
    if let Some(version) = &version {
        require(all, VERSION, version)?;
    }
    require(all, METHOD, method)?;
    let field = Method::parse(method).and_then(|method| method.row().name_field);
    let value = match (field, params) {
        (Some(NameField::Name), Some(params)) => params.name.map(|raw| params::text(raw, "name")),
        (Some(NameField::Uri), Some(params)) => params.uri.map(|raw| params::text(raw, "uri")),
        _ => None,
    };
    if let Some(value) = value.transpose()? {
        let sent = single(all, NAME)?.ok_or_else(|| mismatch(format!("the header {NAME} is missing")))?;
        let decoded =
            headers::decode(sent).map_err(|error| mismatch(format!("the header {NAME}: {}", error.message())))?;
        if decoded != value {
            return Err(mismatch(format!(
                "the header {NAME} is `{}`, the body says `{}`",
                decoded.escape_debug(),
                value.escape_debug()
            )));
        }
    }
    Ok(())
}

fn require(all: &HeaderMap, name: &str, expected: &str) -> Result<()> {
    match single(all, name)? {
        None => Err(mismatch(format!("the header {name} is missing"))),
        Some(sent) if sent == expected => Ok(()),
        Some(sent) => Err(mismatch(format!(
            "the header {name} is `{}`, the body says `{}`",
            sent.escape_debug(),
            expected.escape_debug()
        ))),
    }
}

/// Whether the `Mcp-Param-*` headers of a call say what its arguments say (`-32020`).
pub fn check_params(all: &HeaderMap, map: &xheader::HeaderMap, arguments: &str) -> Result<()> {
    if map.is_empty() {
        return Ok(());
    }
    let values = map.extract(arguments)?;
    for (entry, value) in map.entries().iter().zip(values) {
        let sent = single(all, &entry.key)?;
        match (sent, value) {
            (None, None) => {}
            (None, Some(_)) => return Err(mismatch(format!("the header {} is missing", entry.key))),
            (Some(_), None) => {
                return Err(mismatch(format!("the header {} is there, but its argument is not", entry.key)));
            }
            (Some(sent), Some(value)) => {
                let decoded = headers::decode(sent)
                    .map_err(|error| mismatch(format!("the header {}: {}", entry.key, error.message())))?;
                if !entry.matches(&decoded, &value) {
                    return Err(mismatch(format!("the header {} does not say what its argument says", entry.key)));
                }
            }
        }
    }
    Ok(())
}

/// A header and the body disagree.
pub fn mismatch(what: String) -> Error {
    Error::new(ErrorKind::HeaderMismatch, format!("Header mismatch: {what}"))
}

/// The status of a JSON answer that holds an error with that code. Legacy revisions answer errors of a request with 200.
pub fn status(era: Era, code: Option<i64>) -> StatusCode {
    match (era, code) {
        (Era::Modern, Some(-32601)) => StatusCode::NOT_FOUND,
        (Era::Modern, Some(-32700 | -32600 | -32602 | -32020 | -32021 | -32022)) => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}
