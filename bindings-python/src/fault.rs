//! The core's error as a Python exception, with every fact as an attribute. The package maps it to one class per kind.

use omniport::error::Error;
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

create_exception!(_native, Fault, PyException, "A failure inside the engine, with every fact.");

/// The exception for an error.
pub fn raise(py: Python<'_>, error: &Error) -> PyErr {
    let fault = Fault::new_err(error.message().to_owned());
    match dress(py, &fault, error) {
        Ok(()) => fault,
        Err(other) => other,
    }
}

fn dress(py: Python<'_>, fault: &PyErr, error: &Error) -> PyResult<()> {
    let value = fault.value(py);
    value.setattr("kind", error.kind().word())?;
    value.setattr("code", error.code())?;
    value.setattr("message", error.message())?;
    value.setattr("data", error.data().map(|data| PyBytes::new(py, data.get().as_bytes())))?;
    value.setattr("retry", error.can_retry())?;
    let context = PyDict::new(py);
    for (name, fact) in error.context() {
        context.set_item(*name, fact)?;
    }
    value.setattr("context", context)
}
