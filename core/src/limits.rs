//! Every bound of the engine, with its default, in one place. An error that a bound causes names its field.

use std::time::Duration;

use crate::error::{Error, Result};

/// The bounds of one server or client. All are on by default.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of one message: a line, a request body, an event.
    pub message_bytes: usize,
    /// Nesting of arrays and objects in one message.
    pub json_depth: usize,
    /// Bytes of a request id, a progress token or a cursor.
    pub token_bytes: usize,
    /// Bytes of a resource URI.
    pub uri_bytes: usize,
    /// Requests that one connection or session may have in flight.
    pub in_flight: usize,
    /// Handlers that wait for input while no request is open (modern era).
    pub parked: usize,
    /// How long a parked handler waits before its language cancels it; a later retry replays.
    pub parked_for: Duration,
    /// How long sealed `requestState` can be redeemed.
    pub request_state_for: Duration,
    /// Legacy sessions held at once.
    pub sessions: usize,
    /// Legacy sessions held at once for one principal.
    pub sessions_per_principal: usize,
    /// How long a legacy session may be idle.
    pub session_idle: Duration,
    /// Subscriptions of one connection, and resources of one subscription.
    pub subscriptions: usize,
    /// Bytes that wait for a slow reader before notifications are dropped.
    pub queued_bytes: usize,
    /// Events kept of one resumable stream.
    pub replay_events: usize,
    /// Bytes of one schema.
    pub schema_bytes: usize,
    /// Nesting of one schema.
    pub schema_depth: usize,
    /// Sub-schemas of one schema after its references are followed.
    pub schema_cost: usize,
    /// Bytes of all headers of one request.
    pub header_bytes: usize,
    /// Time between keep-alive comments on an idle event stream.
    pub keep_alive: Duration,
    /// How long a server waits for the answer to a question it asked a client.
    pub input_for: Duration,
    /// How long running calls may go on after a server was told to stop.
    pub shutdown_grace: Duration,
    /// How long a client waits for an answer; progress starts it anew.
    pub call_for: Duration,
    /// How long a client waits for an answer in all, whatever progress there is.
    pub call_total: Duration,
    /// How long a client tries to connect, the start of a server process included.
    pub connect_for: Duration,
    /// How long a server may be silent about `server/discover` before the handshake is tried too.
    pub probe_for: Duration,
    /// How often one call may ask for input before it fails.
    pub input_rounds: u32,
    /// Pages that a client follows to list everything.
    pub list_pages: usize,
    /// How long a server process may take to exit after each step: its input closed, SIGTERM.
    pub child_exit: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message_bytes: 4 << 20,
            json_depth: 128,
            token_bytes: 1 << 10,
            uri_bytes: 8 << 10,
            in_flight: 1024,
            parked: 1024,
            parked_for: Duration::from_secs(120),
            request_state_for: Duration::from_secs(900),
            sessions: 10_000,
            sessions_per_principal: 10_000,
            session_idle: Duration::from_secs(1800),
            subscriptions: 1024,
            queued_bytes: 8 << 20,
            replay_events: 256,
            schema_bytes: 1 << 20,
            schema_depth: 64,
            schema_cost: 100_000,
            header_bytes: 64 << 10,
            keep_alive: Duration::from_secs(15),
            input_for: Duration::from_secs(600),
            shutdown_grace: Duration::from_secs(5),
            call_for: Duration::from_secs(60),
            call_total: Duration::from_secs(3600),
            connect_for: Duration::from_secs(60),
            probe_for: Duration::from_secs(5),
            input_rounds: 16,
            list_pages: 1000,
            child_exit: Duration::from_secs(2),
        }
    }
}

impl Limits {
    /// Sets the limit of that name: a number, or seconds where it is a time.
    pub fn set(&mut self, name: &str, value: f64) -> Result<()> {
        let wrong = || Error::definition(format!("the limit `{name}` cannot be {value}"));
        let count = |value: f64| (value >= 0.0 && value.fract() == 0.0).then_some(value as usize).ok_or_else(wrong);
        let time = |value: f64| Duration::try_from_secs_f64(value).map_err(|_| wrong());
        match name {
            "message_bytes" => self.message_bytes = count(value)?,
            "json_depth" => self.json_depth = count(value)?,
            "token_bytes" => self.token_bytes = count(value)?,
            "uri_bytes" => self.uri_bytes = count(value)?,
            "in_flight" => self.in_flight = count(value)?,
            "parked" => self.parked = count(value)?,
            "parked_for" => self.parked_for = time(value)?,
            "request_state_for" => self.request_state_for = time(value)?,
            "sessions" => self.sessions = count(value)?,
            "sessions_per_principal" => self.sessions_per_principal = count(value)?,
            "session_idle" => self.session_idle = time(value)?,
            "subscriptions" => self.subscriptions = count(value)?,
            "queued_bytes" => self.queued_bytes = count(value)?,
            "replay_events" => self.replay_events = count(value)?,
            "schema_bytes" => self.schema_bytes = count(value)?,
            "schema_depth" => self.schema_depth = count(value)?,
            "schema_cost" => self.schema_cost = count(value)?,
            "header_bytes" => self.header_bytes = count(value)?,
            "keep_alive" => self.keep_alive = time(value)?,
            "input_for" => self.input_for = time(value)?,
            "shutdown_grace" => self.shutdown_grace = time(value)?,
            "call_for" => self.call_for = time(value)?,
            _ => return Err(Error::definition(format!("there is no limit `{name}`"))),
        }
        Ok(())
    }

    /// The limit of that name: a number, or seconds where it is a time.
    pub fn get(&self, name: &str) -> Result<f64> {
        Ok(match name {
            "message_bytes" => self.message_bytes as f64,
            "json_depth" => self.json_depth as f64,
            "token_bytes" => self.token_bytes as f64,
            "uri_bytes" => self.uri_bytes as f64,
            "in_flight" => self.in_flight as f64,
            "parked" => self.parked as f64,
            "parked_for" => self.parked_for.as_secs_f64(),
            "request_state_for" => self.request_state_for.as_secs_f64(),
            "sessions" => self.sessions as f64,
            "sessions_per_principal" => self.sessions_per_principal as f64,
            "session_idle" => self.session_idle.as_secs_f64(),
            "subscriptions" => self.subscriptions as f64,
            "queued_bytes" => self.queued_bytes as f64,
            "replay_events" => self.replay_events as f64,
            "schema_bytes" => self.schema_bytes as f64,
            "schema_depth" => self.schema_depth as f64,
            "schema_cost" => self.schema_cost as f64,
            "header_bytes" => self.header_bytes as f64,
            "keep_alive" => self.keep_alive.as_secs_f64(),
            "input_for" => self.input_for.as_secs_f64(),
            "shutdown_grace" => self.shutdown_grace.as_secs_f64(),
            "call_for" => self.call_for.as_secs_f64(),
            _ => return Err(Error::definition(format!("there is no limit `{name}`"))),
        })
    }
}
