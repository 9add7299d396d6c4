//! A server as a language sees it: registrations as JSON text, one queue out, tokens back in. The same calls in every language;
//! a binding adds the conversion of strings, nothing else.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use serde_json::value::RawValue;

use super::desk::{Desk, Failed};
use super::foreign::{Foreign, ForeignRequest};
use super::options;
use super::queue::Queue;
use super::wake::Wake;
use crate::engine::Engine;
use crate::entropy::Entropy;
use crate::error::{Error, Result};
use crate::registry::completion::Reference;
use crate::registry::prompt::Prompt;
use crate::registry::resource::{Resource, ResourceTemplate};
use crate::registry::template::Template;
use crate::registry::tool::Tool;
use crate::registry::{Kind, Slot};
use crate::time::Now;

const KINDS: [Kind; 4] = [Kind::Tools, Kind::Resources, Kind::Templates, Kind::Prompts];

/// One server definition and its queue.
pub struct Server {
    engine: Arc<Engine>,
    desk: Arc<Desk>,
    foreign: Foreign,
    /// Lists whose change nobody was told of yet; the flush tells, so that a hundred registrations are one message (R09).
    changed: [AtomicBool; 4],
    /// Set once clients may be connected.
    served: OnceLock<()>,
}

impl Server {
    /// A server with settings as JSON text; its queue wakes the language by `wake`.
    pub fn new(settings: &str, wake: Box<dyn Wake>, entropy: Arc<dyn Entropy>, now: Now) -> Result<Self> {
        let desk = Arc::new(Desk::new(Arc::new(Queue::new(wake))));
        let engine = Engine::new(options::parse_server(settings)?, Arc::clone(&desk) as _, entropy, now)?;
        Ok(Self { engine, desk, foreign: Foreign::new()?, changed: Default::default(), served: OnceLock::new() })
    }

    /// The engine behind it.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// Its queue.
    pub fn queue(&self) -> &Arc<Queue> {
        self.desk.queue()
    }

    /// Marks that clients may be connected from now on; true the first time.
    pub fn begin_serving(&self) -> bool {
        self.served.set(()).is_ok()
    }

    fn register(&self, kind: Kind, add: impl FnOnce(Slot) -> Result<()>) -> Result<Slot> {
        let slot = self.engine.registry.next_slot();
        add(slot)?;
        self.mark_changed(kind);
        Ok(slot)
    }

    fn mark_changed(&self, kind: Kind) {
        if self.served.get().is_some() {
            self.changed[kind as usize].store(true, Ordering::Release);
        }
    }

    /// Registers a tool by the protocol's own definition; the slot names its handler in the queue.
    pub fn add_tool(&self, definition: &str, settings: &str) -> Result<Slot> {
        self.register(Kind::Tools, |slot| {
            let settings = options::parse_registration(settings)?;
            let tool = Tool::new(definition, slot, settings.tool, self.engine.limits())?;
            self.engine.registry.change(|catalog| catalog.tools.put(tool));
            Ok(())
        })
    }

    /// Registers a resource with a fixed URI.
    pub fn add_resource(&self, definition: &str, settings: &str) -> Result<Slot> {
        self.register(Kind::Resources, |slot| {
            let settings = options::parse_registration(settings)?;
            let resource = Resource::new(definition, slot, settings.hint)?;
            self.engine.registry.change(|catalog| catalog.resources.put(resource));
            Ok(())
        })
    }

    /// Registers a resource template.
    pub fn add_template(&self, definition: &str, settings: &str) -> Result<Slot> {
        self.register(Kind::Templates, |slot| {
            let settings = options::parse_registration(settings)?;
            let template = ResourceTemplate::new(definition, slot, settings.hint, &settings.unsafe_variables)?;
            self.engine.registry.change(|catalog| catalog.templates.put(template));
            Ok(())
        })
    }

    /// Registers a prompt.
    pub fn add_prompt(&self, definition: &str, settings: &str) -> Result<Slot> {
        self.register(Kind::Prompts, |slot| {
            options::parse_registration(settings)?;
            let prompt = Prompt::new(definition, slot)?;
            self.engine.registry.change(|catalog| catalog.prompts.put(prompt));
            Ok(())
        })
    }

    /// Registers who completes an argument of a prompt or template.
    pub fn add_completion(&self, reference: &str, argument: &str) -> Result<Slot> {
        let reference = options::parse_reference(reference)?;
        let kind = match &reference {
            Reference::Prompt(_) => Kind::Prompts,
            Reference::Template(_) => Kind::Templates,
        };
        self.register(kind, |slot| {
            self.engine.registry.change(|catalog| catalog.completions.put(reference, argument, slot));
            Ok(())
        })
    }

    /// Takes away the `tool`, `resource`, `template` or `prompt` of that name; false if there is none.
    pub fn remove(&self, kind: &str, name: &str) -> Result<bool> {
        let kind = match kind {
            "tool" => Kind::Tools,
            "resource" => Kind::Resources,
            "template" => Kind::Templates,
            "prompt" => Kind::Prompts,
            other => return Err(Error::definition(format!("there is no kind `{other}`"))),
        };
        let removed = self.engine.registry.change(|catalog| catalog.remove(kind, name));
        if removed {
            self.mark_changed(kind);
        }
        Ok(removed)
    }

    /// The variables of an RFC 6570 template, in order.
    pub fn template_variables(template: &str) -> Result<Vec<String>> {
        Ok(Template::parse(template)?.variables().map(ToOwned::to_owned).collect())
    }

    /// A handler's answer.
    pub fn complete(&self, token: u64, text: &str, now: Now) {
        self.desk.complete(&self.engine, token, text, now);
    }

    /// A handler's failure; see [`Desk::fail`].
    pub fn fail(&self, token: u64, failed: Failed<'_>, now: Now) {
        self.desk.fail(&self.engine, token, failed, now);
    }

    /// What a handler tells while it runs; see [`Desk::notice`].
    pub fn notice(&self, token: u64, text: &str) -> Result<()> {
        self.desk.notice(token, text)
    }

    /// A handler's question; see [`Desk::ask`].
    pub fn ask(&self, token: u64, question: &str) -> Result<(u32, Option<Vec<u8>>)> {
        self.desk.ask(&self.engine, token, question)
    }

    /// The kept result of a step, as JSON text.
    pub fn step(&self, token: u64, name: &str) -> Option<Box<RawValue>> {
        self.desk.call(token)?.step(name)
    }

    /// Keeps the result of a step.
    pub fn keep_step(&self, token: u64, name: &str, value: String) -> Result<()> {
        let wrong = |error| Error::internal(format!("the result of step `{name}` is not JSON: {error}"));
        let value = RawValue::from_string(value).map_err(wrong)?;
        if let Some(call) = self.desk.call(token) {
            call.keep_step(name, value);
        }
        Ok(())
    }

    /// Once per tick of the language: tells of changed lists and sends the questions of this tick, in one round each.
    pub fn flush(&self, now: Now) {
        for kind in KINDS {
            if self.changed[kind as usize].swap(false, Ordering::AcqRel) {
                self.engine.list_changed(kind);
            }
        }
        self.desk.flush(&self.engine, now);
    }

    /// What a handler may ask about its request; see `Call::context`. `http` is the token of the foreign server's request.
    pub fn context(&self, token: u64) -> String {
        let Some(call) = self.desk.call(token) else { return "{}".to_owned() };
        let mut context = call.context();
        if let Some(request) = call.head().and_then(|head| head.extensions.get::<ForeignRequest>()) {
            context.pop();
            context.push_str(&format!(",\"http\":{}}}", request.0));
        }
        context
    }

    /// Ends the event stream of a running call early.
    pub fn close_stream(&self, token: u64) {
        if let Some(call) = self.desk.call(token) {
            call.close_stream();
        }
    }

    /// A request of a foreign web server; its answer comes as HTTP items of the returned token.
    pub fn handle_http(&self, head: &str, body: Bytes, now: Now) -> Result<u64> {
        self.foreign.handle(&self.engine, self.queue(), head, body, now)
    }

    /// The foreign server passed that many bytes of an answer on.
    pub fn sent_http(&self, token: u64, bytes: usize) {
        self.foreign.sent(token, bytes);
    }

    /// The foreign client went away.
    pub fn drop_http(&self, token: u64) {
        self.foreign.drop_request(token);
    }
}
