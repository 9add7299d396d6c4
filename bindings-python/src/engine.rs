//! `Engine`: a server definition, its queue, and its transports; see `_native.pyi`.

use std::sync::Arc;
use std::time::Duration;

use omniport::bridge::{Failed, Server, Wake};
use omniport::bytes::Bytes;
use omniport::error::{Error, Result};
use omniport::io::random::SystemEntropy;
use omniport::io::serving::Serving;
use omniport::io::wake::WakeFd;
use omniport::io::{clock, http_settings};
use omniport::registry::Slot;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::events;
use crate::fault::raise;

/// One server definition and its queue.
#[pyclass(frozen)]
pub struct Engine {
    server: Server,
    serving: Arc<Serving>,
    wake: Arc<WakeFd>,
    /// The process it was made in: threads and locks do not survive a fork (P12).
    process: u32,
}

/// Lets the queue and Python share one descriptor.
pub(crate) struct SharedWake(pub(crate) Arc<WakeFd>);

impl Wake for SharedWake {
    fn wake(&self) {
        self.0.wake();
    }

    fn clear(&self) {
        self.0.clear();
    }
}

/// Text that crossed as bytes.
pub(crate) fn text(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|_| Error::invalid_params("text that crosses must be UTF-8"))
}

impl Engine {
    /// The engine for clients in the same process.
    pub(crate) fn serve_in_memory(&self) -> Arc<omniport::engine::Engine> {
        if self.server.begin_serving() {
            self.serving.keep_time(self.server.engine());
        }
        Arc::clone(self.server.engine())
    }

    fn check_process(&self) -> Result<()> {
        if std::process::id() == self.process {
            return Ok(());
        }
        Err(Error::internal("this server was made before a fork: make it in the process that serves it"))
    }
}

#[pymethods]
impl Engine {
    #[new]
    fn new(py: Python<'_>, options: &[u8]) -> PyResult<Self> {
        let make = || -> Result<Self> {
            let wake = Arc::new(WakeFd::new()?);
            let shared = Box::new(SharedWake(Arc::clone(&wake)));
            let server = Server::new(text(options)?, shared, Arc::new(SystemEntropy::new()), clock::now())?;
            Ok(Self { server, serving: Arc::default(), wake, process: std::process::id() })
        };
        make().map_err(|error| raise(py, &error))
    }

    fn limit(&self, py: Python<'_>, name: &str) -> PyResult<f64> {
        self.server.engine().limits().get(name).map_err(|error| raise(py, &error))
    }

    fn add_tool(&self, py: Python<'_>, definition: &[u8], options: &[u8]) -> PyResult<Slot> {
        let add = || self.server.add_tool(text(definition)?, text(options)?);
        add().map_err(|error| raise(py, &error))
    }

    fn add_resource(&self, py: Python<'_>, definition: &[u8], options: &[u8]) -> PyResult<Slot> {
        let add = || self.server.add_resource(text(definition)?, text(options)?);
        add().map_err(|error| raise(py, &error))
    }

    fn add_template(&self, py: Python<'_>, definition: &[u8], options: &[u8]) -> PyResult<Slot> {
        let add = || self.server.add_template(text(definition)?, text(options)?);
        add().map_err(|error| raise(py, &error))
    }

    fn add_prompt(&self, py: Python<'_>, definition: &[u8], options: &[u8]) -> PyResult<Slot> {
        let add = || self.server.add_prompt(text(definition)?, text(options)?);
        add().map_err(|error| raise(py, &error))
    }

    fn add_completion(&self, py: Python<'_>, reference: &[u8], argument: &str) -> PyResult<Slot> {
        let add = || self.server.add_completion(text(reference)?, argument);
        add().map_err(|error| raise(py, &error))
    }

    fn remove(&self, py: Python<'_>, kind: &str, name: &str) -> PyResult<bool> {
        self.server.remove(kind, name).map_err(|error| raise(py, &error))
    }

    fn template_variables(&self, py: Python<'_>, template: &str) -> PyResult<Vec<String>> {
        Server::template_variables(template).map_err(|error| raise(py, &error))
    }

    fn resource_updated(&self, uri: &str) {
        self.server.engine().resource_updated(uri);
    }

    fn wake_fd(&self) -> i32 {
        self.wake.fd()
    }

    fn next_batch<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        events::to_list(py, self.server.queue().take(events::BATCH))
    }

    fn wait_batch<'py>(&self, py: Python<'py>, seconds: f64) -> PyResult<Bound<'py, PyList>> {
        let patience = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX / 4);
        let queue = Arc::clone(self.server.queue());
        let items = py.detach(move || queue.wait(events::BATCH, patience));
        events::to_list(py, items)
    }

    fn complete(&self, py: Python<'_>, token: u64, result: &[u8]) -> PyResult<()> {
        let result = text(result).map_err(|error| raise(py, &error))?;
        self.serving.collect();
        self.server.complete(token, result, clock::now());
        Ok(())
    }

    #[pyo3(signature = (token, kind, code, message, data))]
    fn fail(&self, token: u64, kind: &str, code: Option<i64>, message: String, data: Option<&[u8]>) {
        let data = data.map(|data| String::from_utf8_lossy(data).into_owned());
        self.serving.collect();
        self.server.fail(token, Failed { kind, code, message, data }, clock::now());
    }

    fn notice(&self, py: Python<'_>, token: u64, notice: &[u8]) -> PyResult<()> {
        self.serving.collect();
        text(notice).and_then(|notice| self.server.notice(token, notice)).map_err(|error| raise(py, &error))
    }

    fn ask<'py>(&self, py: Python<'py>, token: u64, question: &[u8]) -> PyResult<(u32, Option<Bound<'py, PyBytes>>)> {
        let asked = text(question).and_then(|question| self.server.ask(token, question));
        let (number, known) = asked.map_err(|error| raise(py, &error))?;
        Ok((number, known.map(|known| PyBytes::new(py, &known))))
    }

    fn step<'py>(&self, py: Python<'py>, token: u64, name: &str) -> Option<Bound<'py, PyBytes>> {
        let kept = self.server.step(token, name)?;
        Some(PyBytes::new(py, kept.get().as_bytes()))
    }

    fn keep_step(&self, py: Python<'_>, token: u64, name: &str, value: &[u8]) -> PyResult<()> {
        let keep = || self.server.keep_step(token, name, text(value)?.to_owned());
        keep().map_err(|error| raise(py, &error))
    }

    fn flush(&self) {
        self.server.flush(clock::now());
        self.serving.flush();
    }

    fn context<'py>(&self, py: Python<'py>, token: u64) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.server.context(token).as_bytes())
    }

    fn close_stream(&self, token: u64) {
        self.server.close_stream(token);
    }

    fn serve_stdio(&self, py: Python<'_>) -> PyResult<()> {
        self.server.begin_serving();
        let serve =
            || self.check_process().and_then(|()| self.serving.stdio(self.server.engine(), self.server.queue()));
        serve().map_err(|error| raise(py, &error))
    }

    fn serve_http(&self, py: Python<'_>, options: &[u8]) -> PyResult<String> {
        self.server.begin_serving();
        let serve = || {
            self.check_process()?;
            let settings = http_settings::parse(text(options)?)?;
            self.serving.http(self.server.engine(), &settings)
        };
        serve().map_err(|error| raise(py, &error))
    }

    fn handle_http(&self, py: Python<'_>, head: &[u8], body: &[u8]) -> PyResult<u64> {
        if self.server.begin_serving() {
            self.serving.keep_time(self.server.engine());
        }
        let handle = || {
            self.check_process()?;
            self.server.handle_http(text(head)?, Bytes::copy_from_slice(body), clock::now())
        };
        handle().map_err(|error| raise(py, &error))
    }

    fn sent_http(&self, token: u64, bytes: usize) {
        self.server.sent_http(token, bytes);
    }

    fn drop_http(&self, token: u64) {
        self.server.drop_http(token);
    }

    fn close(&self, grace: f64) {
        let grace = Duration::try_from_secs_f64(grace).unwrap_or_default();
        self.serving.close(self.server.engine(), self.server.queue(), grace);
    }
}
