//! Subscriptions that outlive their connection.

use std::time::Duration;

use omniport::engine::client::Change;
use serde_json::{Value, json};

use super::http::{self, SSE};
use super::recorder::{Client, Lines, Requests, Told, over_lines};
use super::scripted::{LEGACY, MODERN, legacy, modern, options};

const LISTEN: &str = r#"{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["r://2"]}}"#;

fn acknowledgement(request: &Value) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{{"notifications":{{}},"_meta":{{"io.modelcontextprotocol/subscriptionId":{}}}}}}}"#,
        request["id"]
    )
}

/// Opens a subscription; gives its token and its request.
fn open(client: &Client<Lines>, word: &str, params: &str) -> (u64, Value) {
    let token = client.start(word, params);
    let request = client.sent_one();
    assert_eq!(request["method"], "subscriptions/listen");
    client.hear(&acknowledgement(&request));
    assert!(client.host.result(token).unwrap().is_ok());
    (token, request)
}

#[test]
fn c11_a_new_process_is_told_what_is_watched() {
    let mut client = modern();
    open(&client, "subscribe", r#"{"uri":"r://1"}"#);
    open(&client, "listen", LISTEN);
    client.die();
    client.come_back(Duration::from_millis(250), MODERN);
    let sent = client.sent();
    let watched: Vec<_> = sent.iter().map(|sent| &sent["params"]["notifications"]["resourceSubscriptions"]).collect();
    assert_eq!(watched, [&json!(["r://1"]), &json!(["r://2"])]);
    for request in &sent {
        client.hear(&acknowledgement(request));
    }
    assert!(matches!(client.host.take()[..], [Told::Change(Change::Missed { token: None })]), "said once");
    // They can be taken back as before.
    let token = client.start("unsubscribe", r#"{"uri":"r://1"}"#);
    assert_eq!(client.sent_one()["params"]["requestId"], sent[0]["id"]);
    assert!(client.host.result(token).unwrap().is_ok());
}

#[test]
fn what_is_watched_survives_a_change_of_era() {
    let mut client = legacy();
    let token = client.start("subscribe", r#"{"uri":"r://1"}"#);
    client.reply(&client.sent_one(), r#""result":{}"#);
    assert!(client.host.result(token).unwrap().is_ok());
    client.die();
    client.come_back(
        Duration::from_millis(250),
        r#""error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}"#,
    );
    client.reply(&client.sent_one(), MODERN);
    let request = client.sent_one();
    assert_eq!(request["params"]["notifications"]["resourceSubscriptions"], json!(["r://1"]));
    client.hear(&acknowledgement(&request));

    // And back.
    client.die();
    client.pass(Duration::from_millis(500));
    client.reply(&client.sent_one(), r#""error":{"code":-32601,"message":"no"}"#);
    client.reply(&client.sent_one(), LEGACY);
    let sent = client.sent();
    assert_eq!((&sent[1]["method"], &sent[1]["params"]["uri"]), (&json!("resources/subscribe"), &json!("r://1")));
    let ended = client.host.take().iter().any(|told| matches!(told, Told::Change(Change::Ended { .. })));
    assert!(!ended, "nothing ended for the host");
    let token = client.start("unsubscribe", r#"{"uri":"r://1"}"#);
    assert_eq!(client.sent_one()["method"], "resources/unsubscribe");
    client.engine.cancel(token, "enough");
}

#[test]
fn a_subscription_that_the_server_ends_is_opened_again() {
    let mut client = modern();
    let (token, mut request) = open(&client, "listen", LISTEN);
    for (wait, gracefully) in [(250, true), (500, false)] {
        match gracefully {
            true => client.reply(&request, r#""result":{"resultType":"complete"}"#),
            false => client.hear(&format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{}}}}}"#,
                request["id"]
            )),
        }
        client.pass(Duration::from_millis(wait - 1));
        assert!(client.sent().is_empty());
        client.pass(Duration::from_millis(1));
        request = client.sent_one();
        assert_eq!(request["params"]["notifications"]["toolsListChanged"], true);
        client.hear(&acknowledgement(&request));
        let told = client.host.take();
        assert!(matches!(told[..], [Told::Change(Change::Missed { token: Some(of) })] if of == token), "{told:?}");
    }
    // The server's own word is final.
    client.reply(&request, r#""error":{"code":-32603,"message":"no more of that"}"#);
    assert!(matches!(client.host.take()[..], [Told::Change(Change::Ended { token: of })] if of == token));
    client.pass(Duration::from_secs(60));
    assert!(client.sent().is_empty());
}

/// The next `subscriptions/listen` is acknowledged on its stream.
fn acknowledge(client: &Client<Requests>) -> u64 {
    let (id, _, body) = client.next();
    client.head(id, 200, SSE, None);
    client.engine.http_chunk(id, format!("data: {}\n\n", acknowledgement(&body)).as_bytes(), client.now);
    id
}

#[test]
fn a_stream_of_changes_that_ends_is_opened_again_until_that_is_hopeless() {
    let mut client = http::modern();
    let token = client.start("listen", LISTEN);
    let mut stream = acknowledge(&client);
    assert!(client.host.result(token).unwrap().is_ok());
    // Each one lasted for long.
    for _ in 0..7 {
        client.pass(Duration::from_secs(30));
        client.engine.http_end(stream, client.now);
        client.pass(Duration::from_millis(250));
        stream = acknowledge(&client);
    }
    client.host.take();
    client.pass(Duration::from_secs(30));
    let gone = || omniport::error::Error::new(omniport::error::ErrorKind::Io, "connection refused").retryable();
    client.engine.http_failed(stream, gone(), client.now);
    for wait in [250, 500, 1000, 2000, 4000] {
        client.pass(Duration::from_millis(wait));
        let (id, ..) = client.next();
        client.engine.http_failed(id, gone(), client.now);
    }
    assert!(matches!(client.host.take()[..], [Told::Change(Change::Ended { token: of })] if of == token));
}

#[test]
fn r09_a_host_that_wants_changes_is_subscribed_once() {
    let mut client = over_lines(options());
    client.engine.watch_changes(client.now);
    client.engine.connect(client.now);
    let probe = client.sent_one();
    client.reply(
        &probe,
        r#""result":{"resultType":"complete","supportedVersions":["2026-07-28"],
            "capabilities":{"tools":{"listChanged":true},"prompts":{},"resources":{"listChanged":false}},"ttlMs":0,"cacheScope":"public"}"#,
    );
    let listen = client.sent_one();
    assert_eq!(listen["method"], "subscriptions/listen");
    assert_eq!(listen["params"]["notifications"], json!({"toolsListChanged": true}));
    client.hear(&format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{{"_meta":{{"io.modelcontextprotocol/subscriptionId":{}}},"notifications":{{"toolsListChanged":true}}}}}}"#,
        listen["id"]
    ));
    client.engine.watch_changes(client.now);
    assert!(client.sent().is_empty(), "one subscription is enough");
    client.hear(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
    client.pass(Duration::from_millis(50));
    let told = client.host.take();
    assert!(told.iter().any(|told| matches!(told, Told::Change(Change::Tools(None)))), "{told:?}");
    assert!(
        !told.iter().any(|told| matches!(told, Told::Result(token, _) if token > &1)),
        "the host asked for nothing: {told:?}"
    );
}
