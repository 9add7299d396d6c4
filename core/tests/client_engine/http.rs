//! HTTP servers that answer in odd ways.

use std::time::Duration;

use http::{HeaderMap, HeaderValue, StatusCode};
use omniport::engine::client::{ClientOptions, EraChoice};
use omniport::error::ErrorKind;
use omniport::model::Version;
use serde_json::Value;

use super::pair::URL;
use super::recorder::{Client, Requests, Told, over_http};

pub const JSON: &str = "application/json";
pub const SSE: &str = "text/event-stream";

pub fn client(era: EraChoice) -> Client<Requests> {
    let mut options = ClientOptions::new("test", "1");
    options.era = era;
    over_http(options, URL)
}

impl Client<Requests> {
    /// Takes the next request: its number, its verb and its body.
    pub fn next(&self) -> (u64, String, Value) {
        let (id, request) = self.out.started.lock().unwrap().pop_front().expect("a request");
        let body = serde_json::from_slice(request.body()).unwrap_or(Value::Null);
        (id, request.method().to_string(), body)
    }

    pub fn head(&self, id: u64, status: u16, kind: &str, session: Option<&str>) {
        let mut headers = HeaderMap::new();
        if !kind.is_empty() {
            headers.insert("content-type", HeaderValue::from_str(kind).unwrap());
        }
        if let Some(session) = session {
            headers.insert("mcp-session-id", HeaderValue::from_str(session).unwrap());
        }
        self.engine.http_head(id, StatusCode::from_u16(status).unwrap(), &headers, self.now);
    }

    pub fn answer(&self, id: u64, status: u16, kind: &str, body: &str) {
        self.head(id, status, kind, None);
        self.engine.http_chunk(id, body.as_bytes(), self.now);
        self.engine.http_end(id, self.now);
    }

    /// A session of 2025-06-18.
    pub fn open_session(&self, confirm: (u16, &str, &str)) -> u64 {
        let token = self.engine.connect(self.now);
        let (id, _, body) = self.next();
        self.head(id, 200, JSON, Some("S1"));
        let result = format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{{"protocolVersion":"2025-06-18","capabilities":{{}},"serverInfo":{{"name":"s","version":"1"}}}}}}"#,
            body["id"]
        );
        self.engine.http_chunk(id, result.as_bytes(), self.now);
        self.engine.http_end(id, self.now);
        let (id, verb, body) = self.next();
        assert_eq!((verb.as_str(), &body["method"]), ("POST", &Value::from("notifications/initialized")));
        self.answer(id, confirm.0, confirm.1, confirm.2);
        token
    }
}

pub const LEGACY: EraChoice = EraChoice::Legacy(Version::V2025_06_18);

#[test]
fn h03_any_answer_to_a_notification_will_do() {
    for confirm in [(202, "", ""), (200, JSON, ""), (200, JSON, "null"), (204, "", ""), (202, "text/plain", "Accepted")]
    {
        let client = client(LEGACY);
        let token = client.open_session(confirm);
        assert!(client.host.result(token).unwrap().is_ok(), "{confirm:?}");
        assert!(client.host.take().is_empty());
    }
}

#[test]
fn h06_a_server_without_a_stream_is_harmless() {
    for answer in [(405, "", ""), (404, JSON, "{}"), (200, "text/html", "<html>")] {
        let client = client(LEGACY);
        client.open_session((202, "", ""));
        let (stream, request) = client.out.started.lock().unwrap().pop_front().unwrap();
        assert_eq!(request.method(), "GET");
        assert_eq!(
            (&request.headers()["mcp-session-id"], &request.headers()["mcp-protocol-version"]),
            (&"S1".parse().unwrap(), &"2025-06-18".parse().unwrap())
        );
        client.answer(stream, answer.0, answer.1, answer.2);
        assert!(client.out.started.lock().unwrap().is_empty(), "no tight loop");
        let token = client.start("list_tools", "{}");
        let (id, _, body) = client.next();
        client.answer(id, 200, JSON, &format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{"tools":[]}}}}"#, body["id"]));
        assert!(client.host.result(token).unwrap().is_ok());
    }
}

pub fn modern() -> Client<Requests> {
    let client = client(EraChoice::Auto);
    let token = client.engine.connect(client.now);
    let (id, _, body) = client.next();
    let result = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}"#;
    client.answer(id, 200, JSON, &format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, body["id"]));
    assert!(client.host.result(token).unwrap().is_ok());
    client
}

#[test]
fn e07_a_stream_that_ends_without_the_answer_fails_its_call() {
    let client = modern();
    let token = client.start("call_tool", r#"{"name":"t"}"#);
    let (id, _, body) = client.next();
    client.head(id, 200, SSE, None);
    let event = format!(
        "data: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{{\"progressToken\":{},\"progress\":1}}}}\n\n",
        body["params"]["_meta"]["progressToken"]
    );
    client.engine.http_chunk(id, event.as_bytes(), client.now);
    client.engine.http_end(id, client.now);
    let told = client.host.take();
    assert!(
        matches!(&told[..], [Told::Progress(..), Told::Result(of, Err(error))] if *of == token && error.kind() == ErrorKind::Closed),
        "{told:?}"
    );
}

/// A legacy call whose stream says where it can be taken up, and ends.
fn polled(client: &mut Client<Requests>) -> (u64, Value) {
    client.open_session((202, "", ""));
    let (general, ..) = client.next();
    client.answer(general, 405, "", "");
    let token = client.start("call_tool", r#"{"name":"t"}"#);
    let (id, _, body) = client.next();
    client.head(id, 200, SSE, None);
    client.engine.http_chunk(id, b"id: e1\nretry: 500\ndata:\n\n", client.now);
    client.engine.http_end(id, client.now);
    (token, body["id"].clone())
}

/// The request that takes the stream up, once its time has come.
fn taken_up(client: &mut Client<Requests>, after: &str) -> u64 {
    client.pass(Duration::from_millis(499));
    assert!(client.out.started.lock().unwrap().is_empty(), "too early");
    client.pass(Duration::from_millis(1));
    let (id, request) = client.out.started.lock().unwrap().pop_front().expect("a request");
    assert_eq!((request.method().as_str(), &request.headers()["last-event-id"]), ("GET", &after.parse().unwrap()));
    id
}

#[test]
fn a_stream_is_taken_up_when_its_server_says_so() {
    let mut client = client(LEGACY);
    let (token, request) = polled(&mut client);
    let id = taken_up(&mut client, "e1");
    client.answer(id, 200, SSE, "id: e2\nretry: 500\ndata:\n\n");
    let id = taken_up(&mut client, "e2");
    client.answer(
        id,
        200,
        SSE,
        &format!("id: e3\ndata: {{\"jsonrpc\":\"2.0\",\"id\":{request},\"result\":{{\"content\":[]}}}}\n\n"),
    );
    assert!(client.host.result(token).unwrap().is_ok());
    client.pass(Duration::from_secs(5));
    assert!(client.out.started.lock().unwrap().is_empty(), "an answered call asks for nothing");
}

#[test]
fn a_stream_that_cannot_be_taken_up_fails_its_call() {
    // The server keeps no events.
    let mut client = client(LEGACY);
    let (token, _) = polled(&mut client);
    let id = taken_up(&mut client, "e1");
    client.answer(id, 405, "", "");
    assert_eq!(client.host.result(token).unwrap().unwrap_err().kind(), ErrorKind::Closed);

    // Nothing new comes, again and again.
    let mut client = self::client(LEGACY);
    let (token, _) = polled(&mut client);
    for _ in 0..3 {
        let id = taken_up(&mut client, "e1");
        client.answer(id, 200, SSE, "");
    }
    assert_eq!(client.host.result(token).unwrap().unwrap_err().kind(), ErrorKind::Closed);
    client.pass(Duration::from_secs(5));
    assert!(client.out.started.lock().unwrap().is_empty());
}

#[test]
fn h14_a_failure_says_what_the_server_said() {
    let client = modern();
    let call = |status: u16, kind: &str, body: &str| {
        let token = client.start("list_tools", "{}");
        let (id, ..) = client.next();
        client.answer(id, status, kind, body);
        client.host.result(token).unwrap().unwrap_err()
    };
    let error = call(502, "text/html", "<html>bad gateway</html>");
    assert_eq!((error.kind(), error.fact("status"), error.can_retry()), (ErrorKind::Io, Some("502"), true));
    assert!(error.message().contains("bad gateway"));
    let error = call(400, JSON, r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32020,"message":"Header mismatch"}}"#);
    assert_eq!((error.kind(), error.code(), error.fact("status")), (ErrorKind::Remote, -32020, Some("400")));
    let error = call(200, "text/plain", "hello");
    assert!(error.message().contains("neither JSON nor an event stream"));
    let error = call(200, JSON, r#"{"jsonrpc":"2.0","id":"other","result":{}}"#);
    assert_eq!(error.kind(), ErrorKind::Closed);
}

#[test]
fn security_13_an_answer_has_a_bound() {
    let mut options = ClientOptions::new("test", "1");
    options.era = EraChoice::Modern;
    options.limits.message_bytes = 1024;
    let client = over_http(options, URL);
    let token = client.engine.connect(client.now);
    let (id, ..) = client.next();
    client.head(id, 200, SSE, None);
    client.engine.http_chunk(id, &[b'x'; 4096], client.now);
    assert!(client.host.result(token).unwrap().is_err());
    assert_eq!(*client.out.aborted.lock().unwrap(), [id]);
}

#[test]
fn e09_an_endpoint_elsewhere_is_refused() {
    let client = client(EraChoice::Auto);
    let token = client.engine.connect(client.now);
    for _ in 0..2 {
        let (id, verb, _) = client.next();
        assert_eq!(verb, "POST");
        client.answer(id, 404, "", "");
    }
    let (id, verb, _) = client.next();
    assert_eq!(verb, "GET");
    client.head(id, 200, SSE, None);
    client.engine.http_chunk(id, b"event: endpoint\ndata: http://evil/messages\n\n", client.now);
    assert_eq!(client.host.result(token).unwrap().unwrap_err().kind(), ErrorKind::Refused);
    assert!(client.out.started.lock().unwrap().is_empty());
}

#[test]
fn a_refused_connection_is_no_legacy_server() {
    let client = client(EraChoice::Auto);
    let token = client.engine.connect(client.now);
    let (id, ..) = client.next();
    client.engine.http_failed(id, omniport::error::Error::new(ErrorKind::Io, "connection refused"), client.now);
    assert_eq!(client.host.result(token).unwrap().unwrap_err().kind(), ErrorKind::Io);
}

#[test]
fn x10_arguments_are_mirrored_as_the_listing_said() {
    let client = modern();
    let tool = |name: &str, header: &str| {
        format!(
            r#"{{"name":"{name}","inputSchema":{{"type":"object","properties":{{"where":{{"type":"string","x-mcp-header":"{header}"}}}}}}}}"#
        )
    };
    let token = client.start("list_tools", "{}");
    let (id, _, body) = client.next();
    let tools = format!("{},{}", tool("good", "Region"), tool("bad", "no header"));
    client.answer(
        id,
        200,
        JSON,
        &format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{"ttlMs":5,"tools":[{tools}]}}}}"#, body["id"]),
    );
    let page = client.host.result(token).unwrap().unwrap();
    assert_eq!((page["tools"].as_array().unwrap().len(), &page["ttlMs"]), (1, &Value::from(5)));
    assert!(matches!(&client.host.take()[..], [Told::Report(_, text)] if text.contains("`bad`")));
    for (arguments, sent) in [
        (r#"{"where":"us-west1"}"#, Some("us-west1")),
        (r#"{"where":" köln"}"#, Some("=?base64?IGvDtmxu?=")),
        (r#"{"where":null}"#, None),
        ("{}", None),
    ] {
        client.start("call_tool", &format!(r#"{{"name":"good","arguments":{arguments}}}"#));
        let (_, request) = client.out.started.lock().unwrap().pop_front().unwrap();
        let header = request.headers().get("mcp-param-region").map(|value| value.to_str().unwrap());
        assert_eq!((header, request.headers()["mcp-name"].to_str().unwrap()), (sent, "good"), "{arguments}");
    }
    let token = client.start("call_tool", r#"{"name":"good","arguments":{"where":7}}"#);
    assert_eq!(client.host.result(token).unwrap().unwrap_err().kind(), ErrorKind::InvalidParams);
}
