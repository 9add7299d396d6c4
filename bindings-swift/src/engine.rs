//! `Engine`: a server definition, its queue, and its transports.

use std::sync::Arc;
use std::time::Duration;

use omniport::bridge::{Failed, Server};
use omniport::bytes::Bytes;
use omniport::io::after_turn::AfterTurn;
use omniport::io::random::SystemEntropy;
use omniport::io::serving::Serving;
use omniport::io::{clock, http_settings};

use crate::batch::{BATCH, Batch};
use crate::event::Kind;
use crate::fault::Result;
use crate::wake::{SharedWake, TaskWake};

/// One server definition and its queue. Settings, definitions and results are JSON text.
#[derive(uniffi::Object)]
pub struct Engine {
    server: Server,
    serving: Arc<Serving>,
    wake: Arc<TaskWake>,
}

/// The number of a question and, when a replay knows it, its answer.
#[derive(uniffi::Record)]
pub struct Question {
    pub number: u32,
    /// The text of an `Answer` event.
    pub answer: Option<String>,
}

impl Engine {
    /// The engine for clients in the same process.
    pub(crate) fn serve_in_memory(&self) -> Arc<omniport::engine::Engine> {
        if self.server.begin_serving() {
            self.serving.keep_time(self.server.engine());
        }
        Arc::clone(self.server.engine())
    }
}

#[uniffi::export]
impl Engine {
    /// A server with settings; see `bridge::Server::new`.
    #[uniffi::constructor]
    pub fn new(options: &str) -> Result<Arc<Self>> {
        let wake = Arc::<TaskWake>::default();
        let shared = Box::new(AfterTurn::new(Arc::new(SharedWake(Arc::clone(&wake)))));
        let server = Server::new(options, shared, Arc::new(SystemEntropy::new()), clock::now())?;
        Ok(Arc::new(Self { server, serving: Arc::default(), wake }))
    }

    /// Registers a tool; the slot that events name. A name that exists is replaced.
    pub fn add_tool(&self, definition: &str, options: &str) -> Result<u32> {
        Ok(self.server.add_tool(definition, options)?)
    }

    pub fn add_resource(&self, definition: &str, options: &str) -> Result<u32> {
        Ok(self.server.add_resource(definition, options)?)
    }

    pub fn add_template(&self, definition: &str, options: &str) -> Result<u32> {
        Ok(self.server.add_template(definition, options)?)
    }

    pub fn add_prompt(&self, definition: &str, options: &str) -> Result<u32> {
        Ok(self.server.add_prompt(definition, options)?)
    }

    /// `reference`: `{"prompt": name}` or `{"template": uri}`.
    pub fn add_completion(&self, reference: &str, argument: &str) -> Result<u32> {
        Ok(self.server.add_completion(reference, argument)?)
    }

    /// Takes the "tool", "resource", "template" or "prompt" of that name away; whether there was one.
    pub fn remove(&self, kind: &str, name: &str) -> Result<bool> {
        Ok(self.server.remove(kind, name)?)
    }

    /// The variables of an RFC 6570 template, in order.
    pub fn template_variables(&self, template: &str) -> Result<Vec<String>> {
        Ok(Server::template_variables(template)?)
    }

    pub fn resource_updated(&self, uri: &str) {
        self.server.engine().resource_updated(uri);
    }

    /// The value of a limit that is in force; times in seconds.
    pub fn limit(&self, name: &str) -> Result<f64> {
        Ok(self.server.engine().limits().get(name)?)
    }

    /// Waits for events, a `Batch` of `kind token slot`; empty once `stop` was called. Of one task only.
    pub async fn next_batch(&self) -> String {
        loop {
            self.wake.rung().await;
            let items = self.server.queue().take(BATCH);
            if !items.is_empty() || self.wake.has_ended() {
                let mut batch = Batch::default();
                for item in items {
                    batch.add(Kind::from(item.kind) as u8, item.token, item.slot.into(), &item.text);
                }
                return batch.finish();
            }
        }
    }

    /// Lets the reader of events go.
    pub fn stop(&self) {
        self.wake.end();
    }

    /// The answer of a handler, in the shape that its kind of event wants. A token that is over is ignored.
    pub fn complete(&self, token: u64, text: &str) {
        self.serving.collect();
        self.server.complete(token, text, clock::now());
    }

    /// `kind` "tool": an error that a model can read; "protocol": a JSON-RPC error with `code`; "not_found"; "internal": may be masked.
    pub fn fail(&self, token: u64, kind: &str, code: Option<i64>, message: String, data: Option<String>) {
        self.serving.collect();
        self.server.fail(token, Failed { kind, code, message, data }, clock::now());
    }

    /// `{"progress", "total"?, "message"?}` or `{"level", "data", "logger"?}` of a running call.
    pub fn notice(&self, token: u64, text: &str) -> Result<()> {
        self.serving.collect();
        Ok(self.server.notice(token, text)?)
    }

    /// `{"elicit" | "sample" | "roots": params, "key"?}`. Questions asked before `flush` go out in one round.
    pub fn ask(&self, token: u64, question: &str) -> Result<Question> {
        let (number, known) = self.server.ask(token, question)?;
        Ok(Question { number, answer: known.map(|known| String::from_utf8_lossy(&known).into_owned()) })
    }

    /// The kept result of a step, or none when it has not run.
    pub fn step(&self, token: u64, name: &str) -> Option<String> {
        self.server.step(token, name).map(|kept| kept.get().to_owned())
    }

    pub fn keep_step(&self, token: u64, name: &str, value: String) -> Result<()> {
        Ok(self.server.keep_step(token, name, value)?)
    }

    /// Sends what was written and asked since the last flush.
    pub fn flush(&self) {
        self.server.flush(clock::now());
        self.serving.flush();
    }

    /// What a handler may ask about its request, as JSON text.
    pub fn context(&self, token: u64) -> String {
        self.server.context(token)
    }

    /// Ends the event stream of a running call early.
    pub fn close_stream(&self, token: u64) {
        self.server.close_stream(token);
    }

    /// Takes descriptors 0 and 1; whatever else writes to stdout goes to stderr from now on.
    pub fn serve_stdio(&self) -> Result<()> {
        self.server.begin_serving();
        Ok(self.serving.stdio(self.server.engine(), self.server.queue())?)
    }

    /// Listens; the bound address "host:port".
    pub fn serve_http(&self, options: &str) -> Result<String> {
        self.server.begin_serving();
        Ok(self.serving.http(self.server.engine(), &http_settings::parse(options)?)?)
    }

    /// A request of a foreign web server; its answer comes as `Http` events of the returned token.
    pub fn handle_http(&self, head: &str, body: &[u8]) -> Result<u64> {
        if self.server.begin_serving() {
            self.serving.keep_time(self.server.engine());
        }
        Ok(self.server.handle_http(head, Bytes::copy_from_slice(body), clock::now())?)
    }

    pub fn sent_http(&self, token: u64, bytes: u32) {
        self.server.sent_http(token, bytes as usize);
    }

    pub fn drop_http(&self, token: u64) {
        self.server.drop_http(token);
    }

    /// Stops listening, lets running calls go on for `grace` seconds, ends streams, then queues `End`.
    pub fn close(&self, grace: f64) {
        let grace = Duration::try_from_secs_f64(grace).unwrap_or_default();
        self.serving.close(self.server.engine(), self.server.queue(), grace);
    }
}
