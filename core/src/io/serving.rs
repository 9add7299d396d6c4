//! The transports that a language's server is served on, and their common end.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;

use super::http_server::{HttpServer, HttpServerOptions};
use super::stdio::{StdioHandle, serve_stdio};
use super::timers;
use crate::bridge::{Item, ItemKind, Queue};
use crate::engine::Engine;
use crate::error::{Error, Result};

/// Nothing will follow.
const END: Item = Item { kind: ItemKind::End, token: 0, slot: 0, text: Bytes::new() };

/// Everything that is served.
#[derive(Default)]
pub struct Serving {
    state: Mutex<State>,
    /// Whether answers are collected until the next flush. Changed under the lock of `state` only, together with the batch that it
    /// stands for: between the two another thread's flush once left a batch open for ever, with the answers in it.
    collecting: AtomicBool,
    /// Transports that have not ended.
    open: Arc<AtomicUsize>,
}

#[derive(Default)]
struct State {
    stdio: Option<StdioHandle>,
    http: Vec<Arc<HttpServer>>,
}

impl Serving {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the engine told the time, where no transport of ours does it.
    pub fn keep_time(&self, engine: &Arc<Engine>) {
        engine.reopen();
        timers::drive(engine);
    }

    /// Listens. Returns the address it is bound to.
    pub fn http(&self, engine: &Arc<Engine>, options: &HttpServerOptions) -> Result<String> {
        engine.reopen();
        let server = Arc::new(HttpServer::bind(engine, options)?);
        self.open.fetch_add(1, Ordering::AcqRel);
        let address = server.local_addr().to_string();
        self.state().http.push(server);
        Ok(address)
    }

    /// Takes nothing new, lets what runs go on for `grace`, ends streams, and then ends the queue. Returns at once.
    pub fn close(self: &Arc<Self>, engine: &Arc<Engine>, queue: &Arc<Queue>, grace: Duration) {
        let (stdio, servers) = {
            let mut state = self.state();
            (state.stdio.clone(), std::mem::take(&mut state.http))
        };
        engine.drain();
        engine.end_streams();
        if stdio.is_none() && servers.is_empty() {
            queue.push(END);
            return;
        }
        let (engine, queue, serving) = (Arc::clone(engine), Arc::clone(queue), Arc::clone(self));
        let close = move || {
            if let Some(stdio) = stdio {
                stdio.close(grace);
            }
            for server in servers {
                server.shutdown(grace);
                transport_ended(&serving.open, &queue);
            }
            drop(engine);
        };
        // The caller's thread may be the one that running calls need to finish.
        if let Err(error) = std::thread::Builder::new().name("omniport-close".into()).spawn(close) {
            tracing::error!(%error, "no thread to close the server on");
        }
    }

    /// Serves descriptors 0 and 1.
    pub fn stdio(&self, engine: &Arc<Engine>, queue: &Arc<Queue>) -> Result<()> {
        engine.reopen();
        let mut state = self.state();
        if state.stdio.as_ref().is_some_and(|stdio| !stdio.is_over()) {
            return Err(Error::internal("stdio is served already"));
        }
        let handle = serve_stdio(engine)?;
        self.open.fetch_add(1, Ordering::AcqRel);
        let (open, queue) = (Arc::clone(&self.open), Arc::clone(queue));
        handle.on_end(move |_| transport_ended(&open, &queue));
        self.collecting.store(false, Ordering::Release);
        state.stdio = Some(handle);
        Ok(())
    }

    /// Collects what is sent until [`Serving::flush`], so that the answers of one tick leave in one write.
    pub fn collect(&self) {
        if self.collecting.load(Ordering::Acquire) {
            return;
        }
        let state = self.state();
        if let Some(stdio) = &state.stdio
            && !self.collecting.swap(true, Ordering::AcqRel)
        {
            stdio.begin_batch();
        }
    }

    /// Sends what was collected.
    pub fn flush(&self) {
        if !self.collecting.load(Ordering::Acquire) {
            return;
        }
        let stdio = {
            let state = self.state();
            if !self.collecting.swap(false, Ordering::AcqRel) {
                return;
            }
            state.stdio.clone()
        };
        // Not under the lock: it writes.
        if let Some(stdio) = stdio {
            stdio.end_batch();
        }
    }
}

fn transport_ended(open: &AtomicUsize, queue: &Queue) {
    if open.fetch_sub(1, Ordering::AcqRel) == 1 {
        queue.push(END);
    }
}
