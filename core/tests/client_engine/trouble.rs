//! Connections of HTTP servers that are refused or break off.

use std::time::Duration;

use omniport::engine::client::{CallOptions, ClientState, EraChoice};
use omniport::error::{Error, ErrorKind};
use serde_json::Value;

use super::http::{SSE, client, modern};
use super::recorder::{Client, Requests};

fn refused() -> Error {
    Error::new(ErrorKind::Io, "connection refused").with("sent", "no").retryable()
}

fn reset() -> Error {
    Error::new(ErrorKind::Io, "connection reset").retryable()
}

impl Client<Requests> {
    /// The next request has no connection.
    fn fail_next(&self, error: Error) -> Value {
        let (id, _, body) = self.next();
        self.engine.http_failed(id, error, self.now);
        body
    }
}

#[test]
fn x08_a_read_is_repeated_when_its_connection_broke() {
    let mut client = modern();
    client.host.states();
    let token = client.start("list_tools", "{}");
    let mut ids = vec![client.fail_next(reset())["id"].clone()];
    for wait in [250, 500, 1000, 2000] {
        client.pass(Duration::from_millis(wait - 1));
        assert!(client.out.started.lock().unwrap().is_empty());
        client.pass(Duration::from_millis(1));
        ids.push(client.fail_next(reset())["id"].clone());
    }
    client.pass(Duration::from_secs(4));
    let (id, _, body) = client.next();
    assert!(!ids.contains(&body["id"]), "each request has an id of its own");
    client.succeed((id, &body));
    assert!(client.host.result(token).unwrap().is_ok());
    assert!(client.host.states().is_empty(), "requests stand for themselves");
}

#[test]
fn tries_and_time_have_an_end() {
    let mut client = modern();
    let token = client.start("list_tools", "{}");
    for wait in [250, 500, 1000, 2000, 4000, 0] {
        client.fail_next(refused());
        client.pass(Duration::from_millis(wait));
    }
    assert_eq!(client.host.result(token).unwrap().unwrap_err().message(), "connection refused");
    let mut options = CallOptions::default();
    options.timeout = Some(Duration::from_millis(200));
    let token = client.start_with("list_tools", "{}", options);
    client.fail_next(refused());
    assert_eq!(client.host.result(token).unwrap().unwrap_err().kind(), ErrorKind::Io, "its time would be up before");
}

#[test]
fn what_may_have_been_done_is_not_repeated() {
    let mut client = modern();
    let token = client.start("call_tool", r#"{"name":"t"}"#);
    client.fail_next(reset());
    assert_eq!(client.host.result(token).unwrap().unwrap_err().message(), "connection reset");
    let token = client.start("call_tool", r#"{"name":"t"}"#);
    client.fail_next(refused());
    client.pass(Duration::from_millis(250));
    let (id, _, body) = client.next();
    client.succeed((id, &body));
    assert!(client.host.result(token).unwrap().is_ok(), "it surely was not sent");
}

#[test]
fn e05_a_modern_request_is_issued_again_with_a_new_id() {
    let mut client = modern();
    let token = client.start("read_resource", r#"{"uri":"r://1"}"#);
    let (id, _, first) = client.next();
    client.head(id, 200, SSE, None);
    client.engine.http_chunk(id, b"id: e1\nretry: 50\ndata:\n\n", client.now);
    client.engine.http_end(id, client.now);
    client.pass(Duration::from_millis(250));
    let (id, head, again) = client.next_with_head();
    assert!(head.get("last-event-id").is_none() && first["id"] != again["id"]);
    client.succeed((id, &again));
    assert!(client.host.result(token).unwrap().is_ok());
}

#[test]
fn a_call_that_waits_for_its_next_try_can_be_cancelled() {
    let mut client = modern();
    let token = client.start("list_tools", "{}");
    client.fail_next(reset());
    client.engine.cancel(token, "enough");
    assert_eq!(client.host.result(token).unwrap().unwrap_err().kind(), ErrorKind::Cancelled);
    client.pass(Duration::from_secs(60));
    assert!(client.out.started.lock().unwrap().is_empty());
}

/// A server of 2024-11-05 answers the handshake on its event stream.
fn greet(client: &Client<Requests>, stream: u64, endpoint: &str) {
    client.head(stream, 200, SSE, None);
    client.engine.http_chunk(stream, format!("event: endpoint\ndata: {endpoint}\n\n").as_bytes(), client.now);
    let (id, request) = client.out.started.lock().unwrap().pop_front().unwrap();
    assert_eq!(request.uri().path_and_query().unwrap().as_str(), endpoint);
    let body: Value = serde_json::from_slice(request.body()).unwrap();
    client.answer(id, 202, "", "");
    let result = r#"{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"s","version":"1"}}"#;
    say(client, stream, &format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, body["id"]));
    let (id, _, body) = client.next();
    assert_eq!(body["method"], "notifications/initialized");
    client.answer(id, 202, "", "");
}

fn say(client: &Client<Requests>, stream: u64, message: &str) {
    client.engine.http_chunk(stream, format!("data: {message}\n\n").as_bytes(), client.now);
}

#[test]
fn a_lost_event_stream_of_2024_is_opened_again() {
    let mut client = client(EraChoice::Auto);
    client.engine.connect(client.now);
    for _ in 0..2 {
        let (id, ..) = client.next();
        client.answer(id, 405, "", "");
    }
    greet(&client, client.next().0, "/m?s=1");
    // `ready` comes with the answer to the notification.
    client.host.states();
    let safe = client.start("list_tools", "{}");
    let (old, ..) = client.next();
    client.answer(old, 202, "", "");
    let other = client.start("call_tool", r#"{"name":"t"}"#);
    client.next();
    let stream = 3;
    client.engine.http_end(stream, client.now);
    assert_eq!(client.host.result(other).unwrap().unwrap_err().kind(), ErrorKind::Closed);
    assert!(matches!(&client.host.states()[..], [ClientState::Recovering { .. }]));
    client.pass(Duration::from_millis(250));
    let (stream, verb, _) = client.next();
    assert_eq!(verb, "GET", "what the server is known to have");
    client.answer(stream, 503, "", "");
    client.pass(Duration::from_millis(500));
    let (stream, ..) = client.next();
    greet(&client, stream, "/m?s=2");
    let (id, _, body) = client.next();
    assert_eq!(body["method"], "tools/list");
    client.answer(id, 202, "", "");
    say(&client, stream, &format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{"tools":[]}}}}"#, body["id"]));
    assert!(client.host.result(safe).unwrap().is_ok());
    assert_eq!(client.host.states(), [ClientState::Ready]);
    // A server that has no such stream any more is asked what it has.
    client.engine.http_end(stream, client.now);
    client.pass(Duration::from_secs(1));
    let (id, ..) = client.next();
    client.answer(id, 405, "", "");
    assert_eq!(client.next().2["method"], "server/discover");
}
