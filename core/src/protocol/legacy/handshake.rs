//! `initialize`: which revision a legacy client and we speak, and what the client can do.
//! See <https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle>.

use serde_json::value::RawValue;

use crate::error::{Error, Result};
use crate::model::params::{self, Params};
use crate::model::{ClientCapabilities, Era, Version};
use crate::protocol::peer::Negotiated;

/// Reads the client's side of the handshake. A revision we do not know, or one without a handshake, is answered with our newest legacy one.
pub fn negotiate(params: Option<&Params<'_>>) -> Result<Negotiated> {
    let params = params.ok_or_else(|| Error::invalid_params("`protocolVersion` is missing"))?;
    let requested = params::required(params.protocol_version, "protocolVersion")?;
    let version =
        Version::parse(&requested).filter(|version| version.era() == Era::Legacy).unwrap_or(Version::NEWEST_LEGACY);
    let empty = || RawValue::from_string("{}".into()).unwrap_or_default();
    let capabilities_text = params.capabilities.map_or_else(empty, ToOwned::to_owned);
    let capabilities = ClientCapabilities::parse(&capabilities_text)?.limited_to(version);
    let client_info = match params.client_info {
        Some(info) if !params::is_object(info) => {
            return Err(Error::invalid_params(format!(
                "`clientInfo` must be an object, got {}",
                params::kind_of(info)
            )));
        }
        info => info.map(ToOwned::to_owned),
    };
    Ok(Negotiated { version, capabilities, capabilities_text, client_info })
}
