//! Questions of the server: who may ask how much, how long the host may think, and what its answers must be.

use std::time::Duration;

use http::HeaderValue;
use omniport::engine::client::AskKind;
use omniport::error::ErrorKind;
use serde_json::json;

use super::recorder::{Client, Lines, Told};
use super::talk::{call_options, legacy, modern, modern_http, options, reports};

const FORM: &str = r#"{"mode":"form","message":"?","requestedSchema":{"type":"object","required":["c"],"properties":{"c":{"type":"string","enum":["red","blue"]}}}}"#;

fn required(params: &str) -> String {
    format!(
        r#""result":{{"resultType":"input_required","requestState":"s","inputRequests":{{"q":{{"method":"elicitation/create","params":{params}}}}}}}"#
    )
}

/// A call that waits for the answer to a form.
fn asked(client: &Client<Lines>) -> (u64, u64) {
    let token = client.start("call_tool", r#"{"name":"t"}"#);
    client.reply(&client.sent_one(), &required(FORM));
    (token, client.host.asks().remove(0).0)
}

#[test]
fn y17_a_form_that_was_accepted_must_match() {
    for answer in [
        r#"{"action":"decline"}"#,
        r#"{"action":"cancel","content":{}}"#,
        r#"{"action":"decline","content":{"c":7}}"#,
        r#"{"action":"accept","content":{"c":"red"}}"#,
    ] {
        let client = modern(options());
        let (_, number) = asked(&client);
        client.engine.answer(number, &format!("{{\"result\":{answer}}}"), client.now);
        let sent = &client.sent_one()["params"]["inputResponses"]["q"];
        assert_eq!(*sent, serde_json::from_str::<serde_json::Value>(answer).unwrap());
    }
    for (answer, names) in [
        (r#"{"action":"accept"}"#, "c"),
        (r#"{"action":"accept","content":{"c":"green"}}"#, "c"),
        (r#"{"action":"reject"}"#, "reject"),
        ("{}", "action"),
        ("7", "object"),
    ] {
        let client = modern(options());
        let (token, number) = asked(&client);
        client.engine.answer(number, &format!("{{\"result\":{answer}}}"), client.now);
        let error = client.host.result(token).unwrap().unwrap_err();
        assert!(error.kind() == ErrorKind::InvalidParams && error.message().contains(names), "{error}");
        assert!(
            error.message().ends_with(r#"; a right answer is {"action":"accept","content":{"c":"red"}}"#),
            "{error}"
        );
        assert!(client.sent().is_empty());

        let client = legacy(options());
        client.hear(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{FORM}}}"#));
        let (number, ..) = client.host.asks().remove(0);
        client.engine.answer(number, &format!("{{\"result\":{answer}}}"), client.now);
        assert_eq!(client.sent_one()["error"]["code"], -32602);
        assert!(reports(&client.host.take())[0].contains(names));
    }
}

#[test]
fn y17_an_empty_form_works_and_a_broken_one_is_the_servers_affair() {
    for schema in [r#"{"type":"object","properties":{}}"#, r#"{"type":"objekt"}"#] {
        let client = modern(options());
        let token = client.start("call_tool", r#"{"name":"t"}"#);
        client.reply(&client.sent_one(), &required(&format!(r#"{{"message":"?","requestedSchema":{schema}}}"#)));
        let (number, ..) = client.host.asks().remove(0);
        client.engine.answer(number, r#"{"result":{"action":"accept","content":{}}}"#, client.now);
        client.reply(&client.sent_one(), r#""result":{"content":[]}"#);
        assert!(client.host.result(token).unwrap().is_ok(), "{schema}");
    }
}

#[test]
fn a_refusal_of_the_host_has_the_code_of_its_kind() {
    for (error, code) in [
        (r#"{"kind":"invalid_params","message":"no"}"#, -32602),
        (r#"{"kind":"method_not_found","message":"no","code":null}"#, -32601),
        (r#"{"kind":"internal","message":"no","code":7}"#, 7),
        (r#"{"kind":"internal","message":"no"}"#, -32603),
        (r#"{"kind":"tool","message":"no"}"#, -32603),
        (r#"{"message":"no","code":-1,"data":[1]}"#, -1),
    ] {
        let client = legacy(options());
        client.hear(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{FORM}}}"#));
        let (number, ..) = client.host.asks().remove(0);
        client.engine.answer(number, &format!("{{\"error\":{error}}}"), client.now);
        let sent = &client.sent_one()["error"];
        assert_eq!((&sent["code"], &sent["message"]), (&json!(code), &json!("no")), "{error}");

        let client = modern(options());
        let (token, number) = asked(&client);
        client.engine.answer(number, &format!("{{\"error\":{error}}}"), client.now);
        let failure = client.host.result(token).unwrap().unwrap_err();
        assert_eq!((failure.kind(), failure.code(), failure.message()), (ErrorKind::Refused, code, "no"));
    }
}

#[test]
fn the_host_has_its_own_time_within_the_total() {
    let mut client = modern(options());
    let (token, number) = asked(&client);
    client.pass(Duration::from_secs(599));
    assert!(client.host.result(token).is_none());
    client.pass(Duration::from_secs(1));
    let told = client.host.take();
    assert!(matches!(&told[0], Told::Withdrawn(withdrawn) if *withdrawn == number), "{told:?}");
    let Told::Result(of, Err(error)) = &told[1] else { panic!("{told:?}") };
    assert_eq!((*of, error.kind(), error.fact("limit")), (token, ErrorKind::Timeout, Some("input_for")));

    let mut client = modern(options());
    let total = call_options(|options| options.total_timeout = Some(Duration::from_secs(100)));
    let token = client.start_with("call_tool", r#"{"name":"t"}"#, total);
    client.reply(&client.sent_one(), &required(FORM));
    client.pass(Duration::from_secs(100));
    assert!(client.host.result(token).unwrap().unwrap_err().message().contains("in all"));

    let mut client = legacy(options());
    client.hear(r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#);
    client.pass(Duration::from_secs(600));
    assert!(client.sent_one()["error"]["message"].as_str().unwrap().contains("input_for"));
    assert!(client.host.take().iter().any(|told| matches!(told, Told::Withdrawn(_))));
}

#[test]
fn y09_questions_that_wait_are_bounded() {
    let mut bounded = options();
    bounded.limits.in_flight = 2;
    let client = legacy(bounded.clone());
    for id in 1..=4 {
        client.hear(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"roots/list"}}"#));
    }
    let refused = client.sent();
    assert_eq!(refused.iter().map(|error| error["id"].clone()).collect::<Vec<_>>(), [3, 4]);
    assert!(refused[0]["error"]["message"].as_str().unwrap().contains("in_flight"));
    let asks = client.host.asks();
    assert_eq!(asks.len(), 2);
    client.engine.answer(asks[0].0, r#"{"result":{"roots":[]}}"#, client.now);
    client.sent_one();
    client.hear(r#"{"jsonrpc":"2.0","id":5,"method":"roots/list"}"#);
    assert_eq!(client.host.asks().len(), 1, "there is room again");

    let client = modern(bounded);
    let token = client.start("call_tool", r#"{"name":"t"}"#);
    let asked: Vec<_> = (0..3).map(|key| format!(r#""{key}":{{"method":"roots/list"}}"#)).collect();
    let asked = asked.join(",");
    let result = format!(r#""result":{{"resultType":"input_required","inputRequests":{{{asked}}}}}"#);
    client.reply(&client.sent_one(), &result);
    assert_eq!(client.host.result(token).unwrap().unwrap_err().fact("limit"), Some("in_flight"));
}

#[test]
fn input_can_be_gathered_by_hand_and_elsewhere() {
    let by_hand = call_options(|options| options.by_hand = true);
    let client = modern(options());
    let token = client.start_with("call_tool", r#"{"name":"t","arguments":{"n":1}}"#, by_hand.clone());
    client.reply(&client.sent_one(), &required(FORM));
    let result = client.host.result(token).unwrap().unwrap();
    assert_eq!((&result["resultType"], &result["requestState"]), (&json!("input_required"), &json!("s")));
    assert!(client.host.asks().is_empty());

    // Another process goes on.
    let client = modern(options());
    let params = r#"{"name":"t","arguments":{"n":1},"inputResponses":{"q":{"action":"accept","content":{"c":"red"}}},"requestState":"s"}"#;
    let token = client.start_with("call_tool", params, by_hand.clone());
    let request = client.sent_one();
    assert_eq!(request["params"]["inputResponses"]["q"]["content"]["c"], "red");
    assert_eq!(request["params"]["requestState"], "s");
    client.reply(&request, r#""result":{"content":[]}"#);
    assert!(client.host.result(token).unwrap().is_ok());

    // What no capability was declared for is refused all the same.
    let mut mute = options();
    mute.capabilities = "{}".into();
    let client = modern(mute);
    let token = client.start_with("call_tool", r#"{"name":"t"}"#, by_hand);
    client.reply(&client.sent_one(), &required(FORM));
    assert_eq!(client.host.result(token).unwrap().unwrap_err().fact("capability"), Some("elicit"));
}

#[test]
fn a_round_of_the_engine_replaces_what_the_caller_began_with() {
    let client = modern(options());
    client.start("call_tool", r#"{"name":"t","inputResponses":{"p":{}},"requestState":"old"}"#);
    client.reply(&client.sent_one(), &required(FORM));
    let (number, kind, _) = client.host.asks().remove(0);
    assert_eq!(kind, AskKind::Elicit);
    client.engine.answer(number, r#"{"result":{"action":"cancel"}}"#, client.now);
    let params = client.sent_one()["params"].clone();
    assert_eq!(
        (&params["inputResponses"], &params["requestState"]),
        (&json!({"q": {"action": "cancel"}}), &json!("s"))
    );
}

const MISMATCH: &str = r#""error":{"code":-32020,"message":"Header mismatch"}"#;
const TOOLS: &str = r#""result":{"tools":[{"name":"t","inputSchema":{"type":"object","properties":{"where":{"type":"string","x-mcp-header":"Region"}}}}]}"#;
const CALL: &str = r#"{"name":"t","arguments":{"where":"here"}}"#;

#[test]
fn x10_a_missing_header_leads_to_one_listing_and_one_more_try() {
    let client = modern_http(options());
    let tokens = [client.start("call_tool", CALL), client.start("call_tool", CALL)];
    for _ in tokens {
        let (id, request, body) = client.posted();
        assert!(request.headers().get("mcp-param-region").is_none());
        client.respond(id, 400, &body, MISMATCH);
    }
    let (id, _, body) = client.posted();
    assert_eq!(body["method"], "tools/list");
    assert!(client.out.started.lock().unwrap().is_empty(), "one listing for both");
    client.respond(id, 200, &body, TOOLS);
    let (id, request, body) = client.posted();
    assert_eq!(request.headers()["mcp-param-region"], "here");
    client.respond(id, 200, &body, r#""result":{"content":[]}"#);
    assert!(client.host.result(tokens[0]).unwrap().is_ok());
    let (id, _, body) = client.posted();
    client.respond(id, 400, &body, MISMATCH);
    let error = client.host.result(tokens[1]).unwrap().unwrap_err();
    assert_eq!((error.code(), error.fact("status")), (-32020, Some("400")), "not again");
    assert!(client.out.started.lock().unwrap().is_empty() && client.host.take().is_empty());
}

#[test]
fn x10_a_call_whose_tools_cannot_be_listed_fails_as_it_did() {
    let client = modern_http(options());
    let token = client.start("call_tool", CALL);
    let (id, _, body) = client.posted();
    client.respond(id, 400, &body, MISMATCH);
    let (id, _, body) = client.posted();
    client.respond(id, 500, &body, r#""error":{"code":-32603,"message":"no"}"#);
    assert_eq!(client.host.result(token).unwrap().unwrap_err().code(), -32020);

    let client = modern_http(options());
    let token = client.start("call_tool", CALL);
    let (id, _, body) = client.posted();
    client.respond(id, 400, &body, MISMATCH);
    client.engine.cancel(token, "enough");
    let (id, _, body) = client.posted();
    client.respond(id, 200, &body, TOOLS);
    assert!(client.out.started.lock().unwrap().is_empty());
}

#[test]
fn headers_of_a_call_are_its_own_and_never_the_protocols() {
    let client = modern_http(options());
    let own = call_options(|options| {
        for (name, value) in [
            ("authorization", "Bearer mine"),
            ("x-user", "other"),
            ("mcp-method", "tools/list"),
            ("mcp-session-id", "stolen"),
            ("mcp-param-region", "there"),
            ("content-type", "text/plain"),
            ("accept", "text/html"),
            ("content-length", "1"),
        ] {
            options.headers.insert(name, HeaderValue::from_static(value));
        }
    });
    client.start_with("call_tool", CALL, own);
    let (_, request, _) = client.posted();
    let all = request.headers();
    assert_eq!((&all["authorization"], &all["x-user"]), (&"Bearer mine".parse().unwrap(), &"other".parse().unwrap()));
    assert_eq!(
        (all["mcp-method"].to_str().unwrap(), all["content-type"].to_str().unwrap()),
        ("tools/call", "application/json")
    );
    assert_eq!(all["accept"], "application/json, text/event-stream");
    for name in ["mcp-session-id", "mcp-param-region", "content-length"] {
        assert!(all.get(name).is_none(), "{name}");
    }
    client.start("call_tool", CALL);
    let (_, request, _) = client.posted();
    assert!(request.headers().get("authorization").is_none());
    assert_eq!(request.headers()["x-user"], "yes");
}
