//! What all carriers of a client have in common: the handle of a connection, and the time.

use std::future::Future;
use std::sync::{Arc, Weak};

use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time;

use super::clock;
use crate::engine::client::{ClientEngine, Token};
use crate::error::{Error, ErrorKind};

/// A client's connection under way. Dropped, it closes in the background.
pub struct ClientConnection {
    /// Takes calls at once; they are sent when the connection is made.
    pub engine: Arc<ClientEngine>,
    /// The call whose result says with whom the connection was made.
    pub opened: Token,
    task: Option<JoinHandle<()>>,
}

impl ClientConnection {
    /// Connects: runs `carry` and the engine's clock on `runtime`. The engine is asked first, so that it hears of nothing before.
    pub(super) fn open(
        runtime: &Handle,
        engine: Arc<ClientEngine>,
        carry: impl Future<Output = ()> + Send + 'static,
    ) -> Self {
        let wake = Arc::new(Notify::new());
        let rung = Arc::clone(&wake);
        engine.on_earlier_tick(move || rung.notify_one());
        let clock = tick(Arc::downgrade(&engine), wake);
        let last = LastWord(Arc::clone(&engine));
        let opened = engine.connect(clock::now());
        let task = runtime.spawn(async move {
            let _last = last;
            tokio::select! {
                () = carry => {}
                () = clock => {}
            }
        });
        Self { engine, opened, task: Some(task) }
    }

    /// Ends the connection. Returns when nothing of it is left: a server process has exited, a session is deleted.
    pub async fn close(mut self) {
        self.engine.close();
        if let Some(task) = self.task.take() {
            // Only a runtime that is going away cancels the task, and then nothing is left either.
            let _ = task.await;
        }
    }
}

impl Drop for ClientConnection {
    fn drop(&mut self) {
        self.engine.close();
    }
}

/// Fails whatever still waits when the carrier is gone, also when its runtime was shut down before the client was closed: else nobody
/// would ever hear of it (C10).
struct LastWord(Arc<ClientEngine>);

impl Drop for LastWord {
    fn drop(&mut self) {
        self.0.fail(Error::new(ErrorKind::Closed, "the runtime that carried the connection is gone"));
    }
}

/// Tells the engine the time when it wants to be told; ends with it.
async fn tick(engine: Weak<ClientEngine>, wake: Arc<Notify>) {
    while let Some(next) = engine.upgrade().map(|engine| engine.tick(clock::now())) {
        match next {
            None => wake.notified().await,
            Some(at) => {
                let left = at.saturating_sub(clock::now().monotonic);
                // Either way the engine is told the time.
                let _ = time::timeout(left, wake.notified()).await;
            }
        }
    }
}
