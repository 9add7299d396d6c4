//! `Client`: one connection of a client and its queue; see `_native.pyi`.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use omniport::bridge::{self, ClientDesk, Queue};
use omniport::engine::client::{CallOptions, ClientEngine, ClientOptions, Operation};
use omniport::error::{Error, ErrorKind, Result};
use omniport::http::{HeaderMap, HeaderName, HeaderValue};
use omniport::io::child::ChildSpec;
use omniport::io::client::ClientConnection;
use omniport::io::client_http::connect_url;
use omniport::io::client_memory::connect_engine;
use omniport::io::client_stdio::connect_command;
use omniport::io::http_options::HttpOptions;
use omniport::io::wake::WakeFd;
use omniport::io::{clock, runtime};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::engine::{Engine, SharedWake, text};
use crate::events;
use crate::fault::raise;

/// One connection of a client.
#[pyclass(frozen)]
pub struct Client {
    options: ClientOptions,
    wake: Arc<WakeFd>,
    queue: Arc<Queue>,
    connection: Mutex<Option<ClientConnection>>,
}

impl Client {
    fn connection(&self) -> MutexGuard<'_, Option<ClientConnection>> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the connection; the token of its opening.
    fn keep(&self, connect: impl FnOnce(ClientOptions, Arc<ClientDesk>) -> Result<ClientConnection>) -> Result<u64> {
        let mut kept = self.connection();
        if kept.is_some() {
            return Err(Error::internal("this client is connected already"));
        }
        let connection = connect(self.options.clone(), Arc::new(ClientDesk::new(Arc::clone(&self.queue))))?;
        let token = connection.opened;
        *kept = Some(connection);
        Ok(token)
    }

    fn engine(&self) -> Result<Arc<ClientEngine>> {
        let kept = self.connection();
        let connection = kept.as_ref().ok_or_else(|| Error::new(ErrorKind::Closed, "the client is not connected"))?;
        Ok(Arc::clone(&connection.engine))
    }
}

#[pymethods]
impl Client {
    #[new]
    fn new(py: Python<'_>, options: &[u8]) -> PyResult<Self> {
        let make = || -> Result<Self> {
            let wake = Arc::new(WakeFd::new()?);
            let queue = Arc::new(Queue::new(Box::new(SharedWake(Arc::clone(&wake)))));
            Ok(Self { options: bridge::parse_client(text(options)?)?, wake, queue, connection: Mutex::new(None) })
        };
        make().map_err(|error| raise(py, &error))
    }

    #[pyo3(signature = (argv, env, cwd))]
    fn connect_command(
        &self,
        py: Python<'_>,
        argv: Vec<String>,
        env: Option<std::collections::BTreeMap<String, String>>,
        cwd: Option<std::path::PathBuf>,
    ) -> PyResult<u64> {
        let connect = |options: ClientOptions, desk: Arc<ClientDesk>| {
            let spec = ChildSpec { argv, env: env.unwrap_or_default().into_iter().collect(), cwd };
            Ok(connect_command(&runtime::shared()?, options, spec, desk))
        };
        self.keep(connect).map_err(|error| raise(py, &error))
    }

    fn connect_url(
        &self,
        py: Python<'_>,
        url: &str,
        headers: std::collections::BTreeMap<String, String>,
    ) -> PyResult<u64> {
        let connect = |options: ClientOptions, desk: Arc<ClientDesk>| {
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                // The value may be a secret: only the name is told.
                let wrong = || Error::definition(format!("the header `{name}` has characters that no header may have"));
                let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong())?;
                map.append(key, HeaderValue::from_str(&value).map_err(|_| wrong())?);
            }
            Ok(connect_url(&runtime::shared()?, options, url, &HttpOptions::with_headers(map), desk))
        };
        self.keep(connect).map_err(|error| raise(py, &error))
    }

    fn connect_engine(&self, py: Python<'_>, server: &Bound<'_, Engine>) -> PyResult<u64> {
        let engine = server.get().serve_in_memory();
        let connect = |options: ClientOptions, desk: Arc<ClientDesk>| {
            Ok(connect_engine(&runtime::shared()?, options, &engine, desk))
        };
        self.keep(connect).map_err(|error| raise(py, &error))
    }

    #[pyo3(signature = (what, params, timeout))]
    fn request(&self, py: Python<'_>, what: &str, params: &[u8], timeout: Option<f64>) -> PyResult<u64> {
        let start = || {
            let operation = Operation::parse(what)
                .ok_or_else(|| Error::definition(format!("there is no operation `{what}` of a client")))?;
            let params = bridge::params_of(operation, text(params)?)?;
            let timeout = timeout.map(Duration::try_from_secs_f64).transpose();
            let timeout = timeout.map_err(|_| Error::definition("`timeout` must be a positive number of seconds"))?;
            let mut options = CallOptions::default();
            options.timeout = timeout;
            Ok(self.engine()?.start(operation, &params, options, clock::now()))
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

    fn wake_fd(&self) -> i32 {
        self.wake.fd()
    }

    fn next_batch<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        events::to_list(py, self.queue.take(events::BATCH))
    }

    fn wait_batch<'py>(&self, py: Python<'py>, seconds: f64) -> PyResult<Bound<'py, PyList>> {
        let patience = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX / 4);
        let queue = Arc::clone(&self.queue);
        let items = py.detach(move || queue.wait(events::BATCH, patience));
        events::to_list(py, items)
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let Some(connection) = self.connection().take() else { return Ok(()) };
        let runtime = runtime::shared().map_err(|error| raise(py, &error))?;
        py.detach(move || runtime.block_on(connection.close()));
        Ok(())
    }
}
