//! A handler's result becomes the result of its request, in the form that the client's revision has.

use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::call::{Work, not_found};
use super::host::{Event, Failure, FailureKind};
use super::{Call, Engine};
use crate::error::Error;
use crate::model::params::meta_key;
use crate::model::{Era, Level, Version};
use crate::protocol::exchange::Exchange;
use crate::registry::listing::CacheHint;
use crate::registry::tool::Tool;
use crate::schema::check::{Invalid, describe};
use crate::time::Now;
use crate::wire::write;

/// The members of a handler's result that the engine looks at.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolResult<'a> {
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    structured_content: Option<&'a RawValue>,
    #[serde(borrow)]
    is_error: Option<&'a RawValue>,
    #[serde(borrow, rename = "_meta")]
    meta: Option<&'a RawValue>,
}

/// A member that is there, even if it is `null`: structured content may be any JSON value.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Completed<'a> {
    #[serde(borrow)]
    values: Vec<&'a RawValue>,
    total: Option<u64>,
    has_more: Option<bool>,
}

/// How many values one completion may hold.
const COMPLETION_VALUES: usize = 100;

/// Numbers that the modern revision gave a meaning.
const MODERN_CODES: std::ops::RangeInclusive<i64> = -32099..=-32020;

/// `,"_meta":{"io.modelcontextprotocol/serverInfo":...}`.
pub(super) fn meta_member(info: &str) -> Box<str> {
    format!(",\"_meta\":{{\"{}\":{info}}}", meta_key::SERVER_INFO).into()
}

impl Engine {
    /// The answer of a handler, as JSON text; what it holds depends on the kind of job. Ignored when the call is over.
    pub fn complete(self: &Arc<Self>, call: &Arc<Call>, text: &str, now: Now) {
        self.timers.saw(now);
        match &call.work {
            Work::Visible(seen) => return self.viewed(call, take(seen), text, now),
            Work::Authenticate(arrival) => return self.authenticated(call, take(arrival), Some(text), now),
            _ => {}
        }
        if !call.finish() {
            return;
        }
        let Some(mut exchange) = call.leave() else { return };
        let mut outcome = "ok";
        let written = match &call.work {
            Work::Tool { tool } => self.write_tool_result(&exchange, tool, text, &mut outcome),
            Work::Resource { hint, .. } => self.write_object(&exchange, text, "contents", Some(*hint)),
            Work::Prompt { .. } => self.write_object(&exchange, text, "messages", None),
            _ => self.write_completion(&exchange, text),
        };
        match written {
            Ok(message) => {
                exchange.respond(message.into(), None);
            }
            Err(error) => {
                outcome = "error";
                self.report(Level::Error, format!("{}: {}", describe_work(call), error.headline()));
                match &call.work {
                    Work::Tool { .. } => {
                        let message = self.write_error_result(&exchange, error.message());
                        exchange.respond(message.into(), None)
                    }
                    _ => exchange.fail(&error),
                };
            }
        }
        self.audit(call, outcome);
    }

    /// The failure of a handler. A tool's failure becomes a result that a model can read; others become errors.
    pub fn fail(self: &Arc<Self>, call: &Arc<Call>, mut failure: Failure, now: Now) {
        self.timers.saw(now);
        match &call.work {
            // When in doubt, nothing is visible and nobody is authenticated.
            Work::Visible(seen) => return self.viewed(call, take(seen), "[]", now),
            Work::Authenticate(arrival) => return self.authenticated(call, take(arrival), None, now),
            _ => {}
        }
        if !call.finish() {
            return;
        }
        let Some(mut exchange) = call.leave() else { return };
        let masked = failure.kind == FailureKind::Internal && self.masks(call);
        if exchange.era() == Era::Legacy && failure.code.is_some_and(|code| MODERN_CODES.contains(&code)) {
            // A missing capability, say: the model can be told, the number means nothing to this client.
            failure = Failure { kind: FailureKind::Tool, code: None, data: None, ..failure };
        }
        match (failure.kind, &call.work) {
            (FailureKind::Tool | FailureKind::Internal, Work::Tool { tool }) => {
                let text = if masked { format!("Error executing tool {}", tool.name()) } else { failure.message };
                let message = self.write_error_result(&exchange, &text);
                exchange.respond(message.into(), None);
            }
            (FailureKind::NotFound, work) => {
                exchange.fail(&not_found(work, &call.origin.target, exchange.version.resource_not_found_code()));
            }
            (kind, _) => {
                let text = if masked { "Internal error".to_owned() } else { failure.message };
                let mut error = Error::internal(text);
                if kind == FailureKind::Protocol
                    && let Some(code) = failure.code
                {
                    error = error.with_code(code);
                }
                if let Some(data) = failure.data.filter(|_| !masked) {
                    error = error.with_data(data);
                }
                exchange.fail(&error);
            }
        }
        self.audit(call, "error");
    }

    /// Tells the host of a fault.
    pub(super) fn report(&self, level: Level, text: String) {
        self.host.event(Event::Report { level, text });
    }

    fn masks(&self, call: &Call) -> bool {
        self.options.mask_errors.unwrap_or(call.origin.head.is_some())
    }

    fn write_tool_result(
        &self,
        exchange: &Exchange,
        tool: &Tool,
        text: &str,
        outcome: &mut &'static str,
    ) -> Result<Vec<u8>, Error> {
        let result: ToolResult<'_> = serde_json::from_str(text)
            .map_err(|error| Error::internal(format!("tool `{}` returned no result object: {error}", tool.name())))?;
        let is_error = result.is_error.is_some_and(|flag| flag.get() == "true");
        if is_error {
            *outcome = "tool_error";
        } else if let Some(schema) = &tool.output {
            let Some(value) = result.structured_content else {
                return Err(Error::internal(format!(
                    "tool `{}` has an output schema but returned no structured content",
                    tool.name()
                )));
            };
            schema.check(value.get()).map_err(|invalid| match invalid {
                Invalid::Problems(problems) => {
                    Error::internal(describe(&problems, &format!("result of tool \"{}\"", tool.name())))
                }
                Invalid::Unchecked(error) => error,
            })?;
        }
        // Structured content without blocks of its own is written twice; a large one must not be moved while it is.
        let copies = if result.content.is_none() { 2 } else { 1 };
        let mut out = open(exchange, text.len() * copies + 256);
        out.extend_from_slice(b"\"content\":");
        match (result.content, result.structured_content) {
            (Some(content), _) => out.extend_from_slice(content.get().as_bytes()),
            (None, Some(value)) => write_mirror(&mut out, value),
            (None, None) => out.extend_from_slice(b"[]"),
        }
        if let Some(value) = result.structured_content.filter(|_| exchange.version.has_structured_content()) {
            self.write_structured(&mut out, exchange.version, tool, value, is_error);
        }
        if is_error {
            out.extend_from_slice(b",\"isError\":true");
        }
        self.close(&mut out, exchange.era(), result.meta);
        Ok(out)
    }

    fn write_structured(&self, out: &mut Vec<u8>, version: Version, tool: &Tool, value: &RawValue, is_error: bool) {
        let is_object = crate::model::params::is_object(value);
        let wrap = !version.has_any_structured_content() && (!is_object || (tool.wraps_output && !is_error));
        out.extend_from_slice(if wrap {
            b",\"structuredContent\":{\"result\":".as_slice()
        } else {
            b",\"structuredContent\":"
        });
        out.extend_from_slice(value.get().as_bytes());
        if wrap {
            out.push(b'}');
        }
    }

    /// A tool result that says what went wrong.
    pub(super) fn write_error_result(&self, exchange: &Exchange, text: &str) -> Vec<u8> {
        let mut out = open(exchange, text.len() + 256);
        out.extend_from_slice(b"\"content\":[{\"type\":\"text\",\"text\":");
        write::string(&mut out, text);
        out.extend_from_slice(b"}],\"isError\":true");
        self.close(&mut out, exchange.era(), None);
        out
    }

    /// The result of a prompt or a resource: the handler's own members, and what the era adds.
    fn write_object(
        &self,
        exchange: &Exchange,
        text: &str,
        needed: &str,
        hint: Option<CacheHint>,
    ) -> Result<Vec<u8>, Error> {
        let mut out = open(exchange, text.len() + 256);
        let mut meta = None;
        let mut found = false;
        let start = out.len();
        let result: &RawValue =
            serde_json::from_str(text).map_err(|error| Error::internal(format!("a result cannot be read: {error}")))?;
        for (key, value) in crate::wire::raw::members(result)? {
            if key == "_meta" {
                meta = Some(value);
                continue;
            }
            found |= key == needed;
            if out.len() > start {
                out.push(b',');
            }
            write::string(&mut out, &key);
            out.push(b':');
            out.extend_from_slice(value.get().as_bytes());
        }
        if !found {
            return Err(Error::internal(format!("a result must have the member `{needed}`")));
        }
        if let Some(hint) = hint.filter(|_| exchange.era() == Era::Modern) {
            hint.write(&mut out);
        }
        self.close(&mut out, exchange.era(), meta);
        Ok(out)
    }

    /// Completions: at most a hundred values, with a mark when there are more (Y23).
    pub(super) fn write_completion(&self, exchange: &Exchange, text: &str) -> Result<Vec<u8>, Error> {
        let completed: Completed<'_> = serde_json::from_str(text)
            .map_err(|error| Error::internal(format!("a completion cannot be read: {error}")))?;
        let cut = completed.values.len() > COMPLETION_VALUES;
        let mut out = open(exchange, text.len() + 128);
        out.extend_from_slice(b"\"completion\":{\"values\":[");
        for (index, value) in completed.values.iter().take(COMPLETION_VALUES).enumerate() {
            if index > 0 {
                out.push(b',');
            }
            out.extend_from_slice(value.get().as_bytes());
        }
        out.push(b']');
        if let Some(total) = completed.total.or(cut.then_some(completed.values.len() as u64)) {
            out.extend_from_slice(format!(",\"total\":{total}").as_bytes());
        }
        let has_more = completed.has_more.unwrap_or(false) || cut;
        out.extend_from_slice(if has_more { b",\"hasMore\":true}".as_slice() } else { b",\"hasMore\":false}" });
        self.close(&mut out, exchange.era(), None);
        Ok(out)
    }

    /// Ends a result and its message: the era's `_meta`, merged with the handler's.
    fn close(&self, out: &mut Vec<u8>, era: Era, own: Option<&RawValue>) {
        let server = self.meta_of(era);
        match own.map(|own| own.get().trim()) {
            None => out.extend_from_slice(server.as_bytes()),
            Some(own) if server.is_empty() || own == "{}" => {
                if server.is_empty() {
                    out.extend_from_slice(b",\"_meta\":");
                    out.extend_from_slice(own.as_bytes());
                } else {
                    out.extend_from_slice(server.as_bytes());
                }
            }
            Some(own) => {
                out.extend_from_slice(&server.as_bytes()[..server.len() - 1]);
                out.push(b',');
                out.extend_from_slice(own.strip_prefix('{').unwrap_or(own).as_bytes());
            }
        }
        out.extend_from_slice(b"}}");
    }
}

fn take<T>(place: &Mutex<Option<T>>) -> Option<T> {
    place.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Opens a message and its result, up to the first member of its own.
fn open(exchange: &Exchange, capacity: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(capacity);
    write::result_open(&mut out, &exchange.id);
    out.push(b'{');
    if exchange.era() == Era::Modern {
        out.extend_from_slice(b"\"resultType\":\"complete\",");
    }
    out
}

/// Structured content again as text, for clients that read only text: a string as it is, anything else as JSON.
fn write_mirror(out: &mut Vec<u8>, value: &RawValue) {
    match value.get() {
        "null" => out.extend_from_slice(b"[]"),
        text if text.starts_with('"') => {
            out.extend_from_slice(b"[{\"type\":\"text\",\"text\":");
            out.extend_from_slice(text.as_bytes());
            out.extend_from_slice(b"}]");
        }
        text => {
            out.extend_from_slice(b"[{\"type\":\"text\",\"text\":");
            write::string(out, text);
            out.extend_from_slice(b"}]");
        }
    }
}

/// What a call does, for logs: never its arguments.
pub(super) fn describe_work(call: &Call) -> String {
    match &call.work {
        Work::Tool { tool } => format!("tool `{}`", tool.name()),
        Work::Prompt { name, .. } => format!("prompt `{name}`"),
        Work::Resource { .. } => "a resource".to_owned(),
        _ => "a handler".to_owned(),
    }
}
