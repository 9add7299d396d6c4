//! How a client is set up, and how one of its calls is.

use std::time::Duration;

use crate::limits::Limits;
use crate::model::Version;
use crate::wire::write;

/// Which servers the client speaks with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum EraChoice {
    /// Whatever the server speaks; it is asked.
    #[default]
    Auto,
    /// Servers with a handshake, which offers this revision.
    Legacy(Version),
    /// Servers of 2026-07-28 and later.
    Modern,
}

/// The settings of one client.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClientOptions {
    /// The `Implementation` object that names the client, as JSON text.
    pub info: Box<str>,
    /// The `ClientCapabilities` object, as JSON text. A server may ask only for what is declared here.
    pub capabilities: Box<str>,
    /// Which servers the client speaks with.
    pub era: EraChoice,
    /// The bounds the client works in.
    pub limits: Limits,
    /// The revision that this server spoke the last time. It is tried first, and forgotten when it does not hold.
    pub known: Option<Version>,
    /// Whether a lost connection is made anew: the process restarted, the session begun again.
    pub recover: bool,
    /// Whether structured results are checked against the output schemas of the tools that were listed. One that breaks its schema is
    /// an error, which has the result as its data and names `tool` and `path`.
    pub check_output: bool,
    /// Whether the host wants to hear of changes of lists: a modern server is then subscribed to, a legacy one tells them unasked.
    pub watch_changes: bool,
}

impl ClientOptions {
    /// Settings for a client of that name and version, without capabilities. `message_bytes` and `queued_bytes` are larger than those
    /// of servers: results are often large (W20), and many large calls may be started at once (C09).
    pub fn new(name: &str, version: &str) -> Self {
        let mut info = Vec::new();
        info.push(b'{');
        write::member_string(&mut info, "name", name);
        write::member_string(&mut info, "version", version);
        write::close(&mut info);
        let limits = Limits { message_bytes: 64 << 20, queued_bytes: 256 << 20, ..Limits::default() };
        Self {
            info: String::from_utf8_lossy(&info).into(),
            capabilities: "{}".into(),
            era: EraChoice::Auto,
            limits,
            known: None,
            recover: true,
            check_output: true,
            watch_changes: false,
        }
    }
}

/// What one call wants to have different; the limits decide otherwise.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CallOptions {
    /// How long to wait for the answer; each progress starts it anew. `call_for` otherwise.
    pub timeout: Option<Duration>,
    /// How long to wait in all, whatever progress there is. `call_total` otherwise.
    pub total_timeout: Option<Duration>,
    /// Headers of this call's HTTP requests, besides those of the client; the same name replaces, but for the protocol's own. Private
    /// results are kept for calls with the same headers alone.
    pub headers: http::HeaderMap,
    /// Whether it may be sent again when the connection was lost before the answer. Otherwise reads may, and tools that say they only
    /// read or are idempotent.
    pub safe: Option<bool>,
    /// Asks the server although a cached answer would do.
    pub fresh: bool,
    /// One page of a listing, the first or that of the `cursor` in the parameters, instead of all.
    pub one_page: bool,
    /// Gives an `input_required` result to the caller, who answers it with `inputResponses` and `requestState` in a call of its own,
    /// maybe in another process.
    pub by_hand: bool,
}
