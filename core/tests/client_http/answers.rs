//! Servers whose answers are odd, or no answers.

use std::sync::atomic::{AtomicBool, Ordering};

use http::{Response, StatusCode};
use omniport::error::{Error, ErrorKind};
use omniport::io::http_options::HttpOptions;

use super::server::{Body, Seen, full, is_discover, mcp, serve, text_of, with_type};
use super::session::open;

/// What a call comes to whose HTTP answer has that status, type and body; `ID` stands for the answer in JSON.
async fn call(status: u16, kind: &'static str, body: &'static str) -> (Result<String, Error>, usize) {
    let (port, seen) = serve(None, move |head, message| match is_discover(message) {
        true => mcp(head, message),
        false => {
            let body = body.replace("ANSWER", &text_of(message)).replace("ID", &message["id"].to_string());
            let builder = Response::builder().status(status).header("retry-after", "7");
            let builder = if kind.is_empty() { builder } else { builder.header("content-type", kind) };
            builder.body(full(body)).unwrap()
        }
    })
    .await;
    let mut session = open(&format!("http://127.0.0.1:{port}/mcp"), &HttpOptions::default()).await.unwrap();
    let result = session.call("tool").await;
    (result, Seen::count(&seen))
}

#[tokio::test]
async fn n58_e01_media_types_may_have_parameters_and_lines_any_end() {
    for (kind, body) in [
        ("application/json; charset=utf-8", "ANSWER"),
        ("APPLICATION/JSON", "\u{feff}ANSWER\n"),
        ("text/event-stream;charset=utf-8", "data: ANSWER\n\n"),
        ("Text/Event-Stream", "event: message\r\ndata: ANSWER\r\n\r\n"),
        ("text/event-stream", ": hello\r\rdata:ANSWER\r\r"),
    ] {
        assert_eq!(call(200, kind, body).await.0.unwrap(), "tool", "{kind}");
    }
}

#[tokio::test]
async fn h14_what_is_no_answer_fails_at_once_and_is_quoted() {
    for (status, kind, body, words) in [
        (200, "text/plain; note=application/json", "ANSWER", "neither JSON"),
        (200, "text/html", "<html>please log in</html>", "please log in"),
        (200, "application/json", "", "holds no answer"),
        (200, "", "", "without a body"),
        (202, "", "", "202 Accepted without a body"),
        (204, "", "", "204 No Content without a body"),
        (401, "", "", "401 Unauthorized"),
        (404, "application/json", r#"{"error":"not_found"}"#, "not_found"),
        (429, "text/html", "slow down", "slow down"),
        (500, "text/html", "<html>boom</html>", "boom"),
        (502, "text/html", "<html>upstream</html>", "upstream"),
        (200, "text/event-stream", ": nothing\n\n", "ended before the answer"),
    ] {
        let error = call(status, kind, body).await.0.unwrap_err();
        assert!(error.message().contains(words), "{status} {kind}: {error}");
        assert_ne!(error.kind(), ErrorKind::Timeout, "{error}");
        let expected = (status != 200).then(|| status.to_string());
        assert!(expected.is_none() || error.fact("status") == expected.as_deref(), "{error}");
        assert!(status != 429 || (error.can_retry() && error.fact("retry_after") == Some("7")), "{error}");
    }
}

#[tokio::test]
async fn n40_the_error_of_the_server_is_told_whatever_the_status() {
    let body = r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"no such tool"}}"#;
    for status in [200, 400, 404, 500] {
        let error = call(status, "application/json", body).await.0.unwrap_err();
        assert_eq!((error.kind(), error.code(), error.message()), (ErrorKind::Remote, -32602, "no such tool"));
    }
}

#[tokio::test]
async fn n10_an_error_on_a_stream_with_ids_ends_the_call() {
    let body =
        "id: 1\ndata:\n\nid: 2\ndata: {\"jsonrpc\":\"2.0\",\"id\":ID,\"error\":{\"code\":-1,\"message\":\"no\"}}\n\n";
    let (result, requests) = call(200, "text/event-stream", body).await;
    assert_eq!(result.unwrap_err().code(), -1);
    assert_eq!(requests, 2, "nothing is resumed");
}

#[tokio::test]
async fn n08_a_refused_probe_says_nothing_about_the_era() {
    for code in [401, 403] {
        let (port, seen) = serve(None, move |_, _| {
            let mut response: Response<Body> = with_type("text/plain", full("who are you?"));
            *response.status_mut() = StatusCode::from_u16(code).unwrap();
            response
        })
        .await;
        let error = open(&format!("http://127.0.0.1:{port}/mcp"), &HttpOptions::default()).await.err().unwrap();
        assert_eq!(error.fact("status"), Some(code.to_string().as_str()), "{error}");
        assert_eq!(seen.count(), 1, "no handshake is tried");
    }
}

#[tokio::test]
async fn y14_h03_an_empty_answer_to_initialized_is_as_good_as_any() {
    let confirmed = std::sync::Arc::new(AtomicBool::new(false));
    let seen = std::sync::Arc::clone(&confirmed);
    let (port, _) = serve(None, move |head, message| match message["method"].as_str() {
        Some("server/discover") => super::server::status(StatusCode::BAD_REQUEST, &[]),
        Some("initialize") => super::server::json(&format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{{"protocolVersion":"2025-06-18","capabilities":{{"experimental":{{"x":{{}}}},"extensions":{{}}}},"serverInfo":{{"name":"s","version":"1"}}}}}}"#,
            message["id"]
        )),
        Some("notifications/initialized") => {
            seen.store(true, Ordering::SeqCst);
            with_type("application/json", full(""))
        }
        Some(_) => mcp(head, message),
        None => with_type("text/html", full("<html>no stream here</html>")),
    })
    .await;
    let mut session = open(&format!("http://127.0.0.1:{port}/mcp"), &HttpOptions::default()).await.unwrap();
    assert!(confirmed.load(Ordering::SeqCst));
    assert_eq!(session.call("tool").await.unwrap(), "tool");
}
