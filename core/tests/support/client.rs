//! The runner's client: what it writes for each revision, and what came back, in the order it came.

use std::collections::VecDeque;

use serde_json::{Map, Value, json};

use super::revisions::MODERN;
use super::vector::ClientSettings;

/// One run's revision and what its client says of itself.
#[derive(Clone)]
pub struct Speaker {
    pub revision: String,
    pub settings: ClientSettings,
}

impl Speaker {
    pub fn is_modern(&self) -> bool {
        self.revision == MODERN
    }

    /// The metadata of a modern request; legacy ones have none.
    pub fn meta(&self) -> Value {
        if !self.is_modern() {
            return json!({});
        }
        json!({
            "io.modelcontextprotocol/protocolVersion": self.revision,
            "io.modelcontextprotocol/clientInfo": {"name": "vectors", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": self.settings.capabilities,
        })
    }

    /// A request in the words of the revision: modern ones get their metadata, members of the vector's own `_meta` win.
    pub fn request(&self, message: &Value) -> Value {
        let mut message = message.clone();
        let members = message.as_object_mut().expect("a request is an object");
        members.insert("jsonrpc".to_owned(), "2.0".into());
        if self.is_modern() {
            let params = members.entry("params").or_insert_with(|| json!({}));
            if let Some(params) = params.as_object_mut() {
                let mut meta = self.meta();
                if let (Some(all), Some(Value::Object(own))) = (meta.as_object_mut(), params.get("_meta")) {
                    all.extend(own.clone());
                }
                params.insert("_meta".to_owned(), meta);
            }
        }
        message
    }

    /// The first message of a legacy client.
    pub fn initialize(&self) -> Value {
        json!({"jsonrpc": "2.0", "id": "handshake", "method": "initialize", "params": {
            "protocolVersion": self.revision,
            "capabilities": self.settings.capabilities,
            "clientInfo": {"name": "vectors", "version": "1"},
        }})
    }

    /// The headers that a message needs over HTTP, lower-case.
    pub fn headers(&self, message: &Value, session: Option<&str>) -> Map<String, Value> {
        let mut headers = Map::new();
        let mut put = |name: &str, value: &str| drop(headers.insert(name.to_owned(), value.into()));
        put("content-type", "application/json");
        put("accept", "application/json, text/event-stream");
        for (name, value) in &self.settings.headers {
            put(name, value);
        }
        if let Some(session) = session {
            put("mcp-session-id", session);
        }
        let is_handshake = message["method"] == "initialize" && !self.is_modern();
        if !is_handshake && self.revision.as_str() >= "2025-06-18" {
            put("mcp-protocol-version", &self.revision);
        }
        if self.is_modern() {
            let method = message["method"].as_str().unwrap_or_default();
            put("mcp-method", method);
            let named = match method {
                "tools/call" | "prompts/get" => message["params"]["name"].as_str(),
                "resources/read" => message["params"]["uri"].as_str(),
                _ => None,
            };
            if let Some(named) = named {
                put("mcp-name", named);
            }
        }
        headers
    }
}

/// Messages that came and were not looked at yet.
#[derive(Default)]
pub struct Inbox(VecDeque<Value>);

impl Inbox {
    pub fn push(&mut self, message: Value) {
        self.0.push_back(message);
    }

    pub fn take(&mut self) -> Vec<Value> {
        self.0.drain(..).collect()
    }
}
