//! Results that are kept: for whom, how long, and until what happens.

use std::time::Duration;

use http::HeaderValue;
use omniport::engine::client::CallOptions;
use serde_json::json;

use super::recorder::{Client, Lines};
use super::talk::{call_options, legacy, modern, modern_http, options};

const READ: &str = r#"{"uri":"r://1"}"#;

fn usual() -> CallOptions {
    CallOptions::default()
}

/// Whether an operation was answered without asking the server.
fn is_kept(client: &Client<Lines>, word: &str, params: &str) -> bool {
    let token = client.start(word, params);
    if let Some(result) = client.host.result(token) {
        assert!(client.sent().is_empty());
        return result.is_ok();
    }
    client.reply(&client.sent_one(), r#""error":{"code":1,"message":"not now"}"#);
    assert!(client.host.result(token).unwrap().is_err());
    false
}

#[test]
fn a_fresh_result_is_not_asked_for_again() {
    let mut client = modern(options());
    let first = client.ask("read_resource", READ, usual(), r#"{"ttlMs":1000,"cacheScope":"private","contents":[1]}"#);
    client.pass(Duration::from_millis(999));
    let token = client.start("read_resource", READ);
    assert_eq!(client.host.result(token).unwrap().unwrap(), first);
    assert!(!is_kept(&client, "read_resource", r#"{"uri":"r://2"}"#));
    client.pass(Duration::from_millis(1));
    assert!(!is_kept(&client, "read_resource", READ));

    client.ask("read_resource", READ, usual(), r#"{"ttlMs":1000,"contents":[1]}"#);
    let fresh = call_options(|options| options.fresh = true);
    let newer = client.ask("read_resource", READ, fresh, r#"{"ttlMs":1000,"contents":[2]}"#);
    let token = client.start("read_resource", READ);
    assert_eq!(client.host.result(token).unwrap().unwrap(), newer);
}

#[test]
fn a_legacy_result_and_a_tool_result_are_not_kept() {
    let client = legacy(options());
    client.ask("read_resource", READ, usual(), r#"{"ttlMs":1000,"contents":[]}"#);
    assert!(!is_kept(&client, "read_resource", READ));
    let client = modern(options());
    client.ask("call_tool", r#"{"name":"t"}"#, usual(), r#"{"ttlMs":1000,"content":[]}"#);
    assert!(!is_kept(&client, "call_tool", r#"{"name":"t"}"#));
}

#[test]
fn a_listing_is_as_fresh_as_its_page_that_goes_stale_first() {
    let mut client = modern(options());
    let token = client.start("list_prompts", "{}");
    let page = |ttl: u32, cursor: &str| format!(r#""result":{{"ttlMs":{ttl},"prompts":[{ttl}]{cursor}}}"#);
    client.reply(&client.sent_one(), &page(1000, r#","nextCursor":"c""#));
    client.pass(Duration::from_millis(600));
    client.reply(&client.sent_one(), &page(700, ""));
    let all = client.host.result(token).unwrap().unwrap();
    assert_eq!(all["prompts"], json!([1000, 700]));
    client.pass(Duration::from_millis(399));
    let token = client.start("list_prompts", "{}");
    assert_eq!(client.host.result(token).unwrap().unwrap(), all);
    client.pass(Duration::from_millis(1));
    assert!(!is_kept(&client, "list_prompts", "{}"));
}

#[test]
fn what_changed_is_asked_for_again() {
    let client = modern(options());
    let keep = || {
        for (word, params) in
            [("list_tools", "{}"), ("list_resources", "{}"), ("list_prompts", "{}"), ("read_resource", READ)]
        {
            let member = word.strip_prefix("list_").unwrap_or("contents");
            client.start_with(word, params, call_options(|options| options.fresh = true));
            client.reply(&client.sent_one(), &format!(r#""result":{{"ttlMs":1000,"{member}":[]}}"#));
        }
        client.host.take();
    };
    for (notification, stale) in [
        ("tools/list_changed", "list_tools"),
        ("resources/list_changed", "list_resources"),
        ("prompts/list_changed", "list_prompts"),
        ("resources/updated", "read_resource"),
    ] {
        keep();
        client.hear(&format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/{notification}","params":{{"uri":"r://1"}}}}"#
        ));
        for (word, params) in
            [("list_tools", "{}"), ("list_resources", "{}"), ("list_prompts", "{}"), ("read_resource", READ)]
        {
            assert_eq!(is_kept(&client, word, params), word != stale, "{word} after {notification}");
        }
    }
    // An answer that was under way may be older than the change.
    let token = client.start_with("read_resource", READ, call_options(|options| options.fresh = true));
    let request = client.sent_one();
    client.hear(r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"r://1"}}"#);
    client.reply(&request, r#""result":{"ttlMs":1000,"contents":[]}"#);
    assert!(client.host.result(token).unwrap().is_ok());
    assert!(!is_kept(&client, "read_resource", READ));
}

#[test]
fn what_input_led_to_is_not_kept() {
    let client = modern(options());
    let token = client.start("read_resource", READ);
    client.reply(&client.sent_one(), r#""result":{"resultType":"input_required","requestState":"s","ttlMs":1000}"#);
    client.reply(&client.sent_one(), r#""result":{"ttlMs":1000,"contents":[]}"#);
    assert!(client.host.result(token).unwrap().is_ok());
    assert!(!is_kept(&client, "read_resource", READ));
}

#[test]
fn security_52_two_tokens_one_client() {
    let client = modern_http(options());
    let with = |token: &'static str| {
        call_options(|options| {
            options.headers.insert("authorization", HeaderValue::from_static(token));
        })
    };
    let asked = |options: CallOptions, scope: &str| {
        let token = client.start_with("read_resource", READ, options);
        if let Some(result) = client.host.result(token) {
            return (false, result.unwrap()["contents"].clone());
        }
        let (id, request, body) = client.posted();
        let who = request.headers()["authorization"].to_str().unwrap().to_owned();
        let result = format!(r#""result":{{"ttlMs":1000,"cacheScope":"{scope}","contents":["{who}"]}}"#);
        client.respond(id, 200, &body, &result);
        (true, client.host.result(token).unwrap().unwrap()["contents"].clone())
    };
    assert_eq!(asked(with("a"), "private"), (true, json!(["a"])));
    assert_eq!(asked(with("b"), "private"), (true, json!(["b"])));
    assert_eq!(asked(with("a"), "private"), (false, json!(["a"])));
    let mut fresh = with("a");
    fresh.fresh = true;
    assert_eq!(asked(fresh, "public"), (true, json!(["a"])));
    assert_eq!(asked(with("c"), "private"), (false, json!(["a"])));
}
