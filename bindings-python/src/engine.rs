//! `Engine`: a server definition, its queue, and its transports.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use omniport::bridge::{self, Desk, Item, ItemKind, Queue, Wake};
use omniport::bytes::Bytes;
use omniport::error::{Error, ErrorKind, Result};
use omniport::io::clock;
use omniport::io::random::SystemEntropy;
use omniport::io::wake::WakeFd;
use omniport::registry::completion::Reference;
use omniport::registry::prompt::Prompt;
use omniport::registry::resource::{Resource, ResourceTemplate};
use omniport::registry::template::Template;
use omniport::registry::tool::Tool;
use omniport::registry::{Kind, Slot};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use serde_json::value::RawValue;

use crate::events;
use crate::fault::raise;
use crate::foreign::{Foreign, ForeignRequest};
use crate::serving::Serving;

/// One server definition and its queue; see `_native.pyi`.
#[pyclass(frozen)]
pub struct Engine {
    engine: Arc<omniport::engine::Engine>,
    desk: Arc<Desk>,
    wake: Arc<WakeFd>,
    foreign: Foreign,
    serving: Serving,
    /// The process it was made in: threads and locks do not survive a fork.
    process: u32,
    /// Lists whose change nobody was told of yet.
    changed: [std::sync::atomic::AtomicBool; 4],
    served: OnceLock<()>,
}

/// Lets the queue and Python share one descriptor.
struct SharedWake(Arc<WakeFd>);

impl Wake for SharedWake {
    fn wake(&self) {
        self.0.wake();
    }

    fn clear(&self) {
        self.0.clear();
    }
}

fn text(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|_| Error::invalid_params("text that crosses must be UTF-8"))
}

impl Engine {
    fn check_process(&self) -> Result<()> {
        if std::process::id() == self.process {
            return Ok(());
        }
        Err(Error::internal("this server was made before a fork: make it in the process that serves (limit of threads and locks)"))
    }

    fn changed(&self, kind: Kind) {
        if self.served.get().is_some() {
            self.changed[kind as usize].store(true, std::sync::atomic::Ordering::Release);
        }
    }

    fn register(&self, py: Python<'_>, add: impl FnOnce(Slot) -> Result<Kind>) -> PyResult<Slot> {
        let slot = self.engine.registry.next_slot();
        let kind = self.check_process().and_then(|()| add(slot)).map_err(|error| raise(py, &error))?;
        self.changed(kind);
        Ok(slot)
    }
}

#[pymethods]
impl Engine {
    #[new]
    fn new(py: Python<'_>, options: &[u8]) -> PyResult<Self> {
        let make = || -> Result<Self> {
            let options = bridge::parse_server(text(options)?)?;
            let wake = Arc::new(WakeFd::new()?);
            let queue = Arc::new(Queue::new(Box::new(SharedWake(Arc::clone(&wake)))));
            let desk = Arc::new(Desk::new(queue));
            let engine = omniport::engine::Engine::new(options, Arc::clone(&desk) as _, Arc::new(SystemEntropy), clock::now())?;
            Ok(Self {
                foreign: Foreign::new()?,
                serving: Serving::default(),
                process: std::process::id(),
                changed: Default::default(),
                served: OnceLock::new(),
                engine,
                desk,
                wake,
            })
        };
        make().map_err(|error| raise(py, &error))
    }

    fn limit(&self, py: Python<'_>, name: &str) -> PyResult<f64> {
        self.engine.limits().get(name).map_err(|error| raise(py, &error))
    }

    fn add_tool(&self, py: Python<'_>, definition: &[u8], options: &[u8]) -> PyResult<Slot> {
        self.register(py, |slot| {
            let options = bridge::parse_registration(text(options)?)?;
            let tool = Tool::new(text(definition)?, slot, options.tool, self.engine.limits())?;
            self.engine.registry.change(|catalog| catalog.tools.put(tool));
            Ok(Kind::Tools)
        })
    }

    fn add_resource(&self, py: Python<'_>, definition: &[u8], options: &[u8]) -> PyResult<Slot> {
        self.register(py, |slot| {
            let options = bridge::parse_registration(text(options)?)?;
            let resource = Resource::new(text(definition)?, slot, options.hint)?;
            self.engine.registry.change(|catalog| catalog.resources.put(resource));
            Ok(Kind::Resources)
        })
    }

    fn add_template(&self, py: Python<'_>, definition: &[u8], options: &[u8]) -> PyResult<Slot> {
        self.register(py, |slot| {
            let options = bridge::parse_registration(text(options)?)?;
            let template = ResourceTemplate::new(text(definition)?, slot, options.hint, &options.unsafe_variables)?;
            self.engine.registry.change(|catalog| catalog.templates.put(template));
            Ok(Kind::Templates)
        })
    }

    fn add_prompt(&self, py: Python<'_>, definition: &[u8], options: &[u8]) -> PyResult<Slot> {
        self.register(py, |slot| {
            bridge::parse_registration(text(options)?)?;
            let prompt = Prompt::new(text(definition)?, slot)?;
            self.engine.registry.change(|catalog| catalog.prompts.put(prompt));
            Ok(Kind::Prompts)
        })
    }

    fn add_completion(&self, py: Python<'_>, reference: &[u8], argument: &str) -> PyResult<Slot> {
        self.register(py, |slot| {
            let reference = bridge::parse_reference(text(reference)?)?;
            let kind = match &reference {
                Reference::Prompt(_) => Kind::Prompts,
                Reference::Template(_) => Kind::Templates,
            };
            self.engine.registry.change(|catalog| catalog.completions.put(reference, argument, slot));
            Ok(kind)
        })
    }

    fn remove(&self, py: Python<'_>, kind: &str, name: &str) -> PyResult<bool> {
        let kind = match kind {
            "tool" => Kind::Tools,
            "resource" => Kind::Resources,
            "template" => Kind::Templates,
            "prompt" => Kind::Prompts,
            other => return Err(raise(py, &Error::definition(format!("there is no kind `{other}`")))),
        };
        let removed = self.engine.registry.change(|catalog| catalog.remove(kind, name));
        if removed {
            self.changed(kind);
        }
        Ok(removed)
    }

    fn template_variables(&self, py: Python<'_>, template: &str) -> PyResult<Vec<String>> {
        let template = Template::parse(template).map_err(|error| raise(py, &error))?;
        Ok(template.variables().map(ToOwned::to_owned).collect())
    }

    fn resource_updated(&self, uri: &str) {
        self.engine.resource_updated(uri);
    }

    fn wake_fd(&self) -> i32 {
        self.wake.fd()
    }

    fn next_batch<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        events::to_list(py, self.desk.queue().take(events::BATCH))
    }

    fn wait_batch<'py>(&self, py: Python<'py>, seconds: f64) -> PyResult<Bound<'py, PyList>> {
        let patience = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX / 4);
        let queue = Arc::clone(self.desk.queue());
        let items = py.detach(move || queue.wait(events::BATCH, patience));
        events::to_list(py, items)
    }

    #[pyo3(name = "complete")]
    fn complete(&self, py: Python<'_>, token: u64, result: &[u8]) -> PyResult<()> {
        let result = text(result).map_err(|error| raise(py, &error))?;
        self.desk.complete(&self.engine, token, result, clock::now());
        Ok(())
    }

    #[pyo3(signature = (token, kind, code, message, data))]
    fn fail(&self, token: u64, kind: &str, code: Option<i64>, message: String, data: Option<&[u8]>) {
        let data = data.map(|data| String::from_utf8_lossy(data).into_owned());
        self.desk.fail(&self.engine, token, kind, code, message, data, clock::now());
    }

    fn notice(&self, py: Python<'_>, token: u64, notice: &[u8]) -> PyResult<()> {
        text(notice).and_then(|notice| self.desk.notice(token, notice)).map_err(|error| raise(py, &error))
    }

    fn ask<'py>(&self, py: Python<'py>, token: u64, question: &[u8]) -> PyResult<(u32, Option<Bound<'py, PyBytes>>)> {
        let asked = text(question).and_then(|question| self.desk.ask(&self.engine, token, question));
        let (number, known) = asked.map_err(|error| raise(py, &error))?;
        Ok((number, known.map(|known| PyBytes::new(py, &known))))
    }

    fn step<'py>(&self, py: Python<'py>, token: u64, name: &str) -> Option<Bound<'py, PyBytes>> {
        let kept = self.desk.call(token)?.step(name)?;
        Some(PyBytes::new(py, kept.get().as_bytes()))
    }

    fn keep_step(&self, py: Python<'_>, token: u64, name: &str, value: &[u8]) -> PyResult<()> {
        let read = || -> Result<Box<RawValue>> {
            RawValue::from_string(text(value)?.to_owned()).map_err(|error| Error::internal(format!("the result of step `{name}`: {error}")))
        };
        let value = read().map_err(|error| raise(py, &error))?;
        if let Some(call) = self.desk.call(token) {
            call.keep_step(name, value);
        }
        Ok(())
    }

    fn flush(&self) {
        for kind in [Kind::Tools, Kind::Resources, Kind::Templates, Kind::Prompts] {
            if self.changed[kind as usize].swap(false, std::sync::atomic::Ordering::AcqRel) {
                self.engine.list_changed(kind);
            }
        }
        self.desk.flush(&self.engine, clock::now());
        self.serving.flush();
    }

    fn context<'py>(&self, py: Python<'py>, token: u64) -> Bound<'py, PyBytes> {
        let Some(call) = self.desk.call(token) else { return PyBytes::new(py, b"{}") };
        let mut context = call.context();
        if let Some(request) = call.head().and_then(|head| head.extensions.get::<ForeignRequest>().copied()) {
            context.pop();
            context.push_str(&format!(",\"http\":{}}}", request.0));
        }
        PyBytes::new(py, context.as_bytes())
    }

    fn close_stream(&self, token: u64) {
        if let Some(call) = self.desk.call(token) {
            call.close_stream();
        }
    }

    fn serve_stdio(&self, py: Python<'_>) -> PyResult<()> {
        let _ = self.served.set(());
        let serve = || self.check_process().and_then(|()| self.serving.stdio(&self.engine, self.desk.queue()));
        serve().map_err(|error| raise(py, &error))
    }

    fn serve_http(&self, py: Python<'_>, options: &[u8]) -> PyResult<String> {
        let _ = self.served.set(());
        let serve = || {
            self.check_process()?;
            let settings = bridge::parse_http(text(options)?)?;
            self.serving.http(&self.engine, self.desk.queue(), settings)
        };
        serve().map_err(|error| raise(py, &error))
    }

    fn handle_http(&self, py: Python<'_>, head: &[u8], body: &[u8]) -> PyResult<u64> {
        if self.served.set(()).is_ok() {
            self.serving.keep_time(&self.engine);
        }
        let handle = || self.foreign.handle(&self.engine, self.desk.queue(), text(head)?, Bytes::copy_from_slice(body));
        handle().map_err(|error| raise(py, &error))
    }

    fn sent_http(&self, token: u64, bytes: usize) {
        self.foreign.sent(token, bytes);
    }

    fn drop_http(&self, token: u64) {
        self.foreign.drop_request(token);
    }

    fn close(&self, grace: f64) {
        let grace = Duration::try_from_secs_f64(grace).unwrap_or_default();
        self.serving.close(&self.engine, self.desk.queue(), grace);
    }
}

/// The item that ends a queue.
pub fn end() -> Item {
    Item { kind: ItemKind::End, token: 0, slot: 0, text: Bytes::new() }
}

/// The error of something that can be done only once.
pub fn once(what: &str) -> Error {
    Error::new(ErrorKind::Internal, format!("{what} is served already"))
}
