//! Items of the queue as Python tuples.

use omniport::bridge::Item;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};

/// How many events one batch holds at most, so that a loop can do other things in between.
pub const BATCH: usize = 256;

/// The batch as a list of `(kind, token, slot, text)`.
pub fn to_list<'py>(py: Python<'py>, items: Vec<Item>) -> PyResult<Bound<'py, PyList>> {
    let tuples: Vec<Bound<'py, PyTuple>> = items
        .into_iter()
        .map(|item| (item.kind as u8, item.token, item.slot, PyBytes::new(py, &item.text)).into_pyobject(py))
        .collect::<PyResult<_>>()?;
    PyList::new(py, tuples)
}
