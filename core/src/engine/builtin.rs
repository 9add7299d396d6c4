//! The methods that the engine answers itself.

use std::collections::HashSet;
use std::sync::Arc;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::Engine;
use super::call::resource_not_found;
use super::serve::Served;
use super::visible::Seen;
use crate::error::{Error, Result};
use crate::model::{Era, Method, params};
use crate::protocol::exchange::Exchange;
use crate::protocol::inbound;
use crate::protocol::legacy::handshake;
use crate::protocol::sink::Message;
use crate::protocol::subscribe::Filter;
use crate::registry::{Catalog, Kind, cursor, listing};
use crate::time::Now;
use crate::wire::write;

/// Answers a request that no handler is needed for.
pub(super) fn answer(engine: &Arc<Engine>, served: Served<'_>, now: Now) -> Result<()> {
    match served.method {
        Method::Initialize => initialize(engine, served),
        Method::Discover => discover(engine, served),
        Method::ListTools => list(engine, served, Kind::Tools, now),
        Method::ListResources => list(engine, served, Kind::Resources, now),
        Method::ListTemplates => list(engine, served, Kind::Templates, now),
        Method::ListPrompts => list(engine, served, Kind::Prompts, now),
        Method::SetLevel => set_level(served),
        Method::Subscribe => subscribe(engine, served, now),
        Method::Unsubscribe => unsubscribe(engine, served),
        Method::Listen => listen(engine, served, now),
        Method::Ping => empty(served),
        other => Err(Error::method_not_found(other.as_str())),
    }
}

fn initialize(engine: &Arc<Engine>, served: Served<'_>) -> Result<()> {
    let negotiated = handshake::negotiate(served.request.params.as_ref())?;
    let version = negotiated.version;
    let mut out = Vec::with_capacity(512);
    write::result_open(&mut out, &served.request.id);
    out.extend_from_slice(b"{\"protocolVersion\":");
    write::string(&mut out, version.as_str());
    out.extend_from_slice(b",\"capabilities\":");
    out.extend_from_slice(engine.capabilities(version).as_bytes());
    out.extend_from_slice(b",\"serverInfo\":");
    out.extend_from_slice(engine.options.info.as_bytes());
    write_instructions(&mut out, engine);
    out.extend_from_slice(b"}}");
    if let Some(peer) = served.request.peer {
        let first = peer.state().negotiated.replace(Arc::new(negotiated)).is_none();
        if first {
            engine.subscribers.add_legacy(peer);
        }
    }
    served.into_exchange().respond(out.into(), None);
    Ok(())
}

/// See <https://modelcontextprotocol.io/specification/2026-07-28/server/discover>.
fn discover(engine: &Arc<Engine>, served: Served<'_>) -> Result<()> {
    let mut out = Vec::with_capacity(512);
    write::result_open(&mut out, &served.request.id);
    out.extend_from_slice(b"{\"resultType\":\"complete\",\"supportedVersions\":[");
    inbound::write_supported_versions(&mut out);
    out.extend_from_slice(b"],\"capabilities\":");
    out.extend_from_slice(engine.capabilities(served.version).as_bytes());
    write_instructions(&mut out, engine);
    engine.options.hints.of_discover(engine.options.is_per_caller()).write(&mut out);
    out.extend_from_slice(engine.meta_of(Era::Modern).as_bytes());
    out.extend_from_slice(b"}}");
    served.into_exchange().respond(out.into(), None);
    Ok(())
}

fn write_instructions(out: &mut Vec<u8>, engine: &Engine) {
    if let Some(instructions) = &engine.options.instructions {
        out.extend_from_slice(b",\"instructions\":");
        write::string(out, instructions);
    }
}

fn list(engine: &Arc<Engine>, served: Served<'_>, kind: Kind, now: Now) -> Result<()> {
    let catalog = engine.registry.snapshot();
    let length = match kind {
        Kind::Tools => catalog.tools.items().len(),
        Kind::Resources => catalog.resources.items().len(),
        Kind::Templates => catalog.templates.items().len(),
        Kind::Prompts => catalog.prompts.items().len(),
    };
    let start = match served.request.params.as_ref().and_then(|params| params.cursor) {
        None => 0,
        Some(raw) => cursor::decode(kind, &params::text(raw, "cursor")?, length)?,
    };
    if engine.options.visibility {
        let origin = served.origin("", Bytes::new());
        engine.view(Seen::List { kind, start }, origin, served.into_exchange(), now);
        return Ok(());
    }
    let frame = frame(engine, kind);
    let era = served.version.era();
    let page = match kind {
        Kind::Tools => catalog.tools.page(era, start, &frame),
        Kind::Resources => catalog.resources.page(era, start, &frame),
        Kind::Templates => catalog.templates.page(era, start, &frame),
        Kind::Prompts => catalog.prompts.page(era, start, &frame),
    };
    let page = page.ok_or_else(|| Error::invalid_params("`cursor` is not one that this list gave out"))?;
    let mut head = Vec::with_capacity(64);
    write::result_open(&mut head, &served.request.id);
    served.into_exchange().respond(Message { head, shared: page, tail: b"}" }, None);
    Ok(())
}

/// Answers a list request with what its caller may see.
pub(super) fn list_visible(engine: &Engine, mut exchange: Exchange, kind: Kind, start: usize, names: &HashSet<String>) {
    let catalog: &Catalog = &engine.registry.snapshot();
    let frame = frame(engine, kind);
    let era = exchange.era();
    use crate::registry::Entry;
    let page = match kind {
        Kind::Tools => catalog.tools.visible_page(era, start, |item| names.contains(item.key()), &frame),
        Kind::Resources => catalog.resources.visible_page(era, start, |item| names.contains(item.key()), &frame),
        Kind::Templates => catalog.templates.visible_page(era, start, |item| names.contains(item.key()), &frame),
        Kind::Prompts => catalog.prompts.visible_page(era, start, |item| names.contains(item.key()), &frame),
    };
    let mut head = Vec::with_capacity(64);
    write::result_open(&mut head, &exchange.id);
    exchange.respond(Message { head, shared: page.into(), tail: b"}" }, None);
}

fn frame(engine: &Engine, kind: Kind) -> listing::Frame<'_> {
    listing::Frame {
        kind,
        page_size: engine.options.page_size,
        hint: engine.hint(kind),
        meta: engine.meta_of(Era::Modern),
    }
}

fn set_level(served: Served<'_>) -> Result<()> {
    let name = params::required(served.params()?.level, "level")?;
    let level = inbound::level(&name)?;
    if let Some(peer) = served.request.peer {
        peer.set_level(level);
    }
    empty(served)
}

fn subscribe(engine: &Arc<Engine>, served: Served<'_>, now: Now) -> Result<()> {
    let uri: Box<str> = params::required(served.params()?.uri, "uri")?.into();
    if engine.options.visibility {
        let origin = served.origin(&uri, Bytes::new());
        engine.view(Seen::Subscribe { uri }, origin, served.into_exchange(), now);
        return Ok(());
    }
    if engine.registry.snapshot().find(&uri).is_none() {
        return Err(resource_not_found(&uri, served.version.resource_not_found_code()));
    }
    let exchange = served.into_exchange();
    engine.subscribe(exchange, uri);
    Ok(())
}

fn unsubscribe(engine: &Arc<Engine>, served: Served<'_>) -> Result<()> {
    let uri = params::required(served.params()?.uri, "uri")?;
    if let Some(peer) = served.request.peer {
        let mut state = peer.state();
        let before = state.subscribed.len();
        state.subscribed.retain(|subscribed| **subscribed != *uri);
        let left = before != state.subscribed.len();
        drop(state);
        if left {
            engine.subscription_changed(&uri, false);
        }
    }
    empty(served)
}

fn listen(engine: &Arc<Engine>, served: Served<'_>, now: Now) -> Result<()> {
    let mut filter = Filter::parse(served.params()?.notifications)?;
    let limit = engine.limits().subscriptions;
    if filter.resource_subscriptions.len() > limit {
        return Err(Error::invalid_params(Error::limit("subscriptions", limit, "the number of resources").message()));
    }
    engine.restrict(&mut filter);
    if engine.options.visibility && !filter.resource_subscriptions.is_empty() {
        let origin = served.origin("", Bytes::new());
        engine.view(Seen::Listen { filter }, origin, served.into_exchange(), now);
        return Ok(());
    }
    engine.listen(served.into_exchange(), filter);
    Ok(())
}

pub(super) fn empty(served: Served<'_>) -> Result<()> {
    let mut out = Vec::with_capacity(64);
    write::result_open(&mut out, &served.request.id);
    out.extend_from_slice(b"{}}");
    served.into_exchange().respond(out.into(), None);
    Ok(())
}

/// What `completion/complete` asks for.
pub(super) struct CompletionArgument<'a> {
    pub name: std::borrow::Cow<'a, str>,
    value: &'a RawValue,
    context: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ArgumentMembers<'a> {
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    value: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct ContextMembers<'a> {
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

impl<'a> CompletionArgument<'a> {
    /// Reads `params.argument` and `params.context`.
    pub fn parse(argument: Option<&'a RawValue>, context: Option<&'a RawValue>) -> Result<Self> {
        let wrong = |error: serde_json::Error| Error::invalid_params(format!("`argument` or `context`: {error}"));
        let argument = argument.ok_or_else(|| Error::invalid_params("`argument` is missing"))?;
        let members: ArgumentMembers<'a> = serde_json::from_str(argument.get()).map_err(wrong)?;
        let context: ContextMembers<'a> =
            context.map_or(Ok(ContextMembers::default()), |raw| serde_json::from_str(raw.get())).map_err(wrong)?;
        let value = members.value.ok_or_else(|| Error::invalid_params("`argument.value` is missing"))?;
        params::text(value, "argument.value")?;
        Ok(Self { name: params::required(members.name, "argument.name")?, value, context: context.arguments })
    }

    /// The handler's input.
    pub fn write(&self) -> Vec<u8> {
        let mut out = b"{\"argument\":".to_vec();
        write::string(&mut out, &self.name);
        out.extend_from_slice(b",\"value\":");
        out.extend_from_slice(self.value.get().as_bytes());
        out.extend_from_slice(b",\"arguments\":");
        out.extend_from_slice(self.context.map_or("{}", RawValue::get).as_bytes());
        out.push(b'}');
        out
    }
}
