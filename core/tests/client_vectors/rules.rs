//! What holds for everything that a client sends, whatever the vector is about.

use std::collections::{HashMap, HashSet};

use bytes::Bytes;
use http::{HeaderMap, Request};
use omniport::protocol::http::headers;
use serde_json::Value;

use super::conforms::conforms;
use super::revisions::MODERN;

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// The requests of one client, and those of its server.
#[derive(Default)]
pub struct Rules {
    ids: HashSet<String>,
    tokens: HashSet<String>,
    /// Requests of the server, and whether they were answered.
    asked: HashMap<String, bool>,
}

impl Rules {
    /// A message of the server, which may be a request.
    pub fn heard(&mut self, message: &Value) {
        if let (Some(id), Some(_)) = (message.get("id"), message.get("method")) {
            self.asked.insert(id.to_string(), false);
        }
    }

    /// Checks a message that the client sent, in a conversation of that revision.
    pub fn message(&mut self, text: &[u8], revision: &str) -> Result<Value, String> {
        let shown = String::from_utf8_lossy(&text[..text.len().min(600)]).into_owned();
        if text.contains(&b'\n') {
            return Err(format!("a line end inside a message: {shown}"));
        }
        let message: Value = serde_json::from_slice(text).map_err(|error| format!("{error}: {shown}"))?;
        let named = |message: &Value| message["params"]["_meta"][VERSION].as_str().map(ToOwned::to_owned);
        let spoken = match message["method"].as_str() {
            Some("initialize") => message["params"]["protocolVersion"].as_str().unwrap_or_default().to_owned(),
            _ => named(&message).unwrap_or_else(|| revision.to_owned()),
        };
        self.check(&message, &spoken).map_err(|error| format!("{error}: {shown}"))?;
        Ok(message)
    }

    fn check(&mut self, message: &Value, revision: &str) -> Result<(), String> {
        if message["jsonrpc"] != "2.0" {
            return Err("no JSON-RPC 2.0".to_owned());
        }
        let Some(method) = message.get("method").and_then(Value::as_str) else {
            return self.answer(message, revision);
        };
        if let Some(id) = message.get("id") {
            if !id.is_i64() && !id.is_u64() && !id.is_string() {
                return Err("an id is a text or an integer".to_owned());
            }
            if !self.ids.insert(id.to_string()) {
                return Err("an id that was used before".to_owned());
            }
        }
        match message["params"]["_meta"].get("progressToken") {
            Some(token) if !self.tokens.insert(token.to_string()) => {
                return Err("a progress token that was used before".to_owned());
            }
            _ => {}
        }
        match definition(method) {
            Some(kind) => conforms(revision, kind, message).map_err(|error| format!("{kind}: {error}")),
            None => Err("a method that no client sends".to_owned()),
        }
    }

    /// A response answers a request of a legacy server, once.
    fn answer(&mut self, message: &Value, revision: &str) -> Result<(), String> {
        if revision == MODERN {
            return Err("a modern client sends no responses".to_owned());
        }
        if message.get("result").is_some() == message.get("error").is_some() {
            return Err("neither or both of `result` and `error`".to_owned());
        }
        match self.asked.get_mut(&message["id"].to_string()) {
            None => Err("an answer to nothing that was asked".to_owned()),
            Some(true) => Err("a second answer".to_owned()),
            Some(answered) => {
                *answered = true;
                Ok(())
            }
        }
    }
}

fn definition(method: &str) -> Option<&'static str> {
    Some(match method {
        "initialize" => "InitializeRequest",
        "ping" => "PingRequest",
        "server/discover" => "DiscoverRequest",
        "tools/list" => "ListToolsRequest",
        "tools/call" => "CallToolRequest",
        "resources/list" => "ListResourcesRequest",
        "resources/templates/list" => "ListResourceTemplatesRequest",
        "resources/read" => "ReadResourceRequest",
        "resources/subscribe" => "SubscribeRequest",
        "resources/unsubscribe" => "UnsubscribeRequest",
        "prompts/list" => "ListPromptsRequest",
        "prompts/get" => "GetPromptRequest",
        "completion/complete" => "CompleteRequest",
        "logging/setLevel" => "SetLevelRequest",
        "subscriptions/listen" => "SubscriptionsListenRequest",
        "notifications/initialized" => "InitializedNotification",
        "notifications/cancelled" => "CancelledNotification",
        "notifications/roots/list_changed" => "RootsListChangedNotification",
        _ => return None,
    })
}

/// Checks the head of an HTTP request, and that it says what its message says.
pub fn head(request: &Request<Bytes>, message: Option<&Value>) -> Result<(), String> {
    let all = request.headers();
    for name in all.keys() {
        if name != "accept" && all.get_all(name).iter().count() > 1 {
            return Err(format!("the header `{name}` is there twice"));
        }
    }
    let accept = text(all, "accept").unwrap_or_default();
    let Some(message) = message else {
        return match request.method().as_str() {
            "GET" if !accept.contains("text/event-stream") => Err("a GET that accepts no event stream".to_owned()),
            _ => Ok(()),
        };
    };
    if text(all, "content-type") != Some("application/json") {
        return Err("a POST whose content type is not JSON".to_owned());
    }
    if !accept.contains("application/json") || !accept.contains("text/event-stream") {
        return Err(format!("a POST accepts JSON and event streams, not {accept:?}"));
    }
    match message["params"]["_meta"].get(VERSION) {
        Some(version) => modern_head(all, message, version.as_str().unwrap_or_default()),
        None => legacy_head(all, message),
    }
}

fn modern_head(all: &HeaderMap, message: &Value, version: &str) -> Result<(), String> {
    let same = |name: &str, wanted: Option<&str>| {
        let found = text(all, name).map(|found| headers::decode(found).map_or(found.to_owned(), Into::into));
        match found.as_deref() == wanted {
            true => Ok(()),
            false => Err(format!("the header `{name}` is {found:?}, the body says {wanted:?}")),
        }
    };
    same("mcp-protocol-version", Some(version))?;
    same("mcp-method", message["method"].as_str())?;
    let name = match message["method"].as_str() {
        Some("tools/call" | "prompts/get") => message["params"]["name"].as_str(),
        Some("resources/read") => message["params"]["uri"].as_str(),
        _ => None,
    };
    same("mcp-name", name)?;
    same("mcp-session-id", None)
}

fn legacy_head(all: &HeaderMap, message: &Value) -> Result<(), String> {
    let is_modern = |name: &str| matches!(name, "mcp-method" | "mcp-name") || name.starts_with("mcp-param-");
    if let Some(name) = all.keys().find(|name| is_modern(name.as_str())) {
        return Err(format!("a legacy request has no header `{name}`"));
    }
    let is_first = message["method"] == "initialize";
    match text(all, "mcp-session-id").is_some() && is_first {
        true => Err("`initialize` begins a session and names none".to_owned()),
        false => Ok(()),
    }
}

fn text<'a>(all: &'a HeaderMap, name: &str) -> Option<&'a str> {
    all.get(name).and_then(|value| value.to_str().ok())
}
