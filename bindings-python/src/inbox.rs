//! `Inbox`: what clients tell one event loop or one waiting thread; see `_native.pyi`.

use std::sync::Arc;

use omniport::bridge::{self, Told};
use omniport::io::wake::WakeFd;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};

use crate::engine::SharedWake;
use crate::events::BATCH;

/// What clients tell one reader.
#[pyclass(frozen)]
pub struct Inbox {
    pub(crate) inner: Arc<bridge::Inbox>,
    wake: Arc<WakeFd>,
}

#[pymethods]
impl Inbox {
    #[new]
    fn new() -> PyResult<Self> {
        let wake = Arc::new(WakeFd::new()?);
        let inner = Arc::new(bridge::Inbox::new(Box::new(SharedWake(Arc::clone(&wake)))));
        Ok(Self { inner, wake })
    }

    fn wake_fd(&self) -> i32 {
        self.wake.fd()
    }

    fn take<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let tuple =
            |told: Told| (told.client, told.part as u8, told.token, PyBytes::new(py, &told.text)).into_pyobject(py);
        let tuples: Vec<Bound<'py, PyTuple>> =
            self.inner.take(BATCH).into_iter().map(tuple).collect::<PyResult<_>>()?;
        PyList::new(py, tuples)
    }
}
