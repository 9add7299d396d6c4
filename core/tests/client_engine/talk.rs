//! Connected clients whose server a test plays.

use http::{HeaderMap, HeaderValue, Request, StatusCode};
use omniport::bytes::Bytes;
use omniport::engine::client::{CallOptions, ClientOptions, EraChoice};
use omniport::model::Version;
use serde_json::Value;

use super::pair::URL;
use super::recorder::{Client, Lines, Requests, Told, over_http, over_lines};

const DISCOVERED: &str =
    r#""result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}"#;
const INITIALIZED: &str =
    r#""result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#;

pub fn options() -> ClientOptions {
    let mut options = ClientOptions::new("test", "1");
    options.capabilities = r#"{"elicitation":{},"roots":{},"sampling":{}}"#.into();
    options
}

pub fn call_options(change: impl FnOnce(&mut CallOptions)) -> CallOptions {
    let mut options = CallOptions::default();
    change(&mut options);
    options
}

/// A stream to a server of 2026-07-28.
pub fn modern(options: ClientOptions) -> Client<Lines> {
    let client = over_lines(options);
    client.engine.connect(client.now);
    client.reply(&client.sent_one(), DISCOVERED);
    client.host.take();
    client
}

/// A stream to a server of 2025-06-18.
pub fn legacy(mut options: ClientOptions) -> Client<Lines> {
    options.era = EraChoice::Legacy(Version::V2025_06_18);
    let client = over_lines(options);
    client.engine.connect(client.now);
    client.reply(&client.sent_one(), INITIALIZED);
    client.sent();
    client.host.take();
    client
}

/// HTTP to a server of 2026-07-28.
pub fn modern_http(options: ClientOptions) -> Client<Requests> {
    let client = over_http(options, URL);
    client.engine.connect(client.now);
    let (id, _, body) = client.posted();
    client.respond(id, 200, &body, DISCOVERED);
    client.host.take();
    client
}

impl Client<Lines> {
    /// Starts an operation, whose request the server answers with that result; what came of it.
    pub fn ask(&self, word: &str, params: &str, options: CallOptions, result: &str) -> Value {
        let token = self.start_with(word, params, options);
        self.reply(&self.sent_one(), &format!("\"result\":{result}"));
        self.host.result(token).expect("an answer").expect("a result")
    }
}

impl Client<Requests> {
    /// Takes the next request: its number, itself, and its body.
    pub fn posted(&self) -> (u64, Request<Bytes>, Value) {
        let (id, request) = self.out.started.lock().unwrap().pop_front().expect("a request");
        let body = serde_json::from_slice(request.body()).unwrap();
        (id, request, body)
    }

    /// Answers the request of that body.
    pub fn respond(&self, id: u64, status: u16, to: &Value, body: &str) {
        let mut headers = HeaderMap::new();
        headers.insert("content-type", HeaderValue::from_static("application/json"));
        self.engine.http_head(id, StatusCode::from_u16(status).unwrap(), &headers, self.now);
        let body = format!(r#"{{"jsonrpc":"2.0","id":{},{body}}}"#, to["id"]);
        self.engine.http_chunk(id, body.as_bytes(), self.now);
        self.engine.http_end(id, self.now);
    }
}

/// The reports among what a host was told.
pub fn reports(told: &[Told]) -> Vec<&str> {
    let reports = told.iter().filter_map(|told| match told {
        Told::Report(_, text) => Some(text.as_str()),
        _ => None,
    });
    reports.collect()
}
