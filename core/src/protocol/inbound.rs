//! Which era a request belongs to, and whether it may be served: a ladder, first rung that decides wins.
//!
//! 1. A method that no revision knows is not found.
//! 2. `_meta` with any member that only modern requests have claims the modern era. Version and capabilities must then be there and
//!    well formed (`-32602`), the version must be one we speak (`-32022`) and the method must exist in it (`-32601`).
//! 3. Without such a claim, a method that only the modern era has is malformed (`-32602`), and so is a request whose HTTP header
//!    names a modern version: the body decides, the header only cross-checks.
//! 4. Everything else is legacy.
//!
//! See <https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta> and `basic/versioning`.

use serde_json::value::RawValue;

use crate::error::{Error, ErrorKind, Result};
use crate::model::params::{self, meta_key};
use crate::model::{ClientCapabilities, Era, Level, Meta, Method, Params, Version};
use crate::wire::write;

/// Where the ladder led.
#[derive(Debug, PartialEq, Eq)]
pub enum Route {
    /// A request that carries everything it needs.
    Modern { method: Method, version: Version, capabilities: ClientCapabilities, level: Option<Level> },
    /// A request of a handshake's session. Whether its revision has the method is for the session to say.
    Legacy { method: Method },
}

/// Decides the route of a request. `header` is the value of `MCP-Protocol-Version`, where there is one.
pub fn route(name: &str, params: Option<&Params<'_>>, header: Option<&str>) -> Result<Route> {
    let meta = params.and_then(|params| params.meta.as_ref());
    let method = Method::parse(name);
    if let Some(meta) = meta.filter(|meta| claims_modern(meta)) {
        let (version, capabilities, level) = metadata(meta)?;
        let method =
            method.filter(|method| method.reaches_server(version)).ok_or_else(|| Error::method_not_found(name))?;
        return Ok(Route::Modern { method, version, capabilities, level });
    }
    let header_is_modern = header.and_then(Version::parse).is_some_and(|version| version.era() == Era::Modern);
    let method = match method {
        Some(method) => method,
        None if header_is_modern => return Err(missing(meta_key::PROTOCOL_VERSION)),
        None => return Err(Error::method_not_found(name)),
    };
    if header_is_modern || method.row().first.era() == Era::Modern {
        return Err(missing(meta_key::PROTOCOL_VERSION));
    }
    Ok(Route::Legacy { method })
}

/// Whether `_meta` carries what only modern requests carry.
pub fn claims_modern(meta: &Meta<'_>) -> bool {
    let members = [meta.protocol_version, meta.client_capabilities, meta.client_info, meta.log_level];
    members.iter().any(Option::is_some)
}

fn metadata(meta: &Meta<'_>) -> Result<(Version, ClientCapabilities, Option<Level>)> {
    let name = params::text(
        meta.protocol_version.ok_or_else(|| missing(meta_key::PROTOCOL_VERSION))?,
        meta_key::PROTOCOL_VERSION,
    )?;
    let version = Version::parse(&name)
        .filter(|version| version.era() == Era::Modern)
        .ok_or_else(|| unsupported_version(&name))?;
    let capabilities = meta.client_capabilities.ok_or_else(|| missing(meta_key::CLIENT_CAPABILITIES))?;
    let capabilities = ClientCapabilities::parse(capabilities)?.limited_to(version);
    if let Some(info) = meta.client_info.filter(|info| !params::is_object(info)) {
        return Err(wrong(meta_key::CLIENT_INFO, "an object", info));
    }
    let level = match meta.log_level {
        None => None,
        Some(raw) => Some(level(&params::text(raw, meta_key::LOG_LEVEL)?)?),
    };
    Ok((version, capabilities, level))
}

/// The log level of that name (X05).
pub fn level(name: &str) -> Result<Level> {
    Level::parse(name).ok_or_else(|| {
        Error::invalid_params(format!(
            "unknown log level `{}`: expected debug, info, notice, warning, error, critical, alert or emergency",
            name.escape_debug()
        ))
    })
}

/// The error for a revision we do not speak in the way it was asked for (`-32022`).
pub fn unsupported_version(requested: &str) -> Error {
    let mut data = b"{\"supported\":[".to_vec();
    write_supported_versions(&mut data);
    data.extend_from_slice(b"],\"requested\":");
    write::string(&mut data, requested);
    data.push(b'}');
    let error = Error::new(ErrorKind::UnsupportedVersion, "Unsupported protocol version");
    match String::from_utf8(data).ok().and_then(|text| RawValue::from_string(text).ok()) {
        Some(data) => error.with_data(data),
        None => error,
    }
}

/// The revisions we speak, newest first: those of `server/discover` and of the error above are the same, legacy ones included,
/// because both tell a client with which of its revisions it may come back.
pub fn write_supported_versions(out: &mut Vec<u8>) {
    for (index, version) in Version::ALL.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write::string(out, version.as_str());
    }
}

fn missing(key: &str) -> Error {
    Error::invalid_params(format!("`_meta` must carry `{key}`"))
}

fn wrong(key: &str, expected: &str, got: &RawValue) -> Error {
    Error::invalid_params(format!("`_meta` member `{key}` must be {expected}, got {}", params::kind_of(got)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(name: &str, params: &str, header: Option<&str>) -> i64 {
        let params: Params<'_> = serde_json::from_str(params).unwrap();
        route(name, Some(&params), header).map_or_else(|error| error.code(), |_| 0)
    }

    const CLAIM: &str = r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}"#;

    #[test]
    fn a_complete_claim_is_modern() {
        let params: Params<'_> = serde_json::from_str(CLAIM).unwrap();
        let expected = Route::Modern {
            method: Method::ListTools,
            version: Version::V2026_07_28,
            capabilities: ClientCapabilities::default(),
            level: None,
        };
        assert_eq!(route("tools/list", Some(&params), None).unwrap(), expected);
    }

    #[test]
    fn each_rung_has_its_code() {
        assert_eq!(code("nope", CLAIM, None), -32601);
        assert_eq!(code("ping", CLAIM, None), -32601);
        assert_eq!(code("nope", "{}", None), -32601);
        assert_eq!(code("server/discover", "{}", None), -32602);
        assert_eq!(code("tools/list", "{}", Some("2026-07-28")), -32602);
        assert_eq!(code("tools/list", "{}", Some("2025-11-25")), 0);
        let old = CLAIM.replace("2026-07-28", "1900-01-01");
        assert_eq!(code("tools/list", &old, None), -32022);
        let no_capabilities = r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#;
        assert_eq!(code("tools/list", no_capabilities, None), -32602);
        let no_version = r#"{"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}}"#;
        assert_eq!(code("tools/list", no_version, None), -32602);
    }
}
