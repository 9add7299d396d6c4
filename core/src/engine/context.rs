//! What a handler may ask about its request.

use serde_json::value::RawValue;

use super::call::Call;
use crate::model::{Era, Params};
use crate::protocol::exchange::Exchange;
use crate::wire::envelope::{self, Message};
use crate::wire::{raw, write};

impl Call {
    /// The request's facts as JSON text: `{"request_id", "era", "protocol_version", "client", "capabilities", "session_id", "headers",
    /// "principal", "meta", "log_level", "wants_progress", "resumed"}`. Members without a value are left out.
    pub fn context(&self) -> String {
        let state = self.state();
        let mut out = Vec::with_capacity(512);
        out.push(b'{');
        if let Some(exchange) = &state.exchange {
            self.write_exchange(&mut out, exchange);
        }
        self.write_origin(&mut out);
        member(&mut out, "resumed", if state.resumed { "true" } else { "false" });
        out.push(b'}');
        String::from_utf8(out).unwrap_or_default()
    }

    fn write_exchange(&self, out: &mut Vec<u8>, exchange: &Exchange) {
        let mut id = Vec::new();
        exchange.id.write(&mut id);
        member(out, "request_id", &String::from_utf8_lossy(&id));
        text_member(out, "era", if exchange.era() == Era::Modern { "modern" } else { "legacy" });
        text_member(out, "protocol_version", exchange.version.as_str());
        if let Some(level) = exchange.level() {
            text_member(out, "log_level", level.as_str());
        }
        member(out, "wants_progress", if exchange.wants_progress() { "true" } else { "false" });
        if let Some(session) = exchange.peer.as_ref().and_then(|peer| peer.session_id.as_deref()) {
            text_member(out, "session_id", session);
        }
        self.write_client(out, exchange);
    }

    /// The client's own words: from the request's metadata, or from the handshake.
    fn write_client(&self, out: &mut Vec<u8>, exchange: &Exchange) {
        if exchange.era() == Era::Legacy {
            if let Some(negotiated) = exchange.peer.as_ref().and_then(|peer| peer.negotiated()) {
                if let Some(info) = &negotiated.client_info {
                    member(out, "client", info.get());
                }
                member(out, "capabilities", negotiated.capabilities_text.get());
            }
            return;
        }
        let limits = self.engine.limits();
        if let Ok(Message::Request { params: Some(params), .. }) =
            envelope::parse::<Params<'_>>(&self.origin.message, limits)
            && let Some(meta) = params.meta
        {
            if let Some(info) = meta.client_info {
                member(out, "client", info.get());
            }
            if let Some(capabilities) = meta.client_capabilities {
                member(out, "capabilities", capabilities.get());
            }
        }
    }

    fn write_origin(&self, out: &mut Vec<u8>) {
        if let Some(head) = &self.origin.head {
            let mut headers = b"{".to_vec();
            for name in head.headers.keys() {
                let values: Vec<_> =
                    head.headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes())).collect();
                text_member(&mut headers, name.as_str(), &values.join(", "));
            }
            headers.push(b'}');
            member(out, "headers", &String::from_utf8_lossy(&headers));
        }
        if let Some(principal) = &self.origin.principal {
            member(out, "principal", principal.text.get());
        }
        let get = |raw, key| raw::get(raw, key).ok().flatten();
        let message: Option<&RawValue> = serde_json::from_slice(&self.origin.message).ok();
        if let Some(meta) = message.and_then(|message| get(message, "params")).and_then(|params| get(params, "_meta")) {
            member(out, "meta", meta.get());
        }
    }
}

fn member(out: &mut Vec<u8>, name: &str, json: &str) {
    if out.len() > 1 {
        out.push(b',');
    }
    write::string(out, name);
    out.push(b':');
    out.extend_from_slice(json.as_bytes());
}

fn text_member(out: &mut Vec<u8>, name: &str, text: &str) {
    let mut json = Vec::with_capacity(text.len() + 2);
    write::string(&mut json, text);
    member(out, name, &String::from_utf8_lossy(&json));
}
