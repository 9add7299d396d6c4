//! The parameters of a request: the caller's own, and what the protocol wants in `_meta`.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::input::Input;
use super::options::ClientOptions;
use crate::model::method::NameField;
use crate::model::params::{self, meta_key};
use crate::model::{Era, Level, Version};
use crate::wire::{RequestId, raw, write};

/// What goes into `_meta`.
pub(super) struct Meta<'a> {
    /// The progress token: always sent, since progress also starts the time limit anew (W24).
    pub progress: Option<u64>,
    pub version: Version,
    pub options: &'a ClientOptions,
    pub level: Option<Level>,
}

impl Meta<'_> {
    fn is_ours(key: &str) -> bool {
        const OURS: [&str; 5] = [
            "progressToken",
            meta_key::PROTOCOL_VERSION,
            meta_key::CLIENT_INFO,
            meta_key::CLIENT_CAPABILITIES,
            meta_key::LOG_LEVEL,
        ];
        OURS.contains(&key)
    }

    fn write(&self, out: &mut Vec<u8>) {
        if let Some(token) = self.progress {
            write::key(out, "progressToken");
            RequestId::Int(token.into()).write(out);
        }
        if self.version.era() == Era::Legacy {
            return;
        }
        write::member_string(out, meta_key::PROTOCOL_VERSION, self.version.as_str());
        write::member(out, meta_key::CLIENT_INFO, self.options.info.as_bytes());
        write::member(out, meta_key::CLIENT_CAPABILITIES, self.options.capabilities.as_bytes());
        if let Some(level) = self.level {
            write::member_string(out, meta_key::LOG_LEVEL, level.as_str());
        }
    }
}

/// What a further request of a call carries besides its parameters.
#[derive(Clone, Copy)]
pub(super) enum Extra<'a> {
    None,
    /// The answers of a round.
    Input(&'a Input),
    /// The page that is next.
    Cursor(&'a RawValue),
}

impl Extra<'_> {
    /// Whether a member of the caller's belongs to a request before this one.
    fn replaces(self, key: &str) -> bool {
        match self {
            Self::None => false,
            Self::Input(_) => matches!(key, "inputResponses" | "requestState"),
            Self::Cursor(_) => key == "cursor",
        }
    }

    fn write(self, out: &mut Vec<u8>) {
        match self {
            Self::None => {}
            Self::Input(input) => input.write(out),
            Self::Cursor(cursor) => write::member(out, "cursor", cursor.get().as_bytes()),
        }
    }
}

/// Writes the parameters: the members of the object `own`, then what is extra, then `_meta`.
pub(super) fn write(out: &mut Vec<u8>, own: &str, meta: &Meta<'_>, extra: Extra<'_>) {
    out.push(b'{');
    let mut own_meta = None;
    // Most callers set no `_meta`; an escaped spelling of the key still has a backslash.
    let plain = memchr::memmem::find(own.as_bytes(), b"\"_meta\"").is_none() && !own.contains('\\');
    match own.trim().strip_prefix('{').and_then(|own| own.strip_suffix('}')) {
        Some(members) if plain && matches!(extra, Extra::None) => out.extend_from_slice(members.trim().as_bytes()),
        _ => own_meta = write_members(out, own, extra),
    }
    extra.write(out);
    write::key(out, "_meta");
    out.push(b'{');
    let own_meta: Option<&RawValue> = own_meta.as_deref();
    for (key, value) in own_meta.and_then(|own| raw::members(own).ok()).into_iter().flatten() {
        if !Meta::is_ours(&key) {
            write::member(out, &key, value.get().as_bytes());
        }
    }
    meta.write(out);
    write::close(out);
    write::close(out);
}

/// Writes members one by one, but for those that are replaced; gives back `_meta`.
fn write_members(out: &mut Vec<u8>, own: &str, extra: Extra<'_>) -> Option<Box<RawValue>> {
    let own: &RawValue = serde_json::from_str(own).ok()?;
    let mut own_meta = None;
    for (key, value) in raw::members(own).into_iter().flatten() {
        match &*key {
            "_meta" => own_meta = Some(value.to_owned()),
            key if extra.replaces(key) => {}
            key => write::member(out, key, value.get().as_bytes()),
        }
    }
    own_meta
}

/// What `Mcp-Name` mirrors.
pub(super) fn name(own: &RawValue, field: NameField) -> Option<String> {
    let member = match field {
        NameField::Name => "name",
        NameField::Uri => "uri",
    };
    let value = raw::get(own, member).ok().flatten()?;
    params::text(value, member).ok().map(Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(own: &str, version: Version) -> String {
        let options = ClientOptions::new("c", "1");
        let mut out = Vec::new();
        write(&mut out, own, &Meta { progress: Some(7), version, options: &options, level: None }, Extra::None);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_caller_keeps_its_members_and_its_meta() {
        assert_eq!(written("{}", Version::V2025_11_25), r#"{"_meta":{"progressToken":7}}"#);
        assert_eq!(written(r#" { "n":1.0 } "#, Version::V2025_11_25), r#"{"n":1.0,"_meta":{"progressToken":7}}"#);
        assert_eq!(
            written(r#"{"_meta":{"a/b":1,"progressToken":"x"},"name":"t"}"#, Version::V2025_11_25),
            r#"{"name":"t","_meta":{"a/b":1,"progressToken":7}}"#
        );
    }

    #[test]
    fn modern_requests_say_who_asks() {
        let text = written("{}", Version::V2026_07_28);
        assert!(text.contains(r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#), "{text}");
        assert!(text.contains(r#""io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}"#));
        assert!(text.contains(r#""io.modelcontextprotocol/clientCapabilities":{}"#));
        assert!(!text.contains("logLevel"));
    }
}
