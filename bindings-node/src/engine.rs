//! `Engine`: a server definition, its queue, and its transports; see `native.ts`.

use std::mem;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use napi::bindgen_prelude::{Buffer, Function, Uint8Array};
use napi_derive::napi;
use omniport::bridge::{Failed, Item, ItemKind, Server};
use omniport::bytes::Bytes;
use omniport::error::Error;
use omniport::io::random::SystemEntropy;
use omniport::io::serving::Serving;
use omniport::io::{clock, http_settings};

use crate::batch::{BATCH, Batch, Payload, marked};
use crate::fault::{Result, thrown};
use crate::wake::JsWake;

/// The slot of an HTTP event that has a part of the body.
const HTTP_BODY: u32 = 1;

/// One server definition and its queue.
#[napi]
pub struct Engine {
    server: Server,
    serving: Arc<Serving>,
    bigint: bool,
    /// Of the batch that was taken last.
    bodies: Mutex<Vec<Bytes>>,
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

#[napi]
impl Engine {
    #[napi(constructor, catch_unwind)]
    pub fn new(options: String, bigint: bool, wake: Function<'_, (), ()>) -> Result<Self> {
        let wake = JsWake::new(wake).map_err(|error| thrown(Error::internal(error.reason.clone())))?;
        let server =
            Server::new(&options, Box::new(wake), Arc::new(SystemEntropy::new()), clock::now()).map_err(thrown)?;
        Ok(Self { server, serving: Arc::default(), bigint, bodies: Mutex::default() })
    }

    #[napi(catch_unwind)]
    pub fn add_tool(&self, definition: String, options: String) -> Result<u32> {
        self.server.add_tool(&definition, &options).map_err(thrown)
    }

    #[napi(catch_unwind)]
    pub fn add_resource(&self, definition: String, options: String) -> Result<u32> {
        self.server.add_resource(&definition, &options).map_err(thrown)
    }

    #[napi(catch_unwind)]
    pub fn add_template(&self, definition: String, options: String) -> Result<u32> {
        self.server.add_template(&definition, &options).map_err(thrown)
    }

    #[napi(catch_unwind)]
    pub fn add_prompt(&self, definition: String, options: String) -> Result<u32> {
        self.server.add_prompt(&definition, &options).map_err(thrown)
    }

    #[napi(catch_unwind)]
    pub fn add_completion(&self, reference: String, argument: String) -> Result<u32> {
        self.server.add_completion(&reference, &argument).map_err(thrown)
    }

    #[napi(catch_unwind)]
    pub fn remove(&self, kind: String, name: String) -> Result<bool> {
        self.server.remove(&kind, &name).map_err(thrown)
    }

    #[napi(catch_unwind)]
    pub fn template_variables(&self, template: String) -> Result<Vec<String>> {
        Server::template_variables(&template).map_err(thrown)
    }

    #[napi(catch_unwind)]
    pub fn resource_updated(&self, uri: String) {
        self.server.engine().resource_updated(&uri);
    }

    #[napi(catch_unwind)]
    pub fn limit(&self, name: String) -> Result<f64> {
        self.server.engine().limits().get(&name).map_err(thrown)
    }

    #[napi(catch_unwind)]
    pub fn take_batch(&self) -> String {
        let items = self.server.queue().take(BATCH);
        if items.is_empty() {
            return String::new();
        }
        let mut batch = Batch::new(Batch::room(items.iter().map(|item| &item.text)), self.bigint);
        let mut bodies = Vec::new();
        for Item { kind, token, slot, text } in items {
            let payload = match kind {
                ItemKind::Http if slot == HTTP_BODY => Payload::Index(bodies.len()),
                _ if text.is_empty() => Payload::Null,
                ItemKind::Cancel | ItemKind::Report => Payload::Text(&text),
                _ => Payload::Json(&text),
            };
            batch.add([kind as u64, token, slot.into()], &payload);
            if matches!(payload, Payload::Index(_)) {
                bodies.push(text);
            }
        }
        *self.bodies.lock().unwrap_or_else(PoisonError::into_inner) = bodies;
        batch.finish()
    }

    #[napi(catch_unwind)]
    pub fn take_bodies(&self) -> Vec<Buffer> {
        let bodies = mem::take(&mut *self.bodies.lock().unwrap_or_else(PoisonError::into_inner));
        bodies.into_iter().map(|body| Buffer::from(Vec::from(body))).collect()
    }

    #[napi(catch_unwind)]
    pub fn settle(&self, lines: String) {
        let now = clock::now();
        self.serving.collect();
        for line in lines.lines() {
            if let Some((token, result)) = line.split_once(' ')
                && let Ok(token) = token.parse()
            {
                self.server.complete(token, result, now);
            }
        }
        self.server.flush(now);
        self.serving.flush();
    }

    #[napi(catch_unwind)]
    pub fn fail(&self, token: f64, kind: String, code: Option<i64>, message: String, data: Option<String>) {
        self.serving.collect();
        self.server.fail(token as u64, Failed { kind: &kind, code, message, data }, clock::now());
    }

    #[napi(catch_unwind)]
    pub fn notice(&self, token: f64, text: String) -> Result<()> {
        self.serving.collect();
        self.server.notice(token as u64, &text).map_err(thrown)
    }

    #[napi(catch_unwind)]
    pub fn ask(&self, token: f64, question: String) -> Result<(u32, Option<String>)> {
        let (number, known) = self.server.ask(token as u64, &question).map_err(thrown)?;
        Ok((number, known.map(|known| String::from_utf8_lossy(&known).into_owned())))
    }

    #[napi(catch_unwind)]
    pub fn step(&self, token: f64, name: String) -> Option<String> {
        self.server.step(token as u64, &name).map(|kept| kept.get().to_owned())
    }

    #[napi(catch_unwind)]
    pub fn keep_step(&self, token: f64, name: String, value: String) -> Result<()> {
        self.server.keep_step(token as u64, &name, value).map_err(thrown)
    }

    #[napi(catch_unwind)]
    pub fn flush(&self) {
        self.server.flush(clock::now());
        self.serving.flush();
    }

    #[napi(catch_unwind)]
    pub fn context(&self, token: f64) -> String {
        marked(&self.server.context(token as u64))
    }

    #[napi(catch_unwind)]
    pub fn close_stream(&self, token: f64) {
        self.server.close_stream(token as u64);
    }

    #[napi(catch_unwind)]
    pub fn serve_stdio(&self) -> Result<()> {
        self.server.begin_serving();
        self.serving.stdio(self.server.engine(), self.server.queue()).map_err(thrown)
    }

    #[napi(catch_unwind)]
    pub fn serve_http(&self, options: String) -> Result<String> {
        self.server.begin_serving();
        let serve = || self.serving.http(self.server.engine(), &http_settings::parse(&options)?);
        serve().map_err(thrown)
    }

    #[napi(catch_unwind)]
    pub fn handle_http(&self, head: String, body: Uint8Array) -> Result<f64> {
        if self.server.begin_serving() {
            self.serving.keep_time(self.server.engine());
        }
        let body = Bytes::copy_from_slice(&body);
        self.server.handle_http(&head, body, clock::now()).map(|token| token as f64).map_err(thrown)
    }

    #[napi(catch_unwind)]
    pub fn sent_http(&self, token: f64, bytes: u32) {
        self.server.sent_http(token as u64, bytes as usize);
    }

    #[napi(catch_unwind)]
    pub fn drop_http(&self, token: f64) {
        self.server.drop_http(token as u64);
    }

    #[napi(catch_unwind)]
    pub fn close(&self, grace: f64) {
        let grace = Duration::try_from_secs_f64(grace).unwrap_or_default();
        self.serving.close(self.server.engine(), self.server.queue(), grace);
    }
}

/// Whether the limit of that name is a time.
#[napi(catch_unwind)]
pub fn is_time(limit: String) -> Result<bool> {
    omniport::limits::Limits::is_time(&limit).map_err(thrown)
}
