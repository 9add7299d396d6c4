//! `Client`: one connection of a client; see `_native.pyi`.

use omniport::error::Result;
use omniport::io::client_face::ClientFace;
use omniport::io::target::Target;
use pyo3::prelude::*;

use crate::engine::{Engine, text};
use crate::fault::raise;
use crate::inbox::Inbox;

/// One connection of a client.
#[pyclass(frozen)]
pub struct Client(ClientFace);

fn given<T>(py: Python<'_>, run: impl FnOnce() -> Result<T>) -> PyResult<T> {
    run().map_err(|error| raise(py, &error))
}

/// Whether a client could be told to connect there, before it is.
#[pyfunction]
pub fn check_target(py: Python<'_>, target: &[u8]) -> PyResult<()> {
    given(py, || Target::parse(text(target)?).map(drop))
}

#[pymethods]
impl Client {
    #[new]
    fn new(py: Python<'_>, home: &Inbox, options: &[u8]) -> PyResult<Self> {
        given(py, || ClientFace::new(&home.inner, text(options)?)).map(Self)
    }

    fn number(&self) -> u64 {
        self.0.desk().number
    }

    fn connect_target(&self, py: Python<'_>, inbox: &Inbox, target: &[u8]) -> PyResult<u64> {
        given(py, || self.0.connect_target(&inbox.inner, text(target)?))
    }

    fn connect_engine(&self, py: Python<'_>, inbox: &Inbox, server: &Bound<'_, Engine>) -> PyResult<u64> {
        let engine = server.get().serve_in_memory();
        given(py, || self.0.connect_server(&inbox.inner, engine))
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
        given(py, || self.0.request(&inbox.inner, what, text(params)?, options.map(text).transpose()?))
    }

    fn cancel(&self, token: u64, reason: &str) {
        self.0.cancel(token, reason);
    }

    fn answer(&self, py: Python<'_>, number: u64, answer: &[u8]) -> PyResult<()> {
        given(py, || text(answer)).map(|answer| self.0.answer(number, answer))
    }

    fn roots_changed(&self, py: Python<'_>) -> PyResult<()> {
        given(py, || self.0.roots_changed())
    }

    fn handled(&self, count: usize) {
        self.0.desk().handled(count);
    }

    fn move_home(&self, inbox: &Inbox) {
        self.0.desk().move_home(&inbox.inner);
    }

    fn close(&self, py: Python<'_>, inbox: &Inbox) -> PyResult<u64> {
        given(py, || self.0.close(&inbox.inner))
    }
}
