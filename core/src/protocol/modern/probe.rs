//! Which era a server speaks, found out by asking it. Each function takes what the server did and says what to do next; nothing
//! here waits or sends.
//!
//! 1. `server/discover` with our newest revision. A result, or an error that only modern servers know, makes the server modern.
//! 2. Anything else, silence included, makes it legacy: `initialize`. A process that died of the question is started again first.
//! 3. Over HTTP, where not even `initialize` is taken: the event stream of 2024-11-05.
//!
//! The fallback is not keyed to one error code: old servers answer what they do not know in many ways (W14).
//! See <https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#backward-compatibility-with-initialization-based-versions>.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::error::{Error, ErrorKind};
use crate::model::{Era, Version};
use crate::wire::raw;

/// What carries the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// One stream of messages: a pipe, a pair in memory.
    Stream,
    /// HTTP requests.
    Http,
}

/// What the server did about a question of ours.
#[derive(Debug)]
pub enum Reaction<'a> {
    /// It answered with a result.
    Result(&'a RawValue),
    /// It answered with an error; `status` is the HTTP status where there is one.
    Refused { error: Error, status: Option<u16> },
    /// It did not answer in time.
    Silence,
    /// Its stream ended.
    Ended(Error),
}

/// What to do next.
#[derive(Debug)]
pub enum Step {
    /// The server is modern; speak this revision.
    Modern(Version),
    /// The server is legacy, and its handshake named this revision.
    Legacy(Version),
    /// Ask `server/discover` again, with this revision.
    Discover(Version),
    /// Open the handshake on the same connection.
    Initialize,
    /// Start the process again, then open the handshake.
    Restart,
    /// Open the event stream of the HTTP+SSE transport.
    Events,
    /// There is no way to speak with this server.
    Fail(Error),
}

/// What follows from the answer to `server/discover`, asked with the revision `asked`.
pub fn after_discover(reaction: Reaction<'_>, asked: Version, carrier: Carrier) -> Step {
    match reaction {
        Reaction::Result(result) => match supported(result, "supportedVersions") {
            Some(versions) => choose(&versions, asked, None),
            // Some old servers answer every method with an empty object.
            None => Step::Initialize,
        },
        Reaction::Refused { error, status } => match error.code() {
            -32022 => {
                let versions = error.data().and_then(|data| supported(data, "supported"));
                match versions {
                    Some(versions) => choose(&versions, asked, Some(error)),
                    None => Step::Fail(error),
                }
            }
            // Modern, and nothing that another era would cure.
            -32020 | -32021 => Step::Fail(error),
            _ if carrier == Carrier::Http && is_final(status) => Step::Fail(error),
            _ => Step::Initialize,
        },
        Reaction::Silence => Step::Initialize,
        Reaction::Ended(error) => match carrier {
            Carrier::Stream => Step::Restart,
            Carrier::Http => Step::Fail(error),
        },
    }
}

/// What follows from the answer to `initialize`.
pub fn after_initialize(reaction: Reaction<'_>, carrier: Carrier) -> Step {
    match reaction {
        Reaction::Result(result) => {
            let named = member_text(result, "protocolVersion").unwrap_or_default();
            match Version::parse(&named).filter(|version| version.era() == Era::Legacy) {
                Some(version) => Step::Legacy(version),
                None => Step::Fail(Error::new(
                    ErrorKind::UnsupportedVersion,
                    format!(
                        "the server wants to speak the revision `{}`, which has no handshake here",
                        named.escape_debug()
                    ),
                )),
            }
        }
        Reaction::Refused { error, status } => {
            // A modern server that was slow to start refuses the handshake and says what it speaks (W14).
            let versions =
                error.data().filter(|_| error.code() == -32022).and_then(|data| supported(data, "supported"));
            let modern = versions.and_then(|versions| newest(&versions, Era::Modern));
            match (modern, carrier, status) {
                (Some(version), ..) => Step::Discover(version),
                (None, Carrier::Http, Some(400 | 404 | 405)) if !is_modern_refusal(&error) => Step::Events,
                _ => Step::Fail(error),
            }
        }
        Reaction::Silence => {
            Step::Fail(Error::new(ErrorKind::Timeout, "the server did not answer `initialize` in time"))
        }
        Reaction::Ended(error) => Step::Fail(error),
    }
}

/// Whether an error of a server that was modern says that it was replaced: by one of another revision, or by a legacy one, which wants a
/// handshake or knows no such method. `status` is that of HTTP; `declared` says that the server has what it was asked for. Nothing was
/// done then, so the request can be repeated.
pub fn is_no_longer_modern(error: &Error, status: Option<u16>, declared: bool) -> bool {
    let is_message = error.kind() == ErrorKind::Remote;
    match (error.code(), status) {
        (-32022, _) => true,
        (-32601, Some(_)) if is_message => declared,
        (-32600 | -32000 | -32001, Some(400 | 404)) if is_message => true,
        (_, Some(status)) => !is_message && is_elsewhere(status),
        _ => false,
    }
}

/// Statuses of an endpoint that does not speak this transport.
pub fn is_elsewhere(status: u16) -> bool {
    matches!(status, 400 | 404 | 405 | 406 | 410 | 415)
}

/// Whether an error of a server with an HTTP session says that it was replaced, or has lost the session without saying 404 (H01): many
/// servers refuse a session they do not know with 400 and words about it.
pub fn is_no_longer_legacy(error: &Error, status: Option<u16>) -> bool {
    match error.code() {
        -32022 => true,
        -32602 => false,
        code => status == Some(400) && (code == -32020 || error.message().to_ascii_lowercase().contains("session")),
    }
}

/// The best revision that both sides speak.
fn choose(versions: &[String], asked: Version, error: Option<Error>) -> Step {
    let modern = newest(versions, Era::Modern);
    match (modern, error) {
        (Some(version), None) => Step::Modern(version),
        (Some(version), Some(_)) if version != asked => Step::Discover(version),
        (_, error) if newest(versions, Era::Legacy).is_some() && (error.is_some() || modern.is_none()) => {
            Step::Initialize
        }
        // It refused what it says it speaks, as one of several replicas does while they are being replaced.
        (Some(version), Some(_)) => Step::Discover(version),
        (None, Some(error)) => Step::Fail(error),
        (_, None) => Step::Fail(Error::new(
            ErrorKind::UnsupportedVersion,
            format!(
                "the server speaks no revision that is known here: it names {}",
                versions.join(", ").escape_debug()
            ),
        )),
    }
}

fn newest(versions: &[String], era: Era) -> Option<Version> {
    versions.iter().filter_map(|name| Version::parse(name)).filter(|version| version.era() == era).max()
}

/// Whether only a modern server refuses `initialize` like that: it does not know the method, or misses its headers. It has no event
/// stream of 2024-11-05 then.
fn is_modern_refusal(error: &Error) -> bool {
    error.kind() == ErrorKind::Remote && matches!(error.code(), -32601 | -32022..=-32020)
}

/// Statuses that say nothing about the era: who asks, how often, and whether anybody is there.
fn is_final(status: Option<u16>) -> bool {
    matches!(status, None | Some(401 | 403 | 407 | 408 | 429 | 502..=504))
}

fn supported(object: &RawValue, member: &str) -> Option<Vec<String>> {
    let list = raw::get(object, member).ok().flatten()?;
    // Entries of another type are somebody else's revisions.
    let entries = Vec::<serde_json::Value>::deserialize(&mut serde_json::Deserializer::from_str(list.get())).ok()?;
    Some(entries.into_iter().filter_map(|entry| entry.as_str().map(ToOwned::to_owned)).collect())
}

fn member_text(object: &RawValue, member: &str) -> Option<String> {
    serde_json::from_str(raw::get(object, member).ok().flatten()?.get()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    fn refused(code: i64, data: Option<&str>, status: Option<u16>) -> Reaction<'static> {
        let error = Error::new(ErrorKind::Remote, "no").with_code(code);
        let error = match data {
            Some(data) => error.with_data(raw(data)),
            None => error,
        };
        Reaction::Refused { error, status }
    }

    fn discover(reaction: Reaction<'_>, carrier: Carrier) -> String {
        name(&after_discover(reaction, Version::NEWEST, carrier))
    }

    fn initialize(reaction: Reaction<'_>, carrier: Carrier) -> String {
        name(&after_initialize(reaction, carrier))
    }

    fn name(step: &Step) -> String {
        match step {
            Step::Fail(error) => format!("Fail({})", error.code()),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn a_discover_result_is_modern() {
        let result = raw(r#"{"supportedVersions":["2099-01-01","2026-07-28",7]}"#);
        assert_eq!(discover(Reaction::Result(&result), Carrier::Stream), "Modern(V2026_07_28)");
        let legacy = raw(r#"{"supportedVersions":["2025-11-25"]}"#);
        assert_eq!(discover(Reaction::Result(&legacy), Carrier::Http), "Initialize");
        let future = raw(r#"{"supportedVersions":["2099-01-01"]}"#);
        assert_eq!(discover(Reaction::Result(&future), Carrier::Http), "Fail(-32022)");
        assert_eq!(discover(Reaction::Result(&raw("{}")), Carrier::Stream), "Initialize");
    }

    #[test]
    fn w14_any_other_answer_is_legacy() {
        for code in [-32601, -32602, -32600, -32000, 0, 7] {
            assert_eq!(discover(refused(code, None, None), Carrier::Stream), "Initialize", "{code}");
        }
        assert_eq!(discover(Reaction::Silence, Carrier::Stream), "Initialize");
        let ended = || Reaction::Ended(Error::new(ErrorKind::Closed, "gone"));
        assert_eq!(discover(ended(), Carrier::Stream), "Restart");
        assert_eq!(discover(ended(), Carrier::Http), "Fail(-32603)");
    }

    #[test]
    fn modern_errors_do_not_lead_to_a_handshake() {
        let known = Some(r#"{"supported":["2026-07-28"]}"#);
        assert_eq!(discover(refused(-32022, known, None), Carrier::Stream), "Discover(V2026_07_28)");
        let future = Some(r#"{"supported":["2099-01-01"]}"#);
        assert_eq!(discover(refused(-32022, future, None), Carrier::Stream), "Fail(-32022)");
        assert_eq!(discover(refused(-32020, None, Some(400)), Carrier::Http), "Fail(-32020)");
        let both = Some(r#"{"supported":["2025-06-18","2099-01-01"]}"#);
        assert_eq!(discover(refused(-32022, both, None), Carrier::Stream), "Initialize");
        assert_eq!(initialize(refused(-32022, known, None), Carrier::Stream), "Discover(V2026_07_28)");
    }

    #[test]
    fn a_modern_refusal_of_the_handshake_leads_to_no_event_stream() {
        for (code, status) in [(-32601, 404), (-32020, 400), (-32022, 400)] {
            assert_eq!(initialize(refused(code, None, Some(status)), Carrier::Http), format!("Fail({code})"));
        }
        assert_eq!(initialize(refused(-32600, None, Some(400)), Carrier::Http), "Events", "an old server's word");
    }

    #[test]
    fn http_statuses_lead_down_the_ladder() {
        for status in [400, 404, 405, 406, 415, 500] {
            assert_eq!(discover(refused(-32603, None, Some(status)), Carrier::Http), "Initialize", "{status}");
        }
        for status in [401, 403, 429, 503] {
            assert_eq!(discover(refused(-32603, None, Some(status)), Carrier::Http), "Fail(-32603)", "{status}");
        }
        assert_eq!(initialize(refused(-32603, None, Some(405)), Carrier::Http), "Events");
        assert_eq!(initialize(refused(-32602, None, Some(200)), Carrier::Http), "Fail(-32602)");
    }

    #[test]
    fn an_error_in_mid_session_may_say_that_the_server_was_replaced() {
        let remote = |code, text: &str| Error::new(ErrorKind::Remote, text).with_code(code);
        let other = || Error::new(ErrorKind::Io, "HTTP status");
        assert!(is_no_longer_modern(&remote(-32022, "no"), None, false));
        assert!(is_no_longer_modern(&remote(-32601, "no"), Some(200), true));
        assert!(is_no_longer_modern(&remote(-32000, "Server not initialized"), Some(400), false));
        assert!(is_no_longer_modern(&other(), Some(405), false));
        for (error, status, declared) in [
            (remote(-32601, "no"), Some(404), false),
            (remote(-32601, "no"), None, true),
            (remote(-32602, "no"), Some(400), true),
            (remote(-32020, "no"), Some(400), true),
            (other(), Some(503), true),
            (other(), None, true),
        ] {
            assert!(!is_no_longer_modern(&error, status, declared), "{error} {status:?}");
        }
        assert!(is_no_longer_legacy(&remote(-32020, "Mcp-Method is missing"), Some(400)));
        assert!(is_no_longer_legacy(&remote(-32000, "No valid Session ID provided"), Some(400)));
        assert!(!is_no_longer_legacy(&remote(-32602, "no such session: 7"), Some(400)));
        assert!(!is_no_longer_legacy(&remote(-32603, "the session store failed"), Some(500)));
    }

    #[test]
    fn a_handshake_names_a_legacy_revision() {
        let old = raw(r#"{"protocolVersion":"2024-11-05"}"#);
        assert_eq!(initialize(Reaction::Result(&old), Carrier::Stream), "Legacy(V2024_11_05)");
        for text in [r#"{"protocolVersion":"2026-07-28"}"#, r#"{"protocolVersion":1}"#, "{}"] {
            assert_eq!(initialize(Reaction::Result(&raw(text)), Carrier::Stream), "Fail(-32022)");
        }
    }
}
