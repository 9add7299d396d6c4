//! One call: from its start over the requests that it needs to its one result.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::cache::{Hint, Place};
use super::clock::Clock;
use super::host::{Change, Token, ToolsDiff};
use super::http_link::Post;
use super::input::Input;
use super::operation::{Operation, Plan};
use super::options::CallOptions;
use super::pages::Pages;
use super::repeat::Again;
use super::request::{self, Extra};
use super::state::{Effect, Phase, Purpose, Sent, State, Timer, closed_again, empty, invalid};
use super::tools::{Tool, Tools};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::model::{Era, Level, Method, params};
use crate::time::Now;
use crate::wire::{RequestId, raw, write};

/// One call.
pub(super) struct Call {
    pub operation: Operation,
    pub params: Box<RawValue>,
    pub plan: Plan,
    pub options: CallOptions,
    pub waiter: Waiter,
    pub clock: Clock,
    /// The id of its open request.
    pub id: Option<u64>,
    /// How often the server asked for input.
    pub rounds: u32,
    /// What its request carries, or gathers, for the round it is in.
    pub input: Option<Input>,
    /// What came of the listing that it is.
    pub pages: Option<Box<Pages>>,
    /// Where its result may be kept.
    place: Option<Box<Place>>,
    hint: Hint,
    /// The tools were listed again for it, since the server missed headers.
    pub relisted: bool,
    /// Its answer was given, and it goes on telling changes.
    pub open: bool,
    pub again: Again,
}

/// Who waits for the result of a call.
pub(super) enum Waiter {
    /// Whoever started it.
    Host,
    /// The client itself, since the tools changed. What is different goes here.
    Refresh(ToolsDiff),
    /// The client itself: changes are told through it as long as it is open.
    Watch,
    /// Calls that go on when the tools are known again, and what they fail with if they never will be.
    Calls(Vec<(Token, Error)>),
}

impl Call {
    pub fn new(
        operation: Operation,
        params: Box<RawValue>,
        options: CallOptions,
        waiter: Waiter,
        limits: &Limits,
    ) -> Self {
        Self {
            operation,
            params,
            plan: Plan::Nothing,
            waiter,
            clock: Clock::new(&options, limits),
            options,
            id: None,
            rounds: 0,
            input: None,
            pages: None,
            place: None,
            hint: Hint::default(),
            relisted: false,
            open: false,
            again: Again::default(),
        }
    }

    /// The tool it calls, if that was listed.
    pub fn tool<'t>(&self, tools: &'t Tools) -> Option<&'t Arc<Tool>> {
        let name = raw::get(&self.params, "name").ok().flatten().filter(|_| self.operation == Operation::CallTool)?;
        tools.get(&params::text(name, "name").ok()?)
    }

    /// Whether it may be sent again although the server may have done it: its caller says so, it only reads, or its tool says that it
    /// only reads or is idempotent.
    pub fn is_safe(&self, tools: &Tools) -> bool {
        self.options.safe.unwrap_or_else(|| match self.operation {
            Operation::CallTool => self.tool(tools).is_some_and(|tool| tool.may_repeat),
            _ => true,
        })
    }
}

impl State {
    pub fn start(&mut self, operation: Operation, text: &str, options: CallOptions, now: Now) -> Token {
        let text = if text.trim().is_empty() { "{}" } else { text };
        match RawValue::from_string(text.to_owned()) {
            Ok(params) if raw::is_object(&params) => self.begin(operation, params, options, Waiter::Host, now),
            _ => {
                let token = self.next_token();
                let error =
                    Error::invalid_params(format!("the parameters of `{}` must be an object", operation.as_str()));
                self.effects.push(Effect::Result(token, Err(error)));
                token
            }
        }
    }

    /// Starts a call of the client's own, past what is kept.
    pub fn start_own(&mut self, operation: Operation, mut options: CallOptions, waiter: Waiter, now: Now) {
        options.fresh = true;
        self.begin(operation, empty(), options, waiter, now);
    }

    pub fn begin(
        &mut self,
        operation: Operation,
        params: Box<RawValue>,
        options: CallOptions,
        waiter: Waiter,
        now: Now,
    ) -> Token {
        let token = self.next_token();
        let mut call = Call::new(operation, params, options, waiter, &self.options.limits);
        call.again.held = !matches!(self.phase, Phase::Ready(_));
        self.calls.insert(token, call);
        match &self.phase {
            Phase::Closed(error) => {
                let error = closed_again(error);
                self.finish(token, Err(error), now);
            }
            Phase::Ready(_) => self.dispatch(token, now),
            // The first connection has a time limit of its own; later ones may take long.
            Phase::Idle | Phase::Connecting(_) | Phase::Lost if self.recovery.spoken().is_some() => {
                self.start_clock(token, now);
            }
            Phase::Idle | Phase::Connecting(_) | Phase::Lost => {}
        }
        token
    }

    /// Refuses a call because too much waits for the server already.
    pub fn refuse_queued(&mut self) -> Token {
        let token = self.next_token();
        let what = "what waits for a server that does not read";
        let error = Error::limit("queued_bytes", self.options.limits.queued_bytes, what).retryable();
        self.effects.push(Effect::Result(token, Err(error)));
        token
    }

    /// Does a call that waited for the connection, or comes after it.
    pub fn dispatch(&mut self, token: Token, now: Now) {
        let Phase::Ready(version) = self.phase else { return };
        let Some(call) = self.calls.get_mut(&token) else { return };
        call.plan = call.operation.plan(version.era());
        call.again.held = false;
        // The server is still what it was, so the refusal was meant: what is not safe is not tried twice.
        if let Some((before, error)) = call.again.refusal.take()
            && before == version
        {
            return self.finish(token, Err(error), now);
        }
        if version.era() == Era::Legacy {
            // A server that was modern before may have asked for it.
            call.input = None;
        }
        // A cursor of a connection that was lost may mean nothing to the next one.
        call.pages = None;
        call.hint = Hint::default();
        let outcome = match call.plan {
            Plan::Request(method) | Plan::Empty(method) if !method.reaches_server(version) => {
                Err(Error::method_not_found(call.operation.as_str()))
            }
            Plan::Request(_) | Plan::Empty(_) | Plan::Open | Plan::OpenOne => match self.kept(token, now) {
                Some(kept) => Ok(kept),
                None => {
                    self.start_clock(token, now);
                    self.issue(token, now);
                    return;
                }
            },
            Plan::KeepLevel => self.keep_level(token),
            Plan::CloseOne => self.close_one(token),
            Plan::Nothing => Self::acknowledged_without_request(call),
        };
        self.finish(token, outcome, now);
    }

    /// What is kept of an earlier result. Otherwise notes where that of this call may be kept.
    fn kept(&mut self, token: Token, now: Now) -> Option<Box<RawValue>> {
        let call = self.calls.get_mut(&token)?;
        let Plan::Request(method) = call.plan else { return None };
        if self.phase.version()?.era() != Era::Modern {
            return None;
        }
        let place = self.cache.place(method, call.options.one_page, &call.params, &call.options.headers)?;
        let kept = if call.options.fresh { None } else { self.cache.get(&place, now) };
        call.place = Some(Box::new(place));
        kept
    }

    /// Sends the request of a call, or its next one, as soon as there is a connection.
    pub fn issue(&mut self, token: Token, now: Now) {
        let id = self.next_id();
        let Some(call) = self.calls.get_mut(&token) else { return };
        let Phase::Ready(version) = self.phase else {
            call.again.held = true;
            return;
        };
        call.id = Some(id);
        let call = &*call;
        let method = match call.plan {
            Plan::Request(method) | Plan::Empty(method) => method,
            _ => Method::Listen,
        };
        let extra = match (&call.input, call.pages.as_ref().and_then(|pages| pages.cursor.as_deref())) {
            (Some(input), _) => Extra::Input(input),
            (None, Some(cursor)) => Extra::Cursor(cursor),
            (None, None) => Extra::None,
        };
        let mut out = Vec::with_capacity(call.params.get().len() + 512);
        write::request_with(&mut out, &RequestId::Int(id.into()), method.as_str(), |out| {
            let meta = request::Meta { progress: Some(id), version, options: &self.options, level: self.level };
            match call.plan {
                Plan::OpenOne => super::subscribe::write_one(out, &call.params, &meta),
                Plan::Empty(Method::Discover) => request::write(out, "{}", &meta, Extra::None),
                _ => request::write(out, call.params.get(), &meta, extra),
            }
        });
        let mut post = Post::new(id, version, method);
        if self.http.is_some() {
            post.headers = call.options.headers.clone();
        }
        if self.http.is_some() && version.era() == Era::Modern {
            post.name = method.row().name_field.and_then(|field| request::name(&call.params, field));
            match self.mirrored(token, method) {
                Ok(mirrored) => post.mirrored = mirrored,
                Err(error) => return self.finish(token, Err(error), now),
            }
        }
        self.sent.insert(id, Sent::new(Purpose::Call(token)));
        self.watch(now);
        self.send_request(post, out, now);
    }

    /// The answer to request `id` came; one to nothing that is open is dropped (W11, X03).
    pub fn answered(&mut self, id: u64, outcome: Result<Cow<'_, RawValue>>, status: Option<u16>, now: Now) {
        let Some(sent) = self.sent.remove(&id) else { return };
        match sent.purpose {
            Purpose::Discover => match outcome {
                Ok(result) => self.discovered(Ok(&result), status, now),
                Err(error) => self.discovered(Err(error), status, now),
            },
            Purpose::Initialize => match outcome {
                Ok(result) => self.initialized(Ok(&result), status, now),
                Err(error) => self.initialized(Err(error), status, now),
            },
            Purpose::Call(token) => {
                if let Some(call) = self.calls.get_mut(&token) {
                    call.id = None;
                }
                match outcome {
                    Ok(result) => self.call_answered(token, result, now),
                    Err(error) => self.refused(token, error, status, now),
                }
            }
            // Whatever it says, somebody said it (Y24).
            Purpose::Ping => {}
            Purpose::Renew => {
                if let Err(error) = outcome {
                    self.report(Level::Warning, format!("the server did not take what it had taken before: {error}"));
                }
            }
        }
    }

    fn call_answered(&mut self, token: Token, result: Cow<'_, RawValue>, now: Now) {
        if self.calls.get(&token).is_some_and(|call| call.open) {
            return self.subscription_over(token, false, now);
        }
        if !raw::is_object(&result) {
            return self.finish(token, Err(invalid("the result is no object")), now);
        }
        if self.version().is_some_and(|version| version.era() == Era::Modern) {
            let kind = raw::get(&result, "resultType").ok().flatten().map(|kind| params::text(kind, "resultType"));
            match kind {
                None => {}
                Some(Ok(kind)) if kind == "complete" => {}
                Some(Ok(kind)) if kind == "input_required" => return self.input_required(token, &result, now),
                // The revision forbids to guess what an unknown kind means (W17).
                Some(_) => return self.finish(token, Err(invalid("the result is of an unknown type")), now),
            }
        }
        let Some(call) = self.calls.get_mut(&token) else { return };
        call.hint.add(&result, now);
        let answer = match call.plan {
            Plan::Empty(_) => empty(),
            Plan::Request(_) if call.operation.items_member().is_some() => match self.page(token, &result) {
                Ok(Some(all)) => all,
                Ok(None) => {
                    self.arm(token, now);
                    return self.issue(token, now);
                }
                Err(error) => return self.finish(token, Err(error), now),
            },
            _ => result.into_owned(),
        };
        self.complete(token, answer, now);
    }

    /// The whole result of a call is there.
    fn complete(&mut self, token: Token, answer: Box<RawValue>, now: Now) {
        self.listed(token);
        self.keep(token);
        let checks = self.options.check_output
            && self.tools.have_rules()
            && self.version().is_some_and(|version| version.has_structured_content());
        let Some(call) = self.calls.get_mut(&token) else { return };
        // What input has led to depends on more than its key says.
        if let Some(place) = call.place.take().filter(|_| call.input.is_none()) {
            self.cache.put(*place, &call.hint, &answer, now);
        }
        match call.tool(&self.tools).filter(|tool| checks && tool.output.is_some()).cloned() {
            Some(tool) => {
                self.forget(token);
                self.effects.push(Effect::Checked(token, answer, tool));
            }
            None => self.finish(token, Ok(answer), now),
        }
    }

    /// Ends a call: it leaves everything that knows it, and whoever waits is told.
    pub fn finish(&mut self, token: Token, outcome: Result<Box<RawValue>>, now: Now) {
        let Some(call) = self.forget(token) else { return };
        match call.waiter {
            Waiter::Host if call.open => self.effects.push(Effect::Change(Change::Ended { token })),
            Waiter::Host => self.effects.push(Effect::Result(token, outcome)),
            Waiter::Watch => self.watch_over(call.open, outcome),
            Waiter::Refresh(diff) => self.refreshed(outcome.map(|_| diff), now),
            Waiter::Calls(calls) => self.go_on(calls, outcome.map(drop), now),
        }
    }

    /// Takes a call out of everything that knows it.
    pub fn forget(&mut self, token: Token) -> Option<Call> {
        let call = self.calls.remove(&token)?;
        if let Some(due) = call.clock.due {
            self.clear_timer(due, Timer::Call(token));
        }
        if let Some(at) = call.again.at {
            self.clear_timer(at, Timer::Repeat(token));
        }
        if let Some(sent) = call.id.and_then(|id| self.sent.remove(&id))
            && let Some(exchange) = sent.exchange
        {
            self.abort(exchange);
        }
        self.withdraw_asks(|ask| ask.is_of(token));
        Some(call)
    }

    pub fn cancel(&mut self, token: Token, reason: &str) {
        self.tell_cancelled(token, reason);
        if let Some(call) = self.forget(token)
            && !call.open
        {
            let error = Error::new(ErrorKind::Cancelled, format!("the call was cancelled: {reason}"));
            self.effects.push(Effect::Result(token, Err(error)));
        }
    }

    /// Tells the server that an answer is no longer wanted. Over modern HTTP the end of the request says so.
    pub fn tell_cancelled(&mut self, token: Token, reason: &str) {
        let (Phase::Ready(version), Some(id)) = (&self.phase, self.calls.get(&token).and_then(|call| call.id)) else {
            return;
        };
        if self.http.is_some() && version.era() == Era::Modern {
            return;
        }
        let mut out = Vec::with_capacity(128);
        write::notification_with(&mut out, Method::Cancelled.as_str(), |out| {
            out.push(b'{');
            write::key(out, "requestId");
            RequestId::Int(id.into()).write(out);
            write::member_string(out, "reason", reason);
            write::close(out);
        });
        self.send_notice(out);
    }
}
