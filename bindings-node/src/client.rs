//! `Client`: one connection of a client; see `native.ts`.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use napi::bindgen_prelude::ClassInstance;
use napi_derive::napi;
use omniport::bridge;
use omniport::io::client_face::ClientFace;
use omniport::io::target::Target;

use crate::engine::Engine;
use crate::fault::{Result, thrown};
use crate::inbox::Inbox;

/// One connection of a client.
#[napi]
pub struct Client {
    face: ClientFace,
    inbox: Arc<bridge::Inbox>,
}

#[napi]
impl Client {
    #[napi(constructor, catch_unwind)]
    pub fn new(inbox: ClassInstance<'_, Inbox>, options: String, bigint: bool) -> Result<Self> {
        if bigint {
            inbox.bigint.store(true, Ordering::Relaxed);
        }
        let inbox = Arc::clone(&inbox.inner);
        Ok(Self { face: ClientFace::new(&inbox, &options).map_err(thrown)?, inbox })
    }

    #[napi(catch_unwind)]
    pub fn number(&self) -> f64 {
        self.face.desk().number as f64
    }

    #[napi(catch_unwind)]
    pub fn connect_target(&self, target: String) -> Result<f64> {
        self.face.connect_target(&self.inbox, &target).map(|token| token as f64).map_err(thrown)
    }

    #[napi(catch_unwind)]
    pub fn connect_engine(&self, server: ClassInstance<'_, Engine>) -> Result<f64> {
        let engine = server.serve_in_memory();
        self.face.connect_server(&self.inbox, engine).map(|token| token as f64).map_err(thrown)
    }

    #[napi(catch_unwind)]
    pub fn request(&self, what: String, params: String, options: Option<String>) -> Result<f64> {
        let token = self.face.request(&self.inbox, &what, &params, options.as_deref());
        token.map(|token| token as f64).map_err(thrown)
    }

    #[napi(catch_unwind)]
    pub fn cancel(&self, token: f64, reason: String) {
        self.face.cancel(token as u64, &reason);
    }

    #[napi(catch_unwind)]
    pub fn answer(&self, number: f64, answer: String) {
        self.face.answer(number as u64, &answer);
    }

    #[napi(catch_unwind)]
    pub fn roots_changed(&self) -> Result<()> {
        self.face.roots_changed().map_err(thrown)
    }

    #[napi(catch_unwind)]
    pub fn handled(&self, count: u32) {
        self.face.desk().handled(count as usize);
    }

    #[napi(catch_unwind)]
    pub fn close(&self) -> Result<f64> {
        self.face.close(&self.inbox).map(|token| token as f64).map_err(thrown)
    }
}

/// Whether a client could be told to connect there, before it is.
#[napi(catch_unwind)]
pub fn check_target(target: String) -> Result<()> {
    Target::parse(&target).map(drop).map_err(thrown)
}
