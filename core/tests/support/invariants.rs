//! What holds for every message that a server sends, whatever the vector is about.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::conforms::conforms;
use super::revisions::MODERN;

/// The requests of one client, and which of them were answered.
#[derive(Default)]
pub struct Ledger {
    methods: HashMap<String, String>,
    answered: HashSet<String>,
}

impl Ledger {
    /// A message that the client sent.
    pub fn sent(&mut self, message: &Value) {
        if let (Some(id), Some(method)) = (message.get("id"), message.get("method").and_then(Value::as_str)) {
            self.methods.insert(id.to_string(), method.to_owned());
            self.answered.remove(&id.to_string());
        }
    }

    /// Checks a message that the server sent.
    pub fn check(&mut self, text: &[u8], revision: &str) -> Result<Value, String> {
        let shown = || String::from_utf8_lossy(&text[..text.len().min(600)]).into_owned();
        let message: Value = serde_json::from_slice(text).map_err(|error| format!("{error}: {}", shown()))?;
        match &message {
            Value::Array(batch) => {
                if revision != "2025-03-26" {
                    return Err(format!("a batch for {revision}: {}", shown()));
                }
                for message in batch {
                    self.check_one(message, revision)?;
                }
            }
            one => self.check_one(one, revision)?,
        }
        Ok(message)
    }

    fn check_one(&mut self, message: &Value, revision: &str) -> Result<(), String> {
        if message["jsonrpc"] != "2.0" {
            return Err(format!("no JSON-RPC 2.0: {message}"));
        }
        let is_error = message.get("error").is_some();
        if is_error == message.get("result").is_some() && message.get("method").is_none() {
            return Err(format!("neither or both of `result` and `error`: {message}"));
        }
        if is_error {
            return self.check_error(message);
        }
        if let Some(method) = message.get("method").and_then(Value::as_str) {
            let is_request = message.get("id").is_some();
            if is_request && revision == MODERN {
                return Err(format!("a modern server sends no requests: {message}"));
            }
            let kind = if is_request { "ServerRequest" } else { "ServerNotification" };
            // An acknowledgement or a cancellation may have members that an older schema does not know; objects are open.
            return conforms(revision, kind, message).map_err(|error| format!("{method}: {error}"));
        }
        let id = self.answers(message)?;
        let method = self.methods.get(&id).cloned().unwrap_or_default();
        let result = &message["result"];
        if revision == MODERN && method != "initialize" {
            if !result["resultType"].is_string() {
                return Err(format!("a modern result without `resultType`: {message}"));
            }
            if !result["_meta"]["io.modelcontextprotocol/serverInfo"].is_object() {
                return Err(format!("a modern result without `serverInfo`: {message}"));
            }
        }
        let kind = match (method.as_str(), result["resultType"].as_str()) {
            (_, Some("input_required")) => "InputRequiredResult",
            ("initialize", _) => "InitializeResult",
            ("server/discover", _) => "DiscoverResult",
            ("tools/list", _) => "ListToolsResult",
            ("tools/call", _) => "CallToolResult",
            ("resources/list", _) => "ListResourcesResult",
            ("resources/templates/list", _) => "ListResourceTemplatesResult",
            ("resources/read", _) => "ReadResourceResult",
            ("prompts/list", _) => "ListPromptsResult",
            ("prompts/get", _) => "GetPromptResult",
            ("completion/complete", _) => "CompleteResult",
            _ => return Ok(()),
        };
        // A modern run may speak legacy in passing, and the other way round: only its own revision's results are looked at.
        let modern_result = result.get("resultType").is_some();
        match modern_result == (revision == MODERN) {
            true => conforms(revision, kind, result).map_err(|error| format!("{kind}: {error}: {message}")),
            false => Ok(()),
        }
    }

    fn check_error(&mut self, message: &Value) -> Result<(), String> {
        let error = &message["error"];
        if !error["code"].is_i64() || error["code"] == 0 || !error["message"].is_string() {
            return Err(format!("an error needs an integer code other than 0 and a message: {message}"));
        }
        match message.get("id") {
            None => Ok(()),
            Some(Value::Null) => Err(format!("an id that could not be read is left out: {message}")),
            Some(_) => self.answers(message).map(drop),
        }
    }

    /// Notes the answer to a request: there is one for each, and none for anything else.
    fn answers(&mut self, message: &Value) -> Result<String, String> {
        let id = message["id"].to_string();
        if !self.methods.contains_key(&id) {
            return Err(format!("an answer to nothing that was asked: {message}"));
        }
        match self.answered.insert(id.clone()) {
            true => Ok(id),
            false => Err(format!("a second answer: {message}")),
        }
    }
}
