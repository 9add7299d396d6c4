//! What is known of a server, and what happens when it no longer holds.

use std::time::Duration;

use omniport::engine::client::ClientState;
use omniport::error::{Error, ErrorKind};
use omniport::model::Version;

use super::http::{JSON, client};
use super::recorder::{Client, Lines, over_http, over_lines};
use super::scripted::{LEGACY, MODERN, NO_METHOD, legacy, modern, options};
use super::{http, pair::URL};
use omniport::engine::client::EraChoice;

const NO_REVISION: &str = r#""error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}"#;
const DONE: &str = r#""result":{"resultType":"complete","tools":[]}"#;

fn known(version: Version) -> Client<Lines> {
    let mut options = options();
    options.known = Some(version);
    let client = over_lines(options);
    client.engine.connect(client.now);
    client
}

#[test]
fn what_a_server_spoke_is_tried_first() {
    let client = known(Version::V2025_06_18);
    let handshake = client.sent_one();
    assert_eq!(
        (&handshake["method"], &handshake["params"]["protocolVersion"]),
        (&"initialize".into(), &"2025-06-18".into())
    );
    client.reply(&handshake, LEGACY);
    assert_eq!(client.engine.version(), Some(Version::V2025_06_18));

    let client = known(Version::V2026_07_28);
    client.reply(&client.sent_one(), MODERN);
    assert_eq!(client.engine.version(), Some(Version::V2026_07_28));
}

#[test]
fn what_is_known_wrongly_is_forgotten() {
    for refusal in [NO_REVISION, NO_METHOD, r#""error":{"code":-32602,"message":"no _meta"}"#] {
        let client = known(Version::V2025_06_18);
        client.reply(&client.sent_one(), refusal);
        let probe = client.sent_one();
        assert_eq!(probe["method"], "server/discover", "{refusal}");
        client.reply(&probe, MODERN);
        assert_eq!(client.engine.version(), Some(Version::V2026_07_28));
    }
    let client = known(Version::V2026_07_28);
    client.reply(&client.sent_one(), NO_METHOD);
    client.reply(&client.sent_one(), LEGACY);
    assert_eq!(client.engine.version(), Some(Version::V2025_06_18));
}

#[test]
fn w14_a_modern_server_may_be_deaf_to_a_handshake_that_was_known() {
    let mut client = known(Version::V2025_06_18);
    client.sent_one();
    client.pass(Duration::from_secs(5));
    let probe = client.sent_one();
    assert_eq!(probe["method"], "server/discover");
    client.reply(&probe, MODERN);
    assert_eq!(client.engine.version(), Some(Version::V2026_07_28));

    // Or the legacy server was only slow.
    let mut client = known(Version::V2025_06_18);
    let handshake = client.sent_one();
    client.pass(Duration::from_secs(5));
    client.reply(&client.sent_one(), NO_METHOD);
    client.reply(&handshake, LEGACY);
    assert_eq!(client.engine.version(), Some(Version::V2025_06_18));
}

#[test]
fn both_causes_are_told() {
    let client = over_lines(options());
    let token = client.engine.connect(client.now);
    client.reply(&client.sent_one(), r#""error":{"code":-32601,"message":"what is discover?"}"#);
    client.reply(&client.sent_one(), r#""error":{"code":-32603,"message":"out of order"}"#);
    let error = client.host.result(token).unwrap().unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::Remote, -32603));
    let text = error.message();
    assert!(
        text.contains("out of order") && text.contains("`server/discover`") && text.contains("what is discover?"),
        "{text}"
    );

    // A process that cannot start quotes its stderr once.
    let client = over_lines(options());
    let token = client.engine.connect(client.now);
    for _ in 0..2 {
        client.sent_one();
        client.engine.lost(Error::new(ErrorKind::Closed, "the server ended").with("stderr", "no module"), client.now);
    }
    let text = client.host.result(token).unwrap().unwrap_err().to_string();
    let expected = "the server ended; `server/discover` was tried before and ended the same way [stderr: no module]";
    assert_eq!(text, expected);

    let client = client_of_nobody();
    let token = client.engine.connect(client.now);
    for body in ["first", "second"] {
        let (id, ..) = client.next();
        client.answer(id, 404, "text/plain", body);
    }
    let (id, verb, _) = client.next();
    assert_eq!(verb, "GET");
    client.answer(id, 405, "", "");
    let error = client.host.result(token).unwrap().unwrap_err();
    for part in ["405", "`initialize`", "second", "`server/discover`", "first"] {
        assert!(error.message().contains(part), "{part}: {error}");
    }
}

fn client_of_nobody() -> Client<super::recorder::Requests> {
    client(EraChoice::Auto)
}

#[test]
fn a_process_may_come_back_in_another_era() {
    let mut client = legacy();
    client.die();
    client.come_back(Duration::from_millis(250), NO_REVISION);
    client.reply(&client.sent_one(), MODERN);
    assert_eq!(client.engine.version(), Some(Version::V2026_07_28));

    // An older one that dies of the question is asked as if it were new, and started again without it.
    let mut client = modern();
    client.die();
    client.pass(Duration::from_millis(250));
    assert_eq!(client.sent_one()["method"], "server/discover");
    client.die();
    client.pass(Duration::from_millis(500));
    assert_eq!(client.sent_one()["method"], "server/discover");
    client.die();
    client.reply(&client.sent_one(), LEGACY);
    assert_eq!(client.engine.version(), Some(Version::V2025_06_18));
}

#[test]
fn a_modern_server_that_refuses_its_revision_is_asked_again_once() {
    let client = modern();
    client.host.states();
    let token = client.start("list_tools", "{}");
    client.reply(&client.sent_one(), NO_REVISION);
    assert!(matches!(&client.host.states()[..], [ClientState::Recovering { .. }]));
    client.reply(&client.sent_one(), MODERN);
    let again = client.sent_one();
    assert_eq!((&again["method"], client.host.states()), (&"tools/list".into(), vec![ClientState::Ready]));
    client.reply(&again, NO_REVISION);
    assert_eq!(client.host.result(token).unwrap().unwrap_err().code(), -32022);
    assert!(client.sent().is_empty(), "once");
}

#[test]
fn a_modern_endpoint_may_become_a_legacy_one() {
    for (status, kind, body) in [
        (
            400,
            JSON,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: Server not initialized"}}"#,
        ),
        (
            400,
            JSON,
            r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Bad Request: Missing session ID"}}"#,
        ),
        (400, "text/plain", "no session"),
        (404, "", ""),
    ] {
        let client = http::modern();
        let token = client.start("call_tool", r#"{"name":"t"}"#);
        let (id, ..) = client.next();
        client.answer(id, status, kind, body);
        let (id, _, probe) = client.next();
        assert_eq!(probe["method"], "server/discover");
        client.answer(id, status, kind, body);
        client.handshake("S1");
        let (id, _, again) = client.next_post();
        assert_eq!(again["params"]["name"], "t");
        client.answer(id, 200, JSON, &format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{"content":[]}}}}"#, again["id"]));
        assert!(client.host.result(token).unwrap().is_ok(), "{status} {body}");
    }
}

#[test]
fn what_a_server_refuses_for_good_is_no_change_of_era() {
    let client = http::modern();
    for (status, code) in [(400, -32602), (404, -32601), (200, -32603), (500, -32603)] {
        let token = client.start("call_tool", r#"{"name":"t"}"#);
        let (id, _, body) = client.next();
        client.answer(
            id,
            status,
            JSON,
            &format!(r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":{code},"message":"no"}}}}"#, body["id"]),
        );
        assert_eq!(client.host.result(token).unwrap().unwrap_err().code(), code);
        assert!(client.out.started.lock().unwrap().is_empty(), "{status} {code}");
    }
}

#[test]
fn a_method_that_a_server_has_and_does_not_know_is_worth_one_question() {
    let client = over_http(options(), URL);
    client.engine.connect(client.now);
    let (id, _, probe) = client.next();
    let found = |id: &serde_json::Value| format!(r#"{{"jsonrpc":"2.0","id":{id},{MODERN}}}"#);
    client.answer(id, 200, JSON, &found(&probe["id"]));
    let token = client.start("list_tools", "{}");
    for _ in 0..2 {
        let (id, _, body) = client.next();
        assert_eq!(body["method"], "tools/list");
        client.answer(id, 404, JSON, &format!(r#"{{"jsonrpc":"2.0","id":{},{NO_METHOD}}}"#, body["id"]));
        if client.host.result(token).is_some() {
            assert!(client.out.started.lock().unwrap().is_empty());
            return;
        }
        let (id, _, probe) = client.next();
        assert_eq!(probe["method"], "server/discover");
        client.answer(id, 200, JSON, &found(&probe["id"]));
    }
    panic!("the second refusal is the answer");
}

#[test]
fn a_result_of_a_revision_that_ended_is_not_lost() {
    // Other calls go on while one finds out that the revision is no longer spoken.
    let client = modern();
    let (slow, refused) = (client.start("list_tools", "{}"), client.start("list_tools", "{}"));
    let sent = client.sent();
    client.reply(&sent[1], NO_REVISION);
    client.reply(&sent[0], DONE);
    assert!(client.host.result(slow).unwrap().is_ok());
    client.reply(&client.sent_one(), MODERN);
    client.reply(&client.sent_one(), DONE);
    assert!(client.host.result(refused).unwrap().is_ok());
}

#[test]
fn what_is_not_safe_is_not_sent_twice_to_a_server_that_stayed_what_it_was() {
    let client = over_http(options(), URL);
    client.engine.connect(client.now);
    let found = |id: &serde_json::Value| format!(r#"{{"jsonrpc":"2.0","id":{id},{MODERN}}}"#);
    let (id, _, probe) = client.next();
    client.answer(id, 200, JSON, &found(&probe["id"]));
    let tokens = [(); 2].map(|()| client.start("call_tool", r#"{"name":"t"}"#));
    let (first, ..) = client.next();
    let (second, ..) = client.next();
    client.answer(first, 400, "text/html", "no");
    let (id, _, probe) = client.next();
    assert_eq!(probe["method"], "server/discover");
    client.answer(second, 400, "text/html", "no");
    client.answer(id, 200, JSON, &found(&probe["id"]));
    for token in tokens {
        let error = client.host.result(token).unwrap().unwrap_err();
        assert_eq!(error.fact("status"), Some("400"));
    }
    assert!(client.out.started.lock().unwrap().is_empty());
}
