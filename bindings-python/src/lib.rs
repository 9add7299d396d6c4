//! The boundary to Python: JSON text crosses, and nothing of ours ever runs Python code. `_native.pyi` beside the package is its contract.

use omniport::bridge::{ItemKind, Part};
use pyo3::prelude::*;

mod client;
mod engine;
mod events;
mod fault;
mod inbox;

#[pymodule(gil_used = false)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let kinds = [
        ("CALL", ItemKind::Call),
        ("READ", ItemKind::Read),
        ("GET", ItemKind::Get),
        ("COMPLETE", ItemKind::Complete),
        ("VISIBLE", ItemKind::Visible),
        ("AUTHENTICATE", ItemKind::Authenticate),
        ("ANSWER", ItemKind::Answer),
        ("CANCEL", ItemKind::Cancel),
        ("EVENT", ItemKind::Event),
        ("AUDIT", ItemKind::Audit),
        ("REPORT", ItemKind::Report),
        ("HTTP", ItemKind::Http),
        ("END", ItemKind::End),
    ];
    for (name, kind) in kinds {
        module.add(name, kind as u8)?;
    }
    let parts = [
        ("TOLD_RESULT", Part::Result),
        ("TOLD_ERROR", Part::Error),
        ("TOLD_INPUT", Part::Input),
        ("TOLD_PROGRESS", Part::Progress),
        ("TOLD_LOG", Part::Log),
        ("TOLD_ASKED", Part::Asked),
        ("TOLD_WITHDRAWN", Part::Withdrawn),
        ("TOLD_CHANGE", Part::Change),
        ("TOLD_STATE", Part::State),
        ("TOLD_STDERR", Part::Stderr),
        ("TOLD_REPORT", Part::Report),
        ("TOLD_CLOSED", Part::Closed),
    ];
    for (name, part) in parts {
        module.add(name, part as u8)?;
    }
    module.add("Fault", module.py().get_type::<fault::Fault>())?;
    module.add_class::<engine::Engine>()?;
    module.add_class::<inbox::Inbox>()?;
    module.add_class::<client::Client>()?;
    module.add_function(wrap_pyfunction!(client::check_target, module)?)?;
    Ok(())
}
