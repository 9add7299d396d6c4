//! Servers that say nothing for a long time.

use std::time::Duration;

use omniport::engine::client::{CallOptions, ClientState};

use super::http::{self, JSON};
use super::recorder::{Client, Told};
use super::scripted::{legacy, modern, modern_with, options};

const S: Duration = Duration::from_secs(1);

fn patient<S>(client: &Client<S>) -> u64 {
    let mut options = CallOptions::default();
    options.timeout = Some(Duration::from_secs(600));
    client.start_with("call_tool", r#"{"name":"slow"}"#, options)
}

#[test]
fn x06_a_silent_server_is_asked_and_then_replaced() {
    for (mut client, question) in [(legacy(), "ping"), (modern(), "server/discover")] {
        client.host.states();
        let token = patient(&client);
        client.sent();
        client.pass(29 * S);
        assert!(client.sent().is_empty());
        client.pass(S);
        assert_eq!(client.sent_one()["method"], question);
        client.pass(15 * S);
        assert_eq!(client.sent_one()["method"], question);
        assert!(client.host.result(token).is_none());
        client.pass(15 * S);
        let error = client.host.result(token).unwrap().unwrap_err();
        assert!(error.message().contains("no sign of life"), "{error}");
        assert!(matches!(&client.host.states()[..], [ClientState::Recovering { .. }]));
        client.pass(Duration::from_millis(250));
        assert_eq!(*client.out.restarts.lock().unwrap(), 1);
    }
}

#[test]
fn y24_a_slow_tool_is_not_a_dead_server() {
    let mut client = legacy();
    let token = patient(&client);
    let request = client.sent_one();
    for answer in [r#""result":{}"#, r#""error":{"code":-32601,"message":"no ping here"}"#] {
        client.pass(30 * S);
        client.reply(&client.sent_one(), answer);
        client.pass(15 * S);
        assert!(client.sent().is_empty());
        client.pass(15 * S);
        // One question may stay without an answer, if the next one has one.
        client.sent_one();
        client.pass(15 * S);
        client.reply(&client.sent_one(), answer);
        client.pass(15 * S);
    }
    client.reply(&request, r#""result":{"content":[]}"#);
    assert!(client.host.result(token).unwrap().is_ok());
    // Nobody waits any more.
    client.sent();
    for _ in 0..4 {
        client.pass(30 * S);
    }
    assert!(client.sent().is_empty() && client.engine.tick(client.now).is_none());
}

#[test]
fn y24_a_call_that_is_late_ends_alone() {
    let mut client = modern();
    client.host.states();
    let token = client.start("call_tool", r#"{"name":"slow"}"#);
    client.sent();
    client.pass(30 * S);
    client.reply(&client.sent_one(), r#""result":{}"#);
    client.pass(30 * S);
    assert!(client.host.result(token).unwrap().is_err());
    assert!(client.host.states().is_empty(), "the connection is there");
}

#[test]
fn whatever_is_heard_is_a_sign_of_life() {
    let mut client = legacy();
    patient(&client);
    client.sent();
    for _ in 0..10 {
        client.pass(20 * S);
        client.hear(r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#);
    }
    assert!(client.sent().is_empty());
}

#[test]
fn it_can_be_turned_off() {
    let mut options = options();
    options.limits.ping_every = Duration::ZERO;
    let mut client = modern_with(options);
    patient(&client);
    client.sent();
    client.pass(500 * S);
    assert!(client.sent().is_empty());
}

#[test]
fn over_http_only_legacy_servers_are_asked() {
    let mut client = http::modern();
    patient(&client);
    client.next();
    client.pass(100 * S);
    assert!(client.out.started.lock().unwrap().is_empty());

    let mut client = http::client(http::LEGACY);
    client.open_session((202, "", ""));
    let (general, ..) = client.next();
    client.answer(general, 405, "", "");
    let token = patient(&client);
    client.next();
    client.pass(30 * S);
    let (id, _, body) = client.next();
    assert_eq!(body["method"], "ping");
    client.answer(id, 200, JSON, &format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{}}}}"#, body["id"]));
    client.pass(15 * S);
    assert!(client.host.result(token).is_none());
    client.pass(15 * S);
    client.next();
    client.pass(15 * S);
    client.next();
    client.pass(15 * S);
    assert!(client.host.result(token).unwrap().is_err());
    client.pass(Duration::from_millis(250));
    client.handshake("S2");
    assert!(client.host.take().iter().any(|told| matches!(told, Told::Change(_))));
}
