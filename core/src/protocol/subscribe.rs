//! What a `subscriptions/listen` request asked for, and the messages of its stream.
//! See <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions>.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::error::{Error, Result};
use crate::model::Method;
use crate::model::params::meta_key;
use crate::wire::{RequestId, write};

/// A change that clients can listen to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change<'a> {
    Tools,
    Prompts,
    Resources,
    Resource(&'a str),
}

impl Change<'_> {
    /// The notification that tells of it.
    pub fn method(self) -> Method {
        match self {
            Self::Tools => Method::ToolsChanged,
            Self::Prompts => Method::PromptsChanged,
            Self::Resources => Method::ResourcesChanged,
            Self::Resource(_) => Method::ResourceUpdated,
        }
    }
}

/// The `notifications` member of a listen request.
#[derive(Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", default)]
pub struct Filter {
    pub tools_list_changed: bool,
    pub prompts_list_changed: bool,
    pub resources_list_changed: bool,
    pub resource_subscriptions: Vec<String>,
}

impl Filter {
    /// Reads the member; it must be there and be an object.
    pub fn parse(raw: Option<&RawValue>) -> Result<Self> {
        let raw = raw.ok_or_else(|| Error::invalid_params("`notifications` is missing"))?;
        serde_json::from_str(raw.get()).map_err(|error| Error::invalid_params(format!("`notifications`: {error}")))
    }

    /// Whether it asks for that change.
    pub fn wants(&self, change: Change<'_>) -> bool {
        match change {
            Change::Tools => self.tools_list_changed,
            Change::Prompts => self.prompts_list_changed,
            Change::Resources => self.resources_list_changed,
            Change::Resource(uri) => self.resource_subscriptions.iter().any(|wanted| wanted == uri),
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.push(b'{');
        let mut first = true;
        let mut flag = |out: &mut Vec<u8>, on: bool, name: &str| {
            if on {
                if !std::mem::take(&mut first) {
                    out.push(b',');
                }
                write::string(out, name);
                out.extend_from_slice(b":true");
            }
        };
        flag(out, self.tools_list_changed, "toolsListChanged");
        flag(out, self.prompts_list_changed, "promptsListChanged");
        flag(out, self.resources_list_changed, "resourcesListChanged");
        if !self.resource_subscriptions.is_empty() {
            if !first {
                out.push(b',');
            }
            out.extend_from_slice(b"\"resourceSubscriptions\":[");
            for (index, uri) in self.resource_subscriptions.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write::string(out, uri);
            }
            out.push(b']');
        }
        out.push(b'}');
    }
}

/// The first message of a subscription: what the server will honour.
pub fn acknowledgement(id: &RequestId, filter: &Filter) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    write::notification_with(&mut out, Method::Acknowledged.as_str(), |out| {
        out.push(b'{');
        write_subscription(out, id);
        out.extend_from_slice(b",\"notifications\":");
        filter.write(out);
        out.push(b'}');
    });
    out
}

/// What tells a client on a shared stream that the server ended the subscription.
/// See <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation>.
pub fn cancellation(id: &RequestId) -> Vec<u8> {
    let mut out = Vec::with_capacity(192);
    write::notification_with(&mut out, Method::Cancelled.as_str(), |out| {
        out.push(b'{');
        write_subscription(out, id);
        out.extend_from_slice(b",\"requestId\":");
        id.write(out);
        out.push(b'}');
    });
    out
}

/// The notification of a change, tagged with its subscription where there is one.
pub fn notification(change: Change<'_>, subscription: Option<&RequestId>) -> Vec<u8> {
    let mut out = Vec::with_capacity(192);
    let method = change.method().as_str();
    match (change, subscription) {
        (Change::Resource(uri), subscription) => write::notification_with(&mut out, method, |out| {
            out.push(b'{');
            if let Some(id) = subscription {
                write_subscription(out, id);
                out.push(b',');
            }
            out.extend_from_slice(b"\"uri\":");
            write::string(out, uri);
            out.push(b'}');
        }),
        (_, Some(id)) => write::notification_with(&mut out, method, |out| {
            out.push(b'{');
            write_subscription(out, id);
            out.push(b'}');
        }),
        (_, None) => write::notification_with(&mut out, method, |out| out.extend_from_slice(b"{}")),
    }
    out
}

/// Writes the `_meta` member that names the subscription.
pub fn write_subscription(out: &mut Vec<u8>, id: &RequestId) {
    out.extend_from_slice(b"\"_meta\":{");
    write::string(out, meta_key::SUBSCRIPTION_ID);
    out.push(b':');
    id.write(out);
    out.push(b'}');
}
