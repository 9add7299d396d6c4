//! Servers that say a few lines and nothing else.

use std::time::Duration;

use omniport::engine::client::{AskKind, CallOptions, ClientOptions, EraChoice};
use omniport::error::{Error, ErrorKind};
use omniport::model::Version;
use serde_json::json;

use super::recorder::{Client, Lines, Told, over_lines};

pub const MODERN: &str = r#""result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}"#;
pub const LEGACY: &str = r#""result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"0"},"instructions":"hi"}"#;
pub const NO_METHOD: &str = r#""error":{"code":-32601,"message":"Method not found"}"#;

pub fn options() -> ClientOptions {
    let mut options = ClientOptions::new("test", "1");
    options.capabilities = r#"{"elicitation":{},"roots":{}}"#.into();
    options
}

pub fn modern() -> Client<Lines> {
    modern_with(options())
}

pub fn modern_with(options: ClientOptions) -> Client<Lines> {
    let client = over_lines(options);
    let token = client.engine.connect(client.now);
    let probe = client.sent_one();
    assert_eq!(probe["method"], "server/discover");
    client.reply(&probe, MODERN);
    assert_eq!(client.host.result(token).unwrap().unwrap()["server"]["name"], "s");
    client
}

pub fn legacy() -> Client<Lines> {
    let client = over_lines(options());
    let token = client.engine.connect(client.now);
    client.reply(&client.sent_one(), NO_METHOD);
    client.reply(&client.sent_one(), LEGACY);
    assert_eq!(client.sent_one()["method"], "notifications/initialized");
    let server = client.host.result(token).unwrap().unwrap();
    let expected = json!({"server": {"name": "old", "version": "0"}, "capabilities": {"tools": {}},
        "protocol_version": "2025-06-18", "instructions": "hi"});
    assert_eq!(server, expected);
    client
}

#[test]
fn w14_a_refused_probe_leads_to_the_handshake() {
    for error in [NO_METHOD, r#""error":{"code":-32602,"message":"initialize first"}"#, r#""result":{}"#] {
        let client = over_lines(options());
        let token = client.engine.connect(client.now);
        client.reply(&client.sent_one(), error);
        let handshake = client.sent_one();
        assert_eq!(
            (&handshake["method"], &handshake["params"]["protocolVersion"]),
            (&json!("initialize"), &json!("2025-11-25"))
        );
        client.reply(&handshake, LEGACY);
        assert!(client.host.result(token).unwrap().is_ok(), "{error}");
    }
}

#[test]
fn w14_a_silent_server_is_asked_for_the_handshake() {
    let mut client = over_lines(options());
    let token = client.engine.connect(client.now);
    client.sent_one();
    client.pass(Duration::from_secs(5));
    client.reply(&client.sent_one(), LEGACY);
    assert!(client.host.result(token).unwrap().is_ok());
    assert_eq!(client.engine.version(), Some(Version::V2025_06_18));
}

#[test]
fn w14_a_server_that_dies_of_the_probe_is_started_once_more() {
    let client = over_lines(options());
    let token = client.engine.connect(client.now);
    client.sent_one();
    client.engine.lost(Error::new(ErrorKind::Closed, "exited").with("exit", 1), client.now);
    assert_eq!(*client.out.restarts.lock().unwrap(), 1);
    let handshake = client.sent_one();
    assert_eq!(handshake["method"], "initialize");
    client.engine.lost(Error::new(ErrorKind::Closed, "exited").with("exit", 1), client.now);
    assert_eq!(*client.out.restarts.lock().unwrap(), 1);
    let error = client.host.result(token).unwrap().unwrap_err();
    assert_eq!((error.kind(), error.fact("exit")), (ErrorKind::Closed, Some("1")));
}

#[test]
fn w14_a_slow_modern_server_stays_modern() {
    // The late answer to the probe wins over the handshake.
    let mut client = over_lines(options());
    let token = client.engine.connect(client.now);
    let probe = client.sent_one();
    client.pass(Duration::from_secs(6));
    let handshake = client.sent_one();
    client.reply(&probe, MODERN);
    client.reply(&handshake, r#""error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}"#);
    assert!(client.host.result(token).unwrap().is_ok());
    assert_eq!(client.engine.version(), Some(Version::V2026_07_28));
    assert!(client.sent().is_empty());

    // So does its refusal of the handshake.
    let mut client = over_lines(options());
    client.engine.connect(client.now);
    client.sent_one();
    client.pass(Duration::from_secs(6));
    client.reply(&client.sent_one(), r#""error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}"#);
    client.reply(&client.sent_one(), MODERN);
    assert_eq!(client.engine.version(), Some(Version::V2026_07_28));
}

#[test]
fn a_server_may_refuse_what_it_speaks_once() {
    let refusal = r#""error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}"#;
    let client = over_lines(options());
    client.engine.connect(client.now);
    client.reply(&client.sent_one(), refusal);
    client.reply(&client.sent_one(), MODERN);
    assert_eq!(client.engine.version(), Some(Version::V2026_07_28));

    let client = over_lines(options());
    let token = client.engine.connect(client.now);
    client.reply(&client.sent_one(), refusal);
    client.reply(&client.sent_one(), refusal);
    assert_eq!(client.host.result(token).unwrap().unwrap_err().kind(), ErrorKind::UnsupportedVersion);
}

#[test]
fn a_client_of_one_era_does_not_change_it() {
    let mut only_modern = options();
    only_modern.era = EraChoice::Modern;
    let mut client = over_lines(only_modern);
    let token = client.engine.connect(client.now);
    client.pass(Duration::from_secs(20));
    client.reply(&client.sent_one(), NO_METHOD);
    assert_eq!(client.host.result(token).unwrap().unwrap_err().kind(), ErrorKind::UnsupportedVersion);

    let mut only_legacy = options();
    only_legacy.era = EraChoice::Legacy(Version::V2024_11_05);
    let client = over_lines(only_legacy);
    client.engine.connect(client.now);
    assert_eq!(client.sent_one()["params"]["protocolVersion"], "2024-11-05");
}

#[test]
fn connecting_has_a_bound_and_holds_calls_until_it_is_done() {
    let mut client = over_lines(options());
    let (connect, early) = (client.engine.connect(client.now), client.start("list_tools", "{}"));
    client.pass(Duration::from_secs(60));
    assert_eq!(client.host.result(connect).unwrap().unwrap_err().kind(), ErrorKind::Timeout);
    assert_eq!(client.host.result(early).unwrap().unwrap_err().kind(), ErrorKind::Closed);

    let client = over_lines(options());
    client.engine.connect(client.now);
    let early = client.start("list_tools", "{}");
    client.reply(&client.sent_one(), MODERN);
    client.reply(&client.sent_one(), r#""result":{"resultType":"complete","tools":[]}"#);
    assert!(client.host.result(early).unwrap().is_ok());
}

#[test]
fn w23_everything_fails_when_the_stream_ends() {
    let mut options = options();
    options.recover = false;
    let client = modern_with(options);
    let (one, two) = (client.start("list_tools", "{}"), client.start("call_tool", r#"{"name":"t"}"#));
    client
        .engine
        .lost(Error::new(ErrorKind::Closed, "the server exited").with("exit", 3).with("stderr", "boom"), client.now);
    for token in [one, two, client.start("list_tools", "{}")] {
        let error = client.host.result(token).unwrap().unwrap_err();
        assert_eq!(
            (error.kind(), error.fact("exit"), error.fact("stderr")),
            (ErrorKind::Closed, Some("3"), Some("boom"))
        );
    }
    assert!(*client.out.closed.lock().unwrap());
    assert!(client.engine.tick(client.now).is_none());
}

#[test]
fn w24_progress_starts_the_time_anew_within_the_total() {
    let mut client = modern();
    let limits = {
        let mut options = CallOptions::default();
        options.timeout = Some(Duration::from_millis(300));
        options.total_timeout = Some(Duration::from_secs(1));
        options
    };
    let token = client.start_with("call_tool", r#"{"name":"t"}"#, limits);
    let request = client.sent_one();
    let progress = request["params"]["_meta"]["progressToken"].clone();
    assert!(progress.is_number(), "a token is sent although nobody asked for progress");
    for step in 1..=4 {
        client.pass(Duration::from_millis(200));
        client.hear(&format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{progress},"progress":{step}}}}}"#
        ));
    }
    assert!(client.host.result(token).is_none());
    client.pass(Duration::from_millis(200));
    assert_eq!(client.host.result(token).unwrap().unwrap_err().kind(), ErrorKind::Timeout);
    let cancelled = client.sent_one();
    assert_eq!(
        (&cancelled["method"], &cancelled["params"]["requestId"]),
        (&json!("notifications/cancelled"), &request["id"])
    );
}

#[test]
fn x03_progress_comes_before_the_result_and_never_after() {
    let client = legacy();
    let token = client.start("call_tool", r#"{"name":"t"}"#);
    let request = client.sent_one();
    let progress = |token: &str, step: u32| {
        client.hear(&format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":{step}}}}}"#
        ));
    };
    let id = request["id"].to_string();
    progress(&id, 1);
    progress(&id, 2);
    client.reply(&request, r#""result":{"content":[]}"#);
    progress(&id, 3);
    progress("\"never-issued\"", 1);
    let told = client.host.take();
    assert!(matches!(&told[0], Told::Progress(of, params) if *of == token && params["progress"] == 1), "{told:?}");
    assert!(matches!(&told[1], Told::Progress(of, params) if *of == token && params["progress"] == 2));
    assert!(matches!(&told[2], Told::Result(of, Ok(_)) if *of == token));
    assert!(matches!(&told[3], Told::Report(_, text) if text.contains("never-issued")));
    assert_eq!(told.len(), 4);
}

#[test]
fn w02_w22_junk_is_never_answered() {
    let client = legacy();
    let token = client.start("list_tools", "{}");
    let request = client.sent_one();
    for junk in
        ["Server starting...", r#"{"level":"info","msg":"x"}"#, "[", "[1]", r#"{"jsonrpc":"2.0","id":99,"result":{}}"#]
    {
        client.hear(junk);
    }
    client.engine.receive(b"\xFF\xFE", client.now);
    client.hear(r#"{"jsonrpc":"2.0","method":"notifications/vendor_x","params":{"a":1}}"#);
    assert!(client.sent().is_empty());
    client.reply(&request, r#""result":{"tools":[]}"#);
    assert!(client.host.result(token).unwrap().is_ok(), "W04");
}

#[test]
fn y13_a_legacy_server_may_ask_and_a_modern_one_may_not() {
    let client = legacy();
    client.hear(r#"{"jsonrpc":"2.0","id":14,"method":"ping"}"#);
    assert_eq!(client.sent_one(), json!({"jsonrpc": "2.0", "id": 14, "result": {}}));
    client.hear(r#"{"jsonrpc":"2.0","id":"U-1","method":"roots/list"}"#);
    let (number, kind, params) = client.host.asks().remove(0);
    assert_eq!((kind, params), (AskKind::Roots, json!({})));
    client.engine.answer(number, r#"{"result":{"roots":[]}}"#, client.now);
    assert_eq!(client.sent_one(), json!({"jsonrpc": "2.0", "id": "U-1", "result": {"roots": []}}));
    client.hear(r#"{"jsonrpc":"2.0","id":15,"method":"sampling/createMessage","params":{}}"#);
    assert_eq!(client.sent_one()["error"]["code"], -32601, "no capability was declared for it");
    client.hear(r#"{"jsonrpc":"2.0","id":16,"method":"elicitation/create","params":{"message":"?"}}"#);
    let (number, ..) = client.host.asks().remove(0);
    client.hear(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":16}}"#);
    assert!(matches!(client.host.take()[..], [Told::Withdrawn(withdrawn)] if withdrawn == number));
    client.engine.answer(number, r#"{"result":{"action":"accept"}}"#, client.now);
    assert!(client.sent().is_empty());

    let client = modern();
    client.hear(r#"{"jsonrpc":"2.0","id":14,"method":"roots/list"}"#);
    assert!(client.sent().is_empty() && client.host.asks().is_empty());
}

#[test]
fn w11_a_cancelled_call_fails_at_once_and_its_late_answer_is_dropped() {
    let client = legacy();
    let token = client.start("call_tool", r#"{"name":"t"}"#);
    let request = client.sent_one();
    client.engine.cancel(token, "enough");
    assert_eq!(client.host.result(token).unwrap().unwrap_err().kind(), ErrorKind::Cancelled);
    assert_eq!(client.sent_one()["params"], json!({"requestId": request["id"], "reason": "enough"}));
    client.reply(&request, r#""result":{"content":[]}"#);
    client.engine.cancel(token, "again");
    assert!(client.host.take().is_empty() && client.sent().is_empty());
}

#[test]
fn a_modern_call_gathers_input_and_asks_again() {
    let mut client = modern();
    let token = client.start("call_tool", r#"{"name":"t","arguments":{"n":1.0},"_meta":{"a/b":1}}"#);
    let first = client.sent_one();
    client.reply(
        &first,
        r#""result":{"resultType":"input_required","requestState":"s\u0041/ ","inputRequests":{"q1":{"method":"elicitation/create","params":{"message":"?"}},"q2":{"method":"roots/list"}}}"#,
    );
    let asks = client.host.asks();
    assert_eq!(asks.iter().map(|ask| ask.1).collect::<Vec<_>>(), [AskKind::Elicit, AskKind::Roots]);
    client.engine.answer(asks[1].0, r#"{"result":{"roots":[]}}"#, client.now);
    // Whoever thinks about an answer is not a server that is late.
    client.pass(Duration::from_secs(61));
    assert!(client.sent().is_empty());
    client.engine.answer(asks[0].0, r#"{"result":{"action":"decline"}}"#, client.now);
    let line = client.out.sent.lock().unwrap().pop_front().unwrap();
    assert!(String::from_utf8_lossy(&line).contains(r#""requestState":"s\u0041/ ""#), "echoed as it came");
    let second: serde_json::Value = serde_json::from_slice(&line).unwrap();
    assert_ne!(first["id"], second["id"]);
    assert_eq!(second["params"]["inputResponses"], json!({"q1": {"action": "decline"}, "q2": {"roots": []}}));
    assert_eq!((&second["params"]["arguments"], &second["params"]["_meta"]["a/b"]), (&json!({"n": 1.0}), &json!(1)));
    client.reply(&second, r#""result":{"resultType":"complete","content":[]}"#);
    assert!(client.host.result(token).unwrap().is_ok());
}

#[test]
fn input_has_bounds_and_needs_a_capability() {
    let client = modern();
    let token = client.start("call_tool", r#"{"name":"t"}"#);
    for _ in 0..17 {
        client.reply(&client.sent_one(), r#""result":{"resultType":"input_required","requestState":"x"}"#);
    }
    let error = client.host.result(token).unwrap().unwrap_err();
    assert_eq!((error.kind(), error.fact("limit")), (ErrorKind::Limit, Some("input_rounds")));

    for result in [
        r#"{"resultType":"input_required","inputRequests":{"q":{"method":"sampling/createMessage","params":{}}}}"#,
        r#"{"resultType":"input_required"}"#,
        r#"{"resultType":"task"}"#,
        "7",
    ] {
        let token = client.start("call_tool", r#"{"name":"t"}"#);
        client.reply(&client.sent_one(), &format!(r#""result":{result}"#));
        assert!(client.host.result(token).unwrap().is_err(), "{result}");
        assert!(client.sent().is_empty() && client.host.asks().is_empty());
    }
}

#[test]
fn a_broken_answer_fails_its_call() {
    let client = modern();
    let token = client.start("list_tools", "{}");
    client.reply(&client.sent_one(), r#""result":{},"error":{"code":1,"message":"both"}"#);
    assert!(client.host.result(token).unwrap().is_err());
}

#[test]
fn a_broken_request_of_a_legacy_server_is_answered_and_junk_is_not() {
    let client = legacy();
    client.sent();
    client.hear(r#"{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":[]}"#);
    assert_eq!((&client.sent_one()["id"], client.sent().len()), (&serde_json::json!(7), 0));
    for junk in [r#"{"jsonrpc":"2.0","method":"notifications/x","params":[]}"#, r#"{"id":8}"#, "[]", "junk"] {
        client.hear(junk);
        assert!(client.sent().is_empty(), "{junk}");
    }
}
