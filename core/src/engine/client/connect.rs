//! From the first question to an agreed revision. [`probe`] decides; here its steps are taken, for the first connection and for every
//! later one.

use http::StatusCode;
use serde_json::value::RawValue;

use super::host::{ClientState, Token};
use super::http_link::{Http, Post};
use super::options::EraChoice;
use super::request::{self, Extra, Meta};
use super::state::{Effect, Phase, Purpose, Sent, State, Timer, copy};
use crate::error::{Error, ErrorKind, Result};
use crate::model::params::meta_key;
use crate::model::{Era, Method, Version};
use crate::protocol::http::client;
use crate::protocol::modern::probe::{self, Carrier, Reaction, Step};
use crate::time::Now;
use crate::wire::{RequestId, raw, write};

/// Steps that a connection may take; a server that sends its client around in circles is refused.
const STEPS: u32 = 8;

/// A connection in the making.
pub(super) struct Connecting {
    /// The call that opened the client; a connection that is made anew has none.
    pub opened: Option<Token>,
    stage: Stage,
    steps: u32,
    restarted: bool,
    /// The revision that is tried because the server spoke it before.
    known: Option<Version>,
    /// What was asked in vain, and why.
    in_vain: Vec<(Method, String)>,
}

impl Connecting {
    /// Whether the handshake came first, because the server is known for it, and nobody has asked for more yet.
    fn is_legacy_by_memory(&self) -> bool {
        self.known.is_some_and(|version| version.era() == Era::Legacy)
    }
}

enum Stage {
    /// `server/discover` is asked.
    Discovering(Version),
    /// `initialize` is asked; a late answer to `server/discover` still counts.
    Initializing,
    /// The event stream of the HTTP+SSE transport is opened.
    Events,
    /// The server has `notifications/initialized`, as soon as it says so.
    Confirming { version: Version, server: Box<RawValue> },
}

impl State {
    pub fn connect(&mut self, now: Now) -> Token {
        let token = self.next_token();
        let refused = match &self.phase {
            Phase::Idle => None,
            // The carrier may have failed before it was asked: the program does not exist (C06).
            Phase::Closed(error) => Some(copy(error)),
            _ => Some(Error::new(ErrorKind::Closed, "a client connects once")),
        };
        if let Some(error) = refused {
            self.effects.push(Effect::Result(token, Err(error)));
            return token;
        }
        self.effects.push(Effect::State(ClientState::Connecting));
        self.make(Some(token), now);
        token
    }

    /// Makes a connection: asks the first question, the one that the server is known to answer, where something is known of it.
    pub fn make(&mut self, opened: Option<Token>, now: Now) {
        let known = match self.options.era {
            EraChoice::Auto => self.recovery.known,
            EraChoice::Legacy(_) | EraChoice::Modern => None,
        };
        let stage = Stage::Discovering(Version::NEWEST);
        let in_vain = Vec::new();
        self.phase = Phase::Connecting(Connecting { opened, stage, steps: 0, restarted: false, known, in_vain });
        self.set_timer(now.monotonic.saturating_add(self.options.limits.connect_for), Timer::Connect);
        let is_legacy = known.map_or(matches!(self.options.era, EraChoice::Legacy(_)), |v| v.era() == Era::Legacy);
        let first = match (is_legacy, known) {
            (true, _) if self.recovery.by_events => Step::Events,
            (true, _) => Step::Initialize,
            (false, known) => Step::Discover(known.unwrap_or(Version::NEWEST)),
        };
        self.step(first, now);
    }

    /// This attempt to connect has failed; the error says what else was asked in vain.
    pub fn connect_failed(&mut self, error: Error, now: Now) {
        let Phase::Connecting(connecting) = &mut self.phase else { return };
        let in_vain = std::mem::take(&mut connecting.in_vain);
        let message = error.message().to_owned();
        let error = in_vain.into_iter().fold(error, |error, (method, why)| {
            let method = method.as_str();
            // A process that cannot start ends the same way each time; what it says on stderr is enough once.
            match why.strip_prefix(&*message).is_some_and(|facts| facts.is_empty() || facts.starts_with(" [")) {
                true => error.explained(format_args!("`{method}` was tried before and ended the same way")),
                false => error.explained(format_args!("`{method}` was tried before: {why}")),
            }
        });
        match connecting.opened {
            Some(_) => self.end(error),
            None => self.attempt_failed(error, now),
        }
    }

    /// A question of this attempt has led nowhere.
    fn asked_in_vain(&mut self, method: Method, why: String) {
        if let Phase::Connecting(connecting) = &mut self.phase {
            connecting.in_vain.push((method, why));
        }
    }

    fn carrier(&self) -> Carrier {
        match self.http {
            Some(_) => Carrier::Http,
            None => Carrier::Stream,
        }
    }

    fn step(&mut self, step: Step, now: Now) {
        let carrier = self.carrier();
        let only_modern = self.options.era == EraChoice::Modern;
        let Phase::Connecting(connecting) = &mut self.phase else { return };
        connecting.steps += 1;
        if connecting.steps > STEPS {
            let error = Error::new(ErrorKind::UnsupportedVersion, "no revision can be agreed with the server");
            return self.connect_failed(error, now);
        }
        match step {
            Step::Discover(version)
                if connecting.steps > 2
                    && matches!(connecting.stage, Stage::Discovering(asked) if asked == version) =>
            {
                let text = format!("the server says that it speaks the revision {version}, and refuses it");
                self.connect_failed(Error::new(ErrorKind::UnsupportedVersion, text), now);
            }
            Step::Discover(version) => {
                connecting.stage = Stage::Discovering(version);
                if carrier == Carrier::Stream && !only_modern {
                    self.set_timer(now.monotonic.saturating_add(self.options.limits.probe_for), Timer::Probe);
                }
                self.send_discover(version, Purpose::Discover, now);
            }
            Step::Initialize | Step::Restart | Step::Events if only_modern => {
                let newest = Version::NEWEST;
                let text = format!("the server does not speak {newest}, the only revision that is wanted");
                self.connect_failed(Error::new(ErrorKind::UnsupportedVersion, text), now);
            }
            Step::Initialize => {
                // Nor may a modern server be deaf to `initialize` for ever, where that comes first (W14).
                if carrier == Carrier::Stream && connecting.is_legacy_by_memory() {
                    self.set_timer(now.monotonic.saturating_add(self.options.limits.probe_for), Timer::Probe);
                }
                self.send_initialize(now);
            }
            Step::Restart => {
                connecting.restarted = true;
                // The process that was asked before is gone, and so are its answers.
                self.sent.clear();
                self.effects.push(Effect::Restart);
                self.send_initialize(now);
            }
            Step::Events => {
                connecting.stage = Stage::Events;
                self.open_events(now);
            }
            // Only with the result in hand: see `discovered` and `initialized`.
            Step::Modern(_) | Step::Legacy(_) => {}
            Step::Fail(error) => self.connect_failed(error, now),
        }
    }

    /// Asks who the server is and what it speaks.
    pub fn send_discover(&mut self, version: Version, purpose: Purpose, now: Now) -> u64 {
        let id = self.next_id();
        let mut out = Vec::with_capacity(320);
        write::request_with(&mut out, &RequestId::Int(id.into()), Method::Discover.as_str(), |out| {
            let meta = Meta { progress: None, version, options: &self.options, level: None };
            request::write(out, "{}", &meta, Extra::None);
        });
        self.sent.insert(id, Sent::new(purpose));
        self.send_request(Post::new(id, version, Method::Discover), out, now);
        id
    }

    pub fn send_initialize(&mut self, now: Now) {
        let Phase::Connecting(connecting) = &mut self.phase else { return };
        let offered = match self.options.era {
            EraChoice::Legacy(version) => version,
            _ => connecting.known.filter(|v| v.era() == Era::Legacy).unwrap_or(Version::NEWEST_LEGACY),
        };
        connecting.stage = Stage::Initializing;
        let id = self.next_id();
        let mut out = Vec::with_capacity(320);
        write::request_with(&mut out, &RequestId::Int(id.into()), Method::Initialize.as_str(), |out| {
            out.push(b'{');
            write::member_string(out, "protocolVersion", offered.as_str());
            write::member(out, "capabilities", self.options.capabilities.as_bytes());
            write::member(out, "clientInfo", self.options.info.as_bytes());
            write::close(out);
        });
        self.sent.insert(id, Sent::new(Purpose::Initialize));
        self.send_request(Post::new(id, offered, Method::Initialize), out, now);
    }

    /// `server/discover` was answered, maybe after the handshake was begun: a modern answer wins then too (W14).
    pub fn discovered(&mut self, outcome: Result<&RawValue>, status: Option<u16>, now: Now) {
        let carrier = self.carrier();
        let Phase::Connecting(connecting) = &self.phase else { return };
        let (asked, is_late) = match connecting.stage {
            Stage::Discovering(version) => (version, false),
            _ => (Version::NEWEST, true),
        };
        let result = outcome.as_ref().ok().copied();
        let why = why(&outcome, "the answer names no revision that is known here");
        let reaction = reaction(outcome, status);
        match (probe::after_discover(reaction, asked, carrier), result) {
            (Step::Modern(version), Some(result)) => {
                self.sent.retain(|_, sent| sent.purpose != Purpose::Initialize);
                let server = describe(result, version, modern_server(result));
                self.ready(version, server, now);
            }
            (_, _) if is_late => {}
            (step, _) => {
                if matches!(step, Step::Initialize) {
                    self.asked_in_vain(Method::Discover, why);
                }
                self.step(step, now);
            }
        }
    }

    /// `initialize` was answered.
    pub fn initialized(&mut self, outcome: Result<&RawValue>, status: Option<u16>, now: Now) {
        let carrier = self.carrier();
        let Phase::Connecting(connecting) = &mut self.phase else { return };
        let result = outcome.as_ref().ok().copied();
        let why = why(&outcome, "the answer names a revision without a handshake");
        // An answer, and not the one that the server was known to give.
        let forgets = connecting.is_legacy_by_memory() && (carrier == Carrier::Stream || status.is_some());
        let reaction = reaction(outcome, status);
        match (probe::after_initialize(reaction, carrier), result) {
            (Step::Legacy(version), Some(result)) => {
                let server = describe(result, version, raw::get(result, "serverInfo").ok().flatten());
                self.confirm(version, server, now);
            }
            (Step::Fail(_) | Step::Events, _) if forgets => {
                self.asked_in_vain(Method::Initialize, why);
                self.ask_anew(now);
            }
            (step, _) => {
                if !matches!(step, Step::Fail(_)) {
                    self.asked_in_vain(Method::Initialize, why);
                }
                self.step(step, now);
            }
        }
    }

    /// What was known of the server does not hold: it is asked as if it were new.
    fn ask_anew(&mut self, now: Now) {
        self.recovery.forget();
        if let Phase::Connecting(connecting) = &mut self.phase {
            connecting.known = None;
            self.step(Step::Discover(Version::NEWEST), now);
        }
    }

    /// The server has no event stream of 2024-11-05, or none now.
    pub fn events_refused(&mut self, status: StatusCode, now: Now) {
        match &self.phase {
            Phase::Connecting(connecting)
                if connecting.is_legacy_by_memory() && probe::is_elsewhere(status.as_u16()) =>
            {
                self.ask_anew(now);
            }
            _ => self.connect_failed(client::failure(status, None, b""), now),
        }
    }

    fn confirm(&mut self, version: Version, server: Box<RawValue>, now: Now) {
        let Phase::Connecting(connecting) = &mut self.phase else { return };
        connecting.stage = Stage::Confirming { version, server };
        let mut out = Vec::with_capacity(64);
        write::notification(&mut out, Method::Initialized.as_str(), None);
        match self.http {
            // Each POST goes its own way: strict servers must not see a request before this.
            Some(_) => self.post_initialized(version, out, now),
            None => {
                self.send_notice(out);
                self.confirmed(now);
            }
        }
    }

    /// The server has `notifications/initialized`.
    pub fn confirmed(&mut self, now: Now) {
        let Phase::Connecting(connecting) = &mut self.phase else { return };
        if let Stage::Confirming { version, server } = &connecting.stage {
            let (version, server) = (*version, server.clone());
            self.ready(version, server, now);
        }
    }

    fn ready(&mut self, version: Version, server: Box<RawValue>, now: Now) {
        let Phase::Connecting(connecting) = std::mem::replace(&mut self.phase, Phase::Ready(version)) else { return };
        self.clear_connect_timers();
        self.capabilities = self.declared.limited_to(version);
        self.server = Some(server.clone());
        let by_events = self.http.as_ref().is_some_and(Http::has_endpoint);
        self.recovery.succeeded(version, by_events, now);
        if version.era() == Era::Legacy {
            self.open_general_stream();
        }
        self.effects.push(Effect::State(ClientState::Ready));
        self.renewed(now);
        match connecting.opened {
            Some(token) => self.effects.push(Effect::Result(token, Ok(server))),
            None => self.renew(version, now),
        }
        self.open_watch(now);
        self.send_held(now);
    }

    pub fn probe_silent(&mut self, now: Now) {
        let Phase::Connecting(connecting) = &self.phase else { return };
        match connecting.stage {
            Stage::Discovering(asked) => {
                let limit = self.options.limits.probe_for.as_secs_f64();
                self.asked_in_vain(Method::Discover, format!("no answer within {limit} s"));
                self.step(probe::after_discover(Reaction::Silence, asked, self.carrier()), now);
            }
            // Whichever of the two questions is answered decides.
            Stage::Initializing if connecting.is_legacy_by_memory() => {
                self.send_discover(Version::NEWEST, Purpose::Discover, now);
            }
            _ => {}
        }
    }

    pub fn connect_timed_out(&mut self, now: Now) {
        let Phase::Connecting(connecting) = &self.phase else { return };
        let what = match connecting.stage {
            Stage::Discovering(_) => "answer `server/discover`",
            Stage::Initializing => "answer `initialize`",
            Stage::Events => "send the `endpoint` event of its stream",
            Stage::Confirming { .. } => "take `notifications/initialized`",
        };
        let limit = self.options.limits.connect_for.as_secs_f64();
        let text = format!("the server did not {what} within {limit} s (limit `connect_for`)");
        self.connect_failed(Error::new(ErrorKind::Timeout, text).with("limit", "connect_for"), now);
    }

    /// The stream ended. A process that died of the question about the era gets one more chance without it.
    pub fn lost(&mut self, error: Error, now: Now) {
        let Phase::Connecting(connecting) = &mut self.phase else { return self.lose(error, now) };
        let was_discovering = matches!(connecting.stage, Stage::Discovering(_));
        let retry = self.options.era == EraChoice::Auto && !connecting.restarted;
        match (connecting.opened, connecting.known) {
            // A server that is known to be modern does not die of that; one that was replaced by an old one may: next time it is asked
            // as if it were new.
            (None, Some(_)) => {
                if was_discovering {
                    self.recovery.forget();
                }
                self.connect_failed(error, now);
            }
            _ if retry => {
                let asked = if was_discovering { Method::Discover } else { Method::Initialize };
                self.asked_in_vain(asked, error.to_string());
                self.step(probe::after_discover(Reaction::Ended(error), Version::NEWEST, self.carrier()), now);
            }
            _ => self.connect_failed(error, now),
        }
    }
}

/// Why an answer is of no use.
fn why(outcome: &Result<&RawValue>, otherwise: &str) -> String {
    outcome.as_ref().err().map_or_else(|| otherwise.to_owned(), Error::to_string)
}

fn reaction(outcome: Result<&RawValue>, status: Option<u16>) -> Reaction<'_> {
    match outcome {
        Ok(result) => Reaction::Result(result),
        Err(error) => Reaction::Refused { error, status },
    }
}

/// Who a modern server says it is.
fn modern_server(result: &RawValue) -> Option<&RawValue> {
    let meta = raw::get(result, "_meta").ok().flatten()?;
    raw::get(meta, meta_key::SERVER_INFO).ok().flatten()
}

/// What the host learns of the connection.
fn describe(result: &RawValue, version: Version, server: Option<&RawValue>) -> Box<RawValue> {
    let member = |name| raw::get(result, name).ok().flatten();
    let mut out = b"{".to_vec();
    write::member(&mut out, "server", server.map_or("null", RawValue::get).as_bytes());
    write::member(&mut out, "capabilities", member("capabilities").map_or("{}", RawValue::get).as_bytes());
    write::member_string(&mut out, "protocol_version", version.as_str());
    write::member(&mut out, "instructions", member("instructions").map_or("null", RawValue::get).as_bytes());
    write::close(&mut out);
    String::from_utf8(out).ok().and_then(|text| RawValue::from_string(text).ok()).unwrap_or_else(super::state::empty)
}
