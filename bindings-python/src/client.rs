//! `Client`: one connection of a client; see `_native.pyi`.

use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use omniport::bridge::{self, ClientDesk, Listens, Part, Told};
use omniport::engine::client::{CallOptions, ClientEngine, ClientOptions, Operation};
use omniport::error::{Error, ErrorKind, Result};
use omniport::io::client::ClientConnection;
use omniport::io::target::Target;
use omniport::io::{clock, runtime};
use pyo3::prelude::*;

use crate::engine::{Engine, text};
use crate::fault::raise;
use crate::inbox::Inbox;

/// One connection of a client.
#[pyclass(frozen)]
pub struct Client {
    options: ClientOptions,
    desk: Arc<ClientDesk>,
    life: Arc<Mutex<Life>>,
    closes: AtomicU64,
    /// The process it was made in: threads and locks do not survive a fork (P12).
    process: u32,
}

/// How far a connection is.
enum Life {
    New,
    Open(ClientConnection),
    /// Whoever waits for its end: an inbox and the token to put there.
    Closing(Vec<(Arc<bridge::Inbox>, u64)>),
    Closed,
}

fn locked(life: &Mutex<Life>) -> MutexGuard<'_, Life> {
    life.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Client {
    fn check_process(&self) -> Result<()> {
        match std::process::id() == self.process {
            true => Ok(()),
            false => Err(Error::internal("this client was opened before a fork: open one in this process")),
        }
    }

    /// Keeps the connection; the token of its opening.
    fn keep(
        &self,
        inbox: &Inbox,
        connect: impl FnOnce(ClientOptions, Arc<ClientDesk>) -> Result<ClientConnection>,
    ) -> Result<u64> {
        self.check_process()?;
        let mut life = locked(&self.life);
        if !matches!(*life, Life::New) {
            return Err(Error::internal("a connection is made once"));
        }
        let connection = connect(self.options.clone(), Arc::clone(&self.desk))?;
        let token = connection.opened;
        *life = Life::Open(connection);
        drop(life);
        self.desk.route(token, &inbox.inner, Listens::default());
        Ok(token)
    }

    fn engine(&self) -> Result<Arc<ClientEngine>> {
        self.check_process()?;
        match &*locked(&self.life) {
            Life::Open(connection) => Ok(Arc::clone(&connection.engine)),
            _ => Err(Error::new(ErrorKind::Closed, "the client is not connected")),
        }
    }

    /// Ends the connection in the background and tells whoever waits.
    fn end(&self, inbox: &Inbox, token: u64) -> Result<()> {
        self.check_process()?;
        let mut life = locked(&self.life);
        match &mut *life {
            Life::Open(_) => {}
            Life::Closing(waiting) => {
                waiting.push((Arc::clone(&inbox.inner), token));
                return Ok(());
            }
            Life::New | Life::Closed => {
                inbox.inner.push(ended(self.desk.number, token));
                return Ok(());
            }
        }
        let runtime = runtime::shared()?;
        let waiting = Life::Closing(vec![(Arc::clone(&inbox.inner), token)]);
        let Life::Open(connection) = mem::replace(&mut *life, waiting) else { return Ok(()) };
        drop(life);
        let (life, number) = (Arc::clone(&self.life), self.desk.number);
        runtime.spawn(async move {
            connection.close().await;
            let before = mem::replace(&mut *locked(&life), Life::Closed);
            if let Life::Closing(waiting) = before {
                for (inbox, token) in waiting {
                    inbox.push(ended(number, token));
                }
            }
        });
        Ok(())
    }
}

fn ended(client: u64, token: u64) -> Told {
    Told { client, part: Part::Result, token, text: "null".into() }
}

/// Whether a client could be told to connect there, before it is.
#[pyfunction]
pub fn check_target(py: Python<'_>, target: &[u8]) -> PyResult<()> {
    let checked = text(target).and_then(Target::parse);
    checked.map(drop).map_err(|error| raise(py, &error))
}

#[pymethods]
impl Client {
    #[new]
    fn new(py: Python<'_>, home: &Inbox, options: &[u8]) -> PyResult<Self> {
        let make = || -> Result<Self> {
            let (options, listens) = bridge::parse_client(text(options)?)?;
            let desk = Arc::new(ClientDesk::new(Arc::clone(&home.inner), listens, options.limits.host_events));
            let life = Arc::new(Mutex::new(Life::New));
            Ok(Self { options, desk, life, closes: AtomicU64::new(0), process: std::process::id() })
        };
        make().map_err(|error| raise(py, &error))
    }

    fn number(&self) -> u64 {
        self.desk.number
    }

    fn connect_target(&self, py: Python<'_>, inbox: &Inbox, target: &[u8]) -> PyResult<u64> {
        let connect = |options: ClientOptions, desk: Arc<ClientDesk>| {
            Ok(Target::parse(text(target)?)?.connect(&runtime::shared()?, options, desk))
        };
        self.keep(inbox, connect).map_err(|error| raise(py, &error))
    }

    fn connect_engine(&self, py: Python<'_>, inbox: &Inbox, server: &Bound<'_, Engine>) -> PyResult<u64> {
        let engine = server.get().serve_in_memory();
        let connect = |options: ClientOptions, desk: Arc<ClientDesk>| {
            Ok(Target::Server(engine).connect(&runtime::shared()?, options, desk))
        };
        self.keep(inbox, connect).map_err(|error| raise(py, &error))
    }

    #[pyo3(signature = (inbox, what, params, options))]
    fn request(
        &self,
        py: Python<'_>,
        inbox: &Inbox,
        what: &str,
        params: &[u8],
        options: Option<&[u8]>,
    ) -> PyResult<u64> {
        let start = || {
            let operation = Operation::parse(what)
                .ok_or_else(|| Error::definition(format!("there is no operation `{what}` of a client")))?;
            let params = bridge::params_of(operation, text(params)?)?;
            let (options, listens) = match options {
                Some(options) => bridge::parse_call(text(options)?)?,
                None => (CallOptions::default(), Listens::default()),
            };
            let token = self.engine()?.start(operation, &params, options, clock::now());
            self.desk.route(token, &inbox.inner, listens);
            Ok(token)
        };
        start().map_err(|error: Error| raise(py, &error))
    }

    fn cancel(&self, token: u64, reason: &str) {
        if let Ok(engine) = self.engine() {
            engine.cancel(token, reason);
        }
    }

    fn answer(&self, py: Python<'_>, number: u64, answer: &[u8]) -> PyResult<()> {
        let answer = text(answer).map_err(|error| raise(py, &error))?;
        if let Ok(engine) = self.engine() {
            engine.answer(number, answer, clock::now());
        }
        Ok(())
    }

    fn roots_changed(&self, py: Python<'_>) -> PyResult<()> {
        self.engine().map(|engine| engine.roots_changed()).map_err(|error| raise(py, &error))
    }

    fn handled(&self, count: usize) {
        self.desk.handled(count);
    }

    fn move_home(&self, inbox: &Inbox) {
        self.desk.move_home(&inbox.inner);
    }

    fn close(&self, py: Python<'_>, inbox: &Inbox) -> PyResult<u64> {
        // Counted down from above, where no call of the engine's will come.
        let token = u64::MAX - self.closes.fetch_add(1, Ordering::Relaxed);
        self.end(inbox, token).map_err(|error| raise(py, &error))?;
        Ok(token)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if std::process::id() != self.process {
            // Locks of the other process may be held for ever, and what they guard is its business.
            mem::forget(mem::replace(&mut self.life, Arc::new(Mutex::new(Life::Closed))));
        }
    }
}
