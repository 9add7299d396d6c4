//! A client that speaks plain JSON to a server in memory.

use std::sync::Arc;

use bytes::Bytes;
use omniport::api::App;
use omniport::engine::Connection;
use omniport::io::clock;
use omniport::protocol::sink::{Frame, Sink};
use serde_json::{Value, json};
use tokio::sync::mpsc;

struct Queue(mpsc::UnboundedSender<Value>);

impl Sink for Queue {
    fn send(&self, frame: Frame) {
        let message = serde_json::from_slice(&frame.into_message().into_bytes()).unwrap();
        // A test that ended reads no more.
        let _ = self.0.send(message);
    }
}

/// What a client of these tests says of itself when it can be asked anything.
pub fn able() -> Value {
    json!({"roots": {}, "sampling": {}, "elicitation": {"form": {}, "url": {}}})
}

pub struct Client {
    connection: Connection,
    messages: mpsc::UnboundedReceiver<Value>,
    /// The capabilities of a modern client; a legacy one gave them in its handshake.
    capabilities: Option<Value>,
    last_id: i64,
}

impl Client {
    /// A client that speaks 2026-07-28.
    pub fn modern(app: &App) -> Self {
        Self::open(app, Some(able()))
    }

    /// A modern client that cannot be asked.
    pub fn mute(app: &App) -> Self {
        Self::open(app, Some(json!({})))
    }

    /// A client after its handshake of 2025-11-25.
    pub async fn legacy(app: &App) -> Self {
        let mut client = Self::open(app, None);
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": able(), "clientInfo": {"name": "test", "version": "1"}});
        client.request("initialize", params);
        client.result().await;
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn open(app: &App, capabilities: Option<Value>) -> Self {
        let (sender, messages) = mpsc::unbounded_channel();
        let connection = app.engine().connect(Arc::new(Queue(sender)));
        Self { connection, messages, capabilities, last_id: 0 }
    }

    pub fn send(&self, message: &Value) {
        self.connection.receive(Bytes::from(message.to_string()), clock::now());
    }

    /// Sends a request and returns its id.
    pub fn request(&mut self, method: &str, mut params: Value) -> i64 {
        if let Some(capabilities) = &self.capabilities {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities.clone();
        }
        self.last_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}));
        self.last_id
    }

    /// The next message of the server.
    pub async fn next(&mut self) -> Value {
        self.messages.recv().await.unwrap()
    }

    /// The next message, which must be there already.
    pub fn now(&mut self) -> Value {
        self.messages.try_recv().unwrap()
    }

    /// Whether nothing waits to be read.
    pub fn is_silent(&self) -> bool {
        self.messages.is_empty()
    }

    /// The result that comes next.
    pub async fn result(&mut self) -> Value {
        let mut message = self.next().await;
        assert_eq!(message.get("error"), None, "{message}");
        message["result"].take()
    }

    /// Sends a request and waits for its result.
    pub async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.request(method, params);
        self.result().await
    }

    /// Calls a tool and waits for its result.
    pub async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    /// Calls a tool again with answers to what it asked.
    pub async fn retry(&mut self, tool: &str, arguments: Value, required: &Value, answers: Value) -> Value {
        let state = required["requestState"].clone();
        let params = json!({"name": tool, "arguments": arguments, "requestState": state, "inputResponses": answers});
        self.ask("tools/call", params).await
    }

    /// Answers a question of the server's.
    pub fn answer(&self, question: &Value, result: Value) {
        self.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": result}));
    }

    pub fn close(&self) {
        self.connection.close("the client left");
    }
}

/// The first text of a tool's result.
pub fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}
