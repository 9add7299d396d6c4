//! Messages that are many, large, or none.

use omniport::engine::client::Operation;
use omniport::error::ErrorKind;
use serde_json::json;

use super::support::{Client, Told, options, python};

const CALL: &str = r#"{"name":"t","arguments":{"a":1}}"#;

#[tokio::test]
async fn c04_whatever_comes_on_stderr_stops_nobody() {
    let mut client = Client::open(python("noisy"), options()).await.unwrap();
    let token = client.call(Operation::CallTool, CALL);
    client.result(token).await.unwrap();
    let first = client.stderr().await;
    assert!(first.ends_with('…') && first.len() < 20_000, "a long line is cut: {} bytes", first.len());
    client.close().await;
}

#[tokio::test]
async fn c09_both_sides_write_at_once() {
    let mut client = Client::open(python("echo"), options()).await.unwrap();
    // Each is four times what a pipe holds.
    let params = json!({"name": "t", "arguments": {"fill": "x".repeat(256 << 10)}}).to_string();
    let tokens: Vec<_> = (0..200).map(|_| client.call(Operation::CallTool, &params)).collect();
    for token in tokens {
        assert_eq!(client.result(token).await.unwrap()["fill"].as_str().map(str::len), Some(256 << 10));
    }
    client.close().await;
}

#[tokio::test]
async fn c09_calls_are_refused_while_too_much_waits_for_the_server() {
    let mut options = options();
    options.limits.queued_bytes = 1 << 20;
    let mut client = Client::open(python("echo"), options).await.unwrap();
    let params = json!({"name": "t", "arguments": {"fill": "x".repeat(4 << 20)}}).to_string();
    // Nothing is written between the two: the test and the writer share a thread.
    let (first, second) = (client.call(Operation::CallTool, &params), client.call(Operation::CallTool, &params));
    let error = client.result(second).await.unwrap_err();
    assert_eq!((error.kind(), error.fact("limit"), error.can_retry()), (ErrorKind::Limit, Some("queued_bytes"), true));
    client.result(first).await.unwrap();
    let third = client.call(Operation::CallTool, CALL);
    client.result(third).await.unwrap();
    client.close().await;
}

#[tokio::test]
async fn w20_a_long_line_arrives_and_one_that_is_too_long_fails_its_call() {
    let mut client = Client::open(python("pieces"), options()).await.unwrap();
    let token = client.call(Operation::CallTool, CALL);
    assert_eq!(client.result(token).await.unwrap()["text"].as_str().map(str::len), Some(16 << 20));
    client.close().await;

    let mut client = Client::open(python("giant"), options()).await.unwrap();
    let token = client.call(Operation::CallTool, CALL);
    let error = client.result(token).await.unwrap_err();
    assert_eq!((error.kind(), error.fact("limit")), (ErrorKind::Limit, Some("message_bytes")));
    client.close().await;
}

#[tokio::test]
async fn w22_what_is_no_message_is_skipped() {
    let mut client = Client::open(python("noise"), options()).await.unwrap();
    let token = client.call(Operation::CallTool, CALL);
    assert_eq!(client.result(token).await.unwrap(), json!({"a": 1}));
    client.told(|told| matches!(told, Told::Report(text) if text.contains("no message"))).await;
    client.close().await;
}

#[tokio::test]
async fn y09_a_flood_of_notifications_holds_no_answer_back() {
    let mut client = Client::open(python("flood"), options()).await.unwrap();
    let token = client.call(Operation::CallTool, CALL);
    client.result(token).await.unwrap();
    client.close().await;
}

#[tokio::test]
async fn c11_w23_a_server_that_dies_in_a_call_says_how() {
    let mut options = options();
    options.recover = false;
    let mut client = Client::open(python("suicide"), options).await.unwrap();
    let token = client.call(Operation::CallTool, CALL);
    let error = client.result(token).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.fact("signal"), error.fact("stderr")),
        (ErrorKind::Closed, Some("9"), Some("going"))
    );
    let Told::Closed(error) = client.told(|told| matches!(told, Told::Closed(_))).await else { unreachable!() };
    assert_eq!(error.fact("signal"), Some("9"));
    client.close().await;
}
