//! Servers that forget sessions (H01).

use std::time::Duration;

use http::HeaderMap;
use omniport::engine::client::{Change, ClientState, EraChoice};
use omniport::error::{Error, ErrorKind};
use omniport::model::Version;
use serde_json::Value;

use super::http::{JSON, LEGACY, SSE, client};
use super::recorder::{Client, Requests, Told};

impl Client<Requests> {
    /// Takes the next request, with its headers.
    pub fn next_with_head(&self) -> (u64, HeaderMap, Value) {
        let (id, request) = self.out.started.lock().unwrap().pop_front().expect("a request");
        let body = serde_json::from_slice(request.body()).unwrap_or(Value::Null);
        (id, request.headers().clone(), body)
    }

    /// Takes the next POST; a general stream before it is refused.
    pub fn next_post(&self) -> (u64, HeaderMap, Value) {
        let next = self.next_with_head();
        match next.2 {
            Value::Null => {
                self.answer(next.0, 405, "", "");
                self.next_with_head()
            }
            _ => next,
        }
    }

    /// The server takes a handshake, which must not name a session, and opens one.
    pub fn handshake(&self, session: &str) {
        let (id, head, body) = self.next_with_head();
        assert_eq!((&body["method"], head.get("mcp-session-id")), (&"initialize".into(), None));
        self.head(id, 200, JSON, Some(session));
        let version = &body["params"]["protocolVersion"];
        let result = format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{{"protocolVersion":{version},"capabilities":{{"logging":{{}}}},"serverInfo":{{"name":"s","version":"1"}}}}}}"#,
            body["id"]
        );
        self.engine.http_chunk(id, result.as_bytes(), self.now);
        self.engine.http_end(id, self.now);
        let (id, head, body) = self.next_with_head();
        assert_eq!(
            (&body["method"], &head["mcp-session-id"]),
            (&"notifications/initialized".into(), &session.parse().unwrap())
        );
        self.answer(id, 202, "", "");
    }

    pub fn succeed(&self, (id, body): (u64, &Value)) {
        let result = r#"{"content":[],"tools":[]}"#;
        self.answer(id, 200, JSON, &format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, body["id"]));
    }

    fn is_quiet(&self) -> bool {
        self.out.started.lock().unwrap().is_empty()
    }

    fn refused(&self, id: u64) {
        self.answer(
            id,
            404,
            JSON,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}"#,
        );
    }
}

/// A client with the session `S1` and no general stream.
pub fn session() -> Client<Requests> {
    let client = client(LEGACY);
    client.open_session((202, "", ""));
    let (general, ..) = client.next();
    client.answer(general, 405, "", "");
    client.host.states();
    client.host.take();
    client
}

#[test]
fn h01_one_new_session_for_all_calls_and_each_of_them_once_more() {
    let client = session();
    let tokens: Vec<_> = (0..3).map(|_| client.start("call_tool", r#"{"name":"t"}"#)).collect();
    let old: Vec<_> = (0..3).map(|_| client.next()).collect();
    client.refused(old[0].0);
    client.refused(old[1].0);
    assert!(matches!(&client.host.states()[..], [ClientState::Recovering { cause }] if cause.contains("404")));
    let waits = client.start("list_tools", "{}");
    client.handshake("S2");
    assert_eq!(client.host.states(), [ClientState::Ready]);
    let mut again: Vec<_> = (0..3).map(|_| client.next_post()).collect();
    again.retain(|(_, head, _)| head["mcp-session-id"] == "S2");
    assert_eq!(again.len(), 3, "two calls again, and the one that waited");
    // A late 404 for the old session concerns the old one only.
    client.refused(old[2].0);
    let (late, head, body) = client.next_with_head();
    assert_eq!((&head["mcp-session-id"], &body["params"]["name"]), (&"S2".parse().unwrap(), &"t".into()));
    client.succeed((late, &body));
    for (id, _, body) in &again {
        client.succeed((*id, body));
    }
    for token in tokens.into_iter().chain([waits]) {
        assert!(client.host.result(token).unwrap().is_ok());
    }
    assert!(client.is_quiet() && client.host.states().is_empty());
}

#[test]
fn h01_a_second_404_is_the_answer() {
    let client = session();
    let token = client.start("call_tool", r#"{"name":"t"}"#);
    client.refused(client.next().0);
    client.handshake("S2");
    let (id, ..) = client.next_post();
    client.refused(id);
    let error = client.host.result(token).unwrap().unwrap_err();
    assert_eq!((error.code(), error.fact("status")), (-32001, Some("404")));
    assert!(client.is_quiet(), "no loop");
}

#[test]
fn h01_a_404_for_the_handshake_is_no_lost_session() {
    let client = client(LEGACY);
    let token = client.engine.connect(client.now);
    client.refused(client.next().0);
    // The ladder goes on, to the event stream.
    let (id, verb, _) = client.next();
    assert_eq!(verb, "GET");
    client.answer(id, 404, "", "");
    assert!(client.host.result(token).unwrap().is_err());
    let states = client.host.states();
    assert!(matches!(&states[..], [ClientState::Connecting, ClientState::Failed { .. }]), "{states:?}");
}

#[test]
fn h01_without_recovery_a_404_is_the_answer() {
    let mut options = omniport::engine::client::ClientOptions::new("test", "1");
    (options.era, options.recover) = (LEGACY, false);
    let client = super::recorder::over_http(options, super::pair::URL);
    client.open_session((202, "", ""));
    client.next();
    let token = client.start("list_tools", "{}");
    client.refused(client.next().0);
    assert!(client.host.result(token).unwrap().is_err() && client.is_quiet());
}

#[test]
fn many_servers_say_400_where_they_mean_404() {
    let client = session();
    let token = client.start("call_tool", r#"{"name":"t"}"#);
    let (id, ..) = client.next();
    let refusal =
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}"#;
    client.answer(id, 400, JSON, refusal);
    client.handshake("S2");
    let (id, _, body) = client.next_post();
    client.succeed((id, &body));
    assert!(client.host.result(token).unwrap().is_ok());
}

#[test]
fn x08_a_server_that_forgets_every_session_is_not_asked_without_end() {
    let mut client = session();
    let mut lose = |wait: u64| {
        let token = client.start("ping", "{}");
        client.refused(client.next().0);
        if wait > 0 {
            client.pass(Duration::from_millis(wait - 1));
            assert!(client.is_quiet(), "{wait}");
            client.pass(Duration::from_millis(1));
        }
        client.handshake("S");
        let (id, _, body) = client.next_post();
        client.succeed((id, &body));
        assert!(client.host.result(token).unwrap().is_ok());
    };
    for wait in [0, 250, 500, 1000, 2000] {
        lose(wait);
    }
}

#[test]
fn a_session_that_cannot_be_opened_again_is_tried_for_a_while() {
    let mut client = session();
    let token = client.start("list_tools", "{}");
    client.refused(client.next().0);
    for wait in [250, 500, 1000, 2000, 4000, 0] {
        let (id, _, body) = client.next();
        assert_eq!(body["method"], "initialize");
        client.engine.http_failed(id, Error::new(ErrorKind::Io, "connection refused").retryable(), client.now);
        client.pass(Duration::from_millis(wait));
    }
    let error = client.host.result(token).unwrap().unwrap_err();
    assert!(error.message().contains("connection refused"), "{error}");
    assert!(matches!(&client.host.states()[..], [ClientState::Recovering { .. }, ClientState::Failed { .. }]));
}

#[test]
fn a_server_may_be_upgraded_between_two_sessions() {
    let client = client(EraChoice::Auto);
    client.engine.connect(client.now);
    let (id, ..) = client.next();
    client.answer(id, 400, "", "");
    client.handshake("S1");
    let token = client.start("list_tools", "{}");
    let (id, ..) = client.next_post();
    client.refused(id);
    let (id, _, body) = client.next();
    assert_eq!(body["method"], "initialize");
    client.answer(
        id,
        400,
        JSON,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32020,"message":"Mcp-Method is missing"}}"#,
    );
    let (id, _, body) = client.next();
    assert_eq!(body["method"], "server/discover");
    let found = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}"#;
    client.answer(id, 200, JSON, &format!(r#"{{"jsonrpc":"2.0","id":{},"result":{found}}}"#, body["id"]));
    assert_eq!(client.engine.version(), Some(Version::V2026_07_28));
    let (id, head, body) = client.next_with_head();
    assert_eq!((head.get("mcp-session-id"), &head["mcp-method"]), (None, &"tools/list".parse().unwrap()));
    client.answer(
        id,
        200,
        JSON,
        &format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{"resultType":"complete","tools":[]}}}}"#, body["id"]),
    );
    assert!(client.host.result(token).unwrap().is_ok());
}

#[test]
fn what_waited_in_a_lost_session_is_repeated_if_it_is_safe() {
    let mut client = session();
    let safe = client.start("list_tools", "{}");
    let other = client.start("call_tool", r#"{"name":"t"}"#);
    for _ in 0..2 {
        let (id, ..) = client.next();
        client.head(id, 200, SSE, None);
        client.engine.http_chunk(id, b"id: e1\nretry: 500\ndata:\n\n", client.now);
        client.engine.http_end(id, client.now);
    }
    let ping = client.start("ping", "{}");
    client.refused(client.next().0);
    let error = client.host.result(other).expect("nobody knows whether it was done").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Closed);
    client.handshake("S2");
    let (first, second) = (client.next_post(), client.next_post());
    assert_eq!((&first.2["method"], &second.2["method"]), (&"tools/list".into(), &"ping".into()));
    client.succeed((first.0, &first.2));
    client.succeed((second.0, &second.2));
    assert!(client.host.result(safe).unwrap().is_ok() && client.host.result(ping).unwrap().is_ok());
    client.pass(Duration::from_secs(5));
    assert!(client.is_quiet(), "what the old session had is not asked for");
}

#[test]
fn a_session_is_told_again_what_the_one_before_was_told() {
    let client = session();
    for (word, params) in [
        ("subscribe", r#"{"uri":"r://1"}"#),
        ("subscribe", r#"{"uri":"r://2"}"#),
        ("unsubscribe", r#"{"uri":"r://1"}"#),
        ("set_log_level", r#"{"level":"error"}"#),
    ] {
        let token = client.start(word, params);
        let (id, _, body) = client.next();
        client.succeed((id, &body));
        assert!(client.host.result(token).unwrap().is_ok());
    }
    client.start("ping", "{}");
    client.refused(client.next().0);
    client.handshake("S2");
    let sent: Vec<_> = (0..3).map(|_| client.next_post().2).collect();
    assert_eq!((&sent[0]["method"], &sent[0]["params"]["uri"]), (&"resources/subscribe".into(), &"r://2".into()));
    assert_eq!((&sent[1]["method"], &sent[1]["params"]["level"]), (&"logging/setLevel".into(), &"error".into()));
    assert_eq!(sent[2]["method"], "ping");
    assert!(matches!(client.host.take()[..], [Told::Change(Change::Missed { token: None })]));
}
