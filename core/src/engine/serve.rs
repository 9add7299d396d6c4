//! A request's way to its answer: which era, which method, a built-in answer or a call for the host.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::value::RawValue;

use super::call::{Call, Origin, Work, not_found};
use super::host::Principal;
use super::visible::Seen;
use super::{Engine, builtin};
use crate::error::{Error, Result};
use crate::model::{ClientCapabilities, Era, Level, Method, Params, Version, params};
use crate::protocol::exchange::{Exchange, Opening};
use crate::protocol::inbound::{self, Route};
use crate::protocol::peer::{Peer, Running};
use crate::protocol::sink::{Frame, Message, Sink};
use crate::registry::catalog::Found;
use crate::registry::completion::Reference;
use crate::registry::template::Value;
use crate::schema::check::{Invalid, describe};
use crate::time::Now;
use crate::wire::{RequestId, write};

/// A request as its transport hands it over.
pub(super) struct Request<'a> {
    /// The whole message; `params` borrows from it.
    pub text: &'a Bytes,
    pub id: RequestId,
    pub method: &'a str,
    pub params: Option<Params<'a>>,
    pub peer: Option<&'a Arc<Peer>>,
    pub sink: Arc<dyn Sink>,
    pub head: Option<Arc<::http::request::Parts>>,
    pub principal: Option<Arc<Principal>>,
    /// The value of `MCP-Protocol-Version`.
    pub header: Option<&'a str>,
}

/// What every handled request has, whatever its method.
pub(super) struct Served<'a> {
    pub request: Request<'a>,
    pub method: Method,
    pub version: Version,
    pub capabilities: ClientCapabilities,
    pub level: Option<Level>,
}

impl Engine {
    /// Serves a request. Its answer, now or later, goes to the request's sink.
    pub(super) fn serve(self: &Arc<Self>, request: Request<'_>, now: Now) {
        let id = request.id.clone();
        let sink = Arc::clone(&request.sink);
        if let Err(error) = self.try_serve(request, now) {
            fail(&*sink, &id, &error);
        }
    }

    fn try_serve(self: &Arc<Self>, request: Request<'_>, now: Now) -> Result<()> {
        let route = inbound::route(request.method, request.params.as_ref(), request.header)?;
        let served = match route {
            Route::Modern { method, version, capabilities, level } => {
                Served { request, method, version, capabilities, level }
            }
            Route::Legacy { method } => self.legacy(request, method)?,
        };
        if !self.offers(served.method) {
            return Err(Error::method_not_found(served.method.as_str()));
        }
        if let Some(peer) = served.request.peer {
            let state = peer.state();
            if state.in_flight.contains_key(&served.request.id) {
                return Err(Error::invalid_request(format!(
                    "the id {} is that of a request still in flight",
                    served.request.id
                )));
            }
            if state.in_flight.len() >= self.limits().in_flight {
                let limit = self.limits().in_flight;
                return Err(Error::limit("in_flight", limit, "the number of requests in flight").retryable());
            }
        }
        self.dispatch(served, now)
    }

    /// What a legacy request is served as: the revision of its handshake, or of its HTTP header.
    fn legacy<'a>(&self, request: Request<'a>, method: Method) -> Result<Served<'a>> {
        let negotiated = request.peer.and_then(|peer| peer.negotiated());
        let version = match request.peer {
            _ if method == Method::Initialize => Version::NEWEST_LEGACY,
            Some(peer) => match self.legacy_version(peer, request.header) {
                Some(version) => version,
                None if method == Method::Ping => Version::WITHOUT_HEADER,
                None => {
                    return Err(Error::invalid_request(format!(
                        "`{}` came before `initialize`: open a session first, or send the metadata of {} with every request",
                        request.method,
                        Version::NEWEST
                    )));
                }
            },
            None => Version::WITHOUT_HEADER,
        };
        let capabilities = negotiated.map(|negotiated| negotiated.capabilities).unwrap_or_default();
        if !method.reaches_server(version) {
            return Err(Error::method_not_found(request.method));
        }
        Ok(Served { request, method, version, capabilities, level: None })
    }

    /// The revision of a legacy peer: that of its handshake, or, where there are no sessions, of the request's HTTP header.
    pub(super) fn legacy_version(&self, peer: &Peer, header: Option<&str>) -> Option<Version> {
        match peer.negotiated() {
            Some(negotiated) => Some(negotiated.version),
            None if peer.stateful => None,
            None => Some(header.and_then(Version::parse).unwrap_or(Version::WITHOUT_HEADER)),
        }
    }

    fn dispatch(self: &Arc<Self>, served: Served<'_>, now: Now) -> Result<()> {
        match served.method {
            Method::CallTool => self.call_tool(served, now),
            Method::ReadResource => self.read_resource(served, now),
            Method::GetPrompt => self.get_prompt(served, now),
            Method::Complete => self.complete_argument(served, now),
            _ => builtin::answer(self, served, now),
        }
    }

    fn call_tool(self: &Arc<Self>, served: Served<'_>, now: Now) -> Result<()> {
        let params = served.params()?;
        let name = params::required(params.name, "name")?;
        let catalog = self.registry.snapshot();
        let tool = catalog.tools.get(&name).ok_or_else(|| Error::invalid_params(format!("Unknown tool: {name}")))?;
        let arguments = served.arguments()?;
        let text = arguments.as_ref().map_or("{}", |raw| raw.get());
        if served.version.era() == Era::Modern
            && let Some(head) = &served.request.head
        {
            crate::protocol::http::server::check_params(&head.headers, &tool.headers, text)?;
        }
        let work = Work::Tool { tool: Arc::clone(tool) };
        let input = served.slice(text);
        self.enter(served, work, &name, input, now)
    }

    fn read_resource(self: &Arc<Self>, served: Served<'_>, now: Now) -> Result<()> {
        let uri = params::required(served.params()?.uri, "uri")?;
        if uri.len() > self.limits().uri_bytes {
            return Err(Error::invalid_params(
                Error::limit("uri_bytes", self.limits().uri_bytes, "the resource URI").message(),
            ));
        }
        let catalog = self.registry.snapshot();
        let mut input = Vec::with_capacity(uri.len() + 32);
        input.extend_from_slice(b"{\"uri\":");
        write::string(&mut input, &uri);
        input.extend_from_slice(b",\"variables\":{");
        let (hint, slot) = match catalog.find(&uri) {
            Some(Found::Resource(resource)) => (resource.hint, resource.slot),
            Some(Found::Template(template, variables)) => {
                for (index, (name, value)) in variables.iter().enumerate() {
                    if index > 0 {
                        input.push(b',');
                    }
                    write::string(&mut input, name);
                    input.push(b':');
                    write_value(&mut input, value);
                }
                (template.hint, template.slot)
            }
            None => {
                let work = Work::Resource { hint: self.options.hints.of_read(None), slot: 0 };
                return Err(not_found(&work, &uri, served.version.resource_not_found_code()));
            }
        };
        input.extend_from_slice(b"}}");
        let work = Work::Resource { hint: self.options.hints.of_read(hint), slot };
        self.enter(served, work, &uri, input.into(), now)
    }

    fn get_prompt(self: &Arc<Self>, served: Served<'_>, now: Now) -> Result<()> {
        let name = params::required(served.params()?.name, "name")?;
        let catalog = self.registry.snapshot();
        let prompt =
            catalog.prompts.get(&name).ok_or_else(|| Error::invalid_params(format!("Unknown prompt: {name}")))?;
        let arguments = served.arguments()?;
        let text = arguments.as_ref().map_or("{}", |raw| raw.get());
        let given: std::collections::BTreeMap<std::borrow::Cow<'_, str>, String> = serde_json::from_str(text)
            .map_err(|_| Error::invalid_params(format!("the `arguments` of prompt `{name}` must be strings")))?;
        let missing: Vec<_> = prompt.missing(|argument| given.contains_key(argument)).collect();
        if !missing.is_empty() {
            return Err(Error::invalid_params(format!(
                "prompt `{name}` misses required arguments: {}",
                missing.join(", ")
            )));
        }
        let work = Work::Prompt { name: name.as_ref().into(), slot: prompt.slot };
        let input = served.slice(text);
        self.enter(served, work, &name, input, now)
    }

    fn complete_argument(self: &Arc<Self>, served: Served<'_>, now: Now) -> Result<()> {
        let params = served.params()?;
        let reference = Reference::parse(params.reference)?;
        let argument = builtin::CompletionArgument::parse(params.argument, params.context)?;
        let catalog = self.registry.snapshot();
        let (target, known) = match &reference {
            Reference::Prompt(name) => (name, catalog.prompts.get(name).is_some()),
            Reference::Template(uri) => {
                (uri, catalog.templates.get(uri).is_some() || catalog.resources.get(uri).is_some())
            }
        };
        if !known {
            return Err(Error::invalid_params(format!("`ref` names nothing that is offered: {target}")));
        }
        match catalog.completions.get(&reference, &argument.name) {
            Some(slot) => {
                let input = argument.write();
                let target = target.clone();
                self.enter(served, Work::Completion { slot }, &target, input.into(), now)
            }
            // Nobody completes this argument: no suggestions, no error (Y23).
            None => {
                let mut exchange = served.into_exchange();
                let message = self.write_completion(&exchange, r#"{"values":[]}"#)?;
                exchange.respond(message.into(), None);
                Ok(())
            }
        }
    }

    /// Makes the call; where callers see different things, the host is asked first whether this one may see the target.
    fn enter(self: &Arc<Self>, served: Served<'_>, work: Work, target: &str, input: Bytes, now: Now) -> Result<()> {
        let origin = served.origin(target, input);
        let retry = self.read_retry(&served, &origin, now)?;
        let exchange = served.into_exchange();
        if self.options.visibility {
            let input = origin.input.clone();
            self.view(Seen::Call { work, input, retry }, origin, exchange, now);
            return Ok(());
        }
        self.launch(work, origin, exchange, retry, now);
        Ok(())
    }

    /// Starts a call, or resumes the parked one that its request brings answers for.
    pub(super) fn launch(
        self: &Arc<Self>,
        work: Work,
        origin: Origin,
        mut exchange: Exchange,
        retry: Option<super::input::Retry>,
        now: Now,
    ) {
        if let (Work::Tool { tool }, Some(retry)) = (&work, &retry)
            && tool.options.once
            && !self.redeem(retry, now)
        {
            exchange.fail(&Error::invalid_params("`requestState` was used already, and this tool takes it only once"));
            return;
        }
        let retry = match retry {
            Some(retry) => match self.resume(retry, exchange, now) {
                None => return,
                Some((retry, back)) => {
                    exchange = back;
                    Some(retry)
                }
            },
            None => None,
        };
        if let Work::Tool { tool } = &work {
            let arguments = std::str::from_utf8(&origin.input).unwrap_or("{}");
            if !tool.options.unchecked
                && let Some(text) = Self::argument_problems(tool, arguments)
            {
                let message = self.write_error_result(&exchange, &text);
                exchange.respond(message.into(), None);
                return;
            }
        }
        let permit = match self.guards.enter(&work, origin.principal.as_deref(), now) {
            Ok(permit) => permit,
            Err(error) => {
                match &work {
                    Work::Tool { .. } => {
                        let message = self.write_error_result(&exchange, error.message());
                        exchange.respond(message.into(), None)
                    }
                    _ => exchange.fail(&error),
                };
                return;
            }
        };
        let peer = exchange.peer.clone();
        let id = exchange.id.clone();
        let sink = Arc::clone(&exchange.sink);
        let call = Call::new(Arc::clone(self), work, origin, Some(exchange), now);
        {
            let mut state = call.state();
            state.permit = permit;
            if let Some(retry) = retry {
                retry.prepare(&mut state);
            }
        }
        if let Some(peer) = peer {
            peer.state().in_flight.insert(id, Arc::clone(&call) as Arc<dyn Running>);
            if peer.is_closed() {
                Running::cancel(call, "the connection is closed");
                return;
            }
        }
        sink.runs(&(Arc::clone(&call) as Arc<dyn Running>));
        if let Some(timeout) = call.time_limit() {
            call.limit_to(timeout, now);
        }
        call.start();
    }

    /// What is wrong with a tool's arguments, as a text for the model.
    fn argument_problems(tool: &crate::registry::tool::Tool, arguments: &str) -> Option<String> {
        match tool.input.check(arguments) {
            Ok(()) => None,
            Err(Invalid::Problems(problems)) => {
                Some(describe(&problems, &format!("arguments for tool \"{}\"", tool.name())))
            }
            Err(Invalid::Unchecked(error)) => {
                Some(format!("Invalid arguments for tool \"{}\": {}", tool.name(), error.message()))
            }
        }
    }
}

impl<'a> Served<'a> {
    pub fn params(&self) -> Result<&Params<'a>> {
        self.request.params.as_ref().ok_or_else(|| Error::invalid_params("`params` is missing"))
    }

    /// The `arguments` object, if there is one.
    fn arguments(&self) -> Result<Option<&'a RawValue>> {
        match self.request.params.as_ref().and_then(|params| params.arguments) {
            Some(raw) if !params::is_object(raw) => {
                Err(Error::invalid_params(format!("`arguments` must be an object, got {}", params::kind_of(raw))))
            }
            arguments => Ok(arguments),
        }
    }

    /// The part of the message that holds `text`, without a copy where it lies in it.
    fn slice(&self, text: &str) -> Bytes {
        let all = self.request.text;
        let (start, end) = (all.as_ptr() as usize, all.as_ptr() as usize + all.len());
        let place = text.as_ptr() as usize;
        if place >= start && place + text.len() <= end {
            all.slice_ref(text.as_bytes())
        } else {
            Bytes::copy_from_slice(text.as_bytes())
        }
    }

    pub fn origin(&self, target: &str, input: Bytes) -> Origin {
        Origin {
            message: self.request.text.clone(),
            input,
            target: target.into(),
            head: self.request.head.clone(),
            principal: self.request.principal.clone(),
        }
    }

    /// The open exchange of the request.
    pub fn into_exchange(self) -> Exchange {
        let meta = self.request.params.as_ref().and_then(|params| params.meta);
        let token = meta.and_then(|meta| meta.progress_token).and_then(|raw| RequestId::parse(raw.get(), 1 << 10).ok());
        Exchange::open(Opening {
            id: self.request.id,
            method: self.method,
            version: self.version,
            capabilities: self.capabilities,
            peer: self.request.peer.cloned(),
            sink: self.request.sink,
            progress_token: token,
            level: self.level,
        })
    }
}

fn write_value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Text(text) => write::string(out, text),
        Value::List(items) => {
            out.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write::string(out, item);
            }
            out.push(b']');
        }
    }
}

/// Sends an error answer.
pub(super) fn fail(sink: &dyn Sink, id: &RequestId, error: &Error) {
    let mut out = Vec::with_capacity(160);
    write::error(&mut out, Some(id), error);
    sink.send(Frame::Response { message: Message::from(out), id: Some(id.clone()), error: Some(error.code()) });
}
