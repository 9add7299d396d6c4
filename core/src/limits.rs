//! Every bound of the engine, with its default, in one place. An error that a bound causes names its field.

use std::time::Duration;

use crate::error::{Error, Result};

/// A bound as the number that users set: a count, or seconds.
trait Bound: Sized {
    const IS_TIME: bool = false;

    fn of(value: f64) -> Option<Self>;
    fn number(&self) -> f64;
}

impl Bound for usize {
    fn of(value: f64) -> Option<Self> {
        (value >= 0.0 && value.fract() == 0.0).then_some(value as Self)
    }

    fn number(&self) -> f64 {
        *self as f64
    }
}

impl Bound for u32 {
    fn of(value: f64) -> Option<Self> {
        (value >= 0.0 && value <= f64::from(Self::MAX) && value.fract() == 0.0).then_some(value as Self)
    }

    fn number(&self) -> f64 {
        f64::from(*self)
    }
}

impl Bound for Duration {
    const IS_TIME: bool = true;

    fn of(value: f64) -> Option<Self> {
        Self::try_from_secs_f64(value).ok()
    }

    fn number(&self) -> f64 {
        self.as_secs_f64()
    }
}

macro_rules! limits {
    ($($(#[doc = $doc:expr])+ $name:ident: $kind:ty = $default:expr,)+) => {
        /// The bounds of one server or client. All are on by default.
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub struct Limits {
            $($(#[doc = $doc])+ pub $name: $kind,)+
        }

        impl Default for Limits {
            fn default() -> Self {
                Self { $($name: $default,)+ }
            }
        }

        impl Limits {
            /// Sets the limit of that name: a number, or seconds where it is a time.
            pub fn set(&mut self, name: &str, value: f64) -> Result<()> {
                match name {
                    $(stringify!($name) => {
                        self.$name = Bound::of(value)
                            .ok_or_else(|| Error::definition(format!("the limit `{name}` cannot be {value}")))?;
                    })+
                    _ => return Err(Error::definition(format!("there is no limit `{name}`"))),
                }
                Ok(())
            }

            /// Whether the limit of that name is a time.
            pub fn is_time(name: &str) -> Result<bool> {
                Ok(match name {
                    $(stringify!($name) => <$kind as Bound>::IS_TIME,)+
                    _ => return Err(Error::definition(format!("there is no limit `{name}`"))),
                })
            }

            /// The limit of that name: a number, or seconds where it is a time.
            pub fn get(&self, name: &str) -> Result<f64> {
                Ok(match name {
                    $(stringify!($name) => self.$name.number(),)+
                    _ => return Err(Error::definition(format!("there is no limit `{name}`"))),
                })
            }
        }
    };
}

limits! {
    /// Bytes of one message: a line, a request body, an event. Clients have 64 MiB, for results are often larger than requests (W20).
    message_bytes: usize = 4 << 20,
    /// Nesting of arrays and objects in one message.
    json_depth: usize = 128,
    /// Bytes of a request id, a progress token or a cursor.
    token_bytes: usize = 1 << 10,
    /// Bytes of a resource URI.
    uri_bytes: usize = 8 << 10,
    /// Requests that one connection or session may have in flight, and questions of a server that wait for a client's user.
    in_flight: usize = 1024,
    /// Handlers that wait for input while no request is open (modern era).
    parked: usize = 1024,
    /// How long a parked handler waits before its language cancels it; a later retry replays.
    parked_for: Duration = Duration::from_secs(120),
    /// How long sealed `requestState` can be redeemed.
    request_state_for: Duration = Duration::from_secs(900),
    /// Legacy sessions held at once.
    sessions: usize = 10_000,
    /// Legacy sessions held at once for one principal.
    sessions_per_principal: usize = 10_000,
    /// How long a legacy session may be idle.
    session_idle: Duration = Duration::from_secs(1800),
    /// Subscriptions of one connection, and resources of one subscription.
    subscriptions: usize = 1024,
    /// Bytes that wait for a slow reader. A server drops notifications beyond it. A client, which has 256 MiB, refuses calls beyond it,
    /// and gives up a server process for which twice as much waits (C09).
    queued_bytes: usize = 8 << 20,
    /// Events kept of one resumable stream.
    replay_events: usize = 256,
    /// Bytes of one schema.
    schema_bytes: usize = 1 << 20,
    /// Nesting of one schema.
    schema_depth: usize = 64,
    /// Sub-schemas of one schema after its references are followed.
    schema_cost: usize = 100_000,
    /// Bytes of all headers of one request.
    header_bytes: usize = 64 << 10,
    /// Time between keep-alive comments on an idle event stream.
    keep_alive: Duration = Duration::from_secs(15),
    /// How long a server waits for the answer to a question it asked a client, and a client for that of its user.
    input_for: Duration = Duration::from_secs(600),
    /// How long running calls may go on after a server was told to stop.
    shutdown_grace: Duration = Duration::from_secs(5),
    /// How long a client waits for an answer; progress starts it anew.
    call_for: Duration = Duration::from_secs(60),
    /// How long a client waits for an answer in all, whatever progress there is.
    call_total: Duration = Duration::from_secs(3600),
    /// How long a client tries to connect, the start of a server process included.
    connect_for: Duration = Duration::from_secs(60),
    /// How long a server may be silent about `server/discover` before the handshake is tried too.
    probe_for: Duration = Duration::from_secs(5),
    /// How often one call may ask for input before it fails.
    input_rounds: u32 = 16,
    /// Pages that a client follows to list everything.
    list_pages: usize = 1000,
    /// Items of all pages of one listing.
    list_items: usize = 100_000,
    /// Bytes of all pages of one listing.
    list_bytes: usize = 64 << 20,
    /// How long a server process may take to exit after each step: its input closed, SIGTERM.
    child_exit: Duration = Duration::from_secs(2),
    /// How often in a row a client may fail to restart its server or to make its connection anew before it gives up.
    recover_tries: u32 = 5,
    /// The wait before the first attempt to recover; each further one waits twice as long.
    recover_wait: Duration = Duration::from_millis(250),
    /// The longest wait between two attempts to recover.
    recover_wait_max: Duration = Duration::from_secs(30),
    /// How long a connection may be silent, while calls or subscriptions wait, before a client asks whether the server is there; 0
    /// never asks.
    ping_every: Duration = Duration::from_secs(30),
    /// How long the answer to such a question may take before the connection counts as dead.
    ping_for: Duration = Duration::from_secs(15),
    /// How long a client tries to open one network connection.
    dial_for: Duration = Duration::from_secs(10),
    /// Redirects within the server's own origin that one request follows.
    redirects: usize = 5,
    /// Bytes of cached responses of one client; 0 caches nothing.
    cache_bytes: usize = 16 << 20,
    /// How long changes of a list are gathered before the list is read again.
    refresh_after: Duration = Duration::from_millis(50),
    /// Log, progress and change events that wait for a slow host before further ones are dropped and counted.
    host_events: usize = 10_000,
}
