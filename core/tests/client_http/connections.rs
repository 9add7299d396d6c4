//! Connections: opened, kept, lost.

use std::time::Duration;

use http::HeaderValue;
use omniport::error::ErrorKind;
use omniport::io::http_options::HttpOptions;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::server::{mcp, serve, serve_socket};
use super::session::{open, open_with, options};

#[tokio::test]
async fn n11_one_connection_carries_all_calls() {
    let (port, seen) = serve(None, mcp).await;
    let mut session = open(&format!("http://127.0.0.1:{port}/mcp"), &HttpOptions::default()).await.unwrap();
    for _ in 0..50 {
        assert_eq!(session.call("tool").await.unwrap(), "tool");
    }
    assert_eq!((seen.connections(), seen.count()), (1, 51));
    let agents = seen.header("user-agent");
    assert!(agents.iter().flatten().all(|agent| agent.starts_with("omniport/")) && agents.len() == 51);
    session.connection.close().await;
}

#[tokio::test]
async fn y20_cookies_come_back_unless_they_are_not_wanted() {
    let balancer = |head: &http::request::Parts, message: &serde_json::Value| {
        let mut response = mcp(head, message);
        response.headers_mut().insert("set-cookie", HeaderValue::from_static("LB=1; Path=/; HttpOnly"));
        response
    };
    for (text, cookie) in [("{}", Some("LB=1".to_owned())), (r#"{"cookies":false}"#, None)] {
        let (port, seen) = serve(None, balancer).await;
        let http = HttpOptions::parse(text).unwrap();
        let mut session = open(&format!("http://127.0.0.1:{port}/mcp"), &http).await.unwrap();
        session.call("tool").await.unwrap();
        assert_eq!(seen.header("cookie"), [None, cookie]);
    }
}

#[tokio::test]
async fn a_server_behind_a_unix_socket_is_reached() {
    let folder = std::env::temp_dir().join(format!("omniport-http-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("socket");
    let seen = serve_socket(&path);
    let text = format!(r#"{{"socket":{path:?},"proxy":"http://127.0.0.1:1"}}"#);
    let mut session = open("http://localhost/mcp", &HttpOptions::parse(&text).unwrap()).await.unwrap();
    assert_eq!(session.call("tool").await.unwrap(), "tool");
    assert_eq!(seen.header("host")[0].as_deref(), Some("localhost"));
    std::fs::remove_dir_all(&folder).unwrap();
    let error = open("http://localhost/mcp", &HttpOptions::parse(&text).unwrap()).await.err().unwrap();
    assert!(error.message().contains("No such file"), "{error}");
}

#[tokio::test]
async fn y28_errors_say_what_happened_and_no_secret() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    for (url, word) in [
        (format!("http://127.0.0.1:{port}/mcp?key=s3cr3t"), "refused"),
        ("http://no-such-host.invalid/mcp?key=s3cr3t".to_owned(), "dns"),
    ] {
        let error = open(&url, &HttpOptions::default()).await.err().unwrap();
        assert!(error.message().contains(word) && !error.to_string().contains("s3cr3t"), "{error}");
        let shown = url.split('?').next();
        assert_eq!(
            (error.kind(), error.fact("sent"), error.fact("url")),
            (ErrorKind::Io, Some("no"), shown),
            "{error}"
        );
    }
    let wrong = HttpOptions::parse(r#"{"ca_file":"/nonexistent/ca.pem"}"#).unwrap();
    let error = open("https://127.0.0.1:1/mcp", &wrong).await.err().unwrap();
    assert!(error.message().contains("/nonexistent/ca.pem"), "{error}");
    for url in ["http://bücher.invalid:99999/mcp?key=s3cr3t", "ftp://127.0.0.1/", "mcp"] {
        let error = open(url, &HttpOptions::default()).await.err().unwrap();
        assert_eq!(error.kind(), ErrorKind::InvalidParams, "{error}");
        assert!(!error.to_string().contains("s3cr3t"), "{error}");
    }
    let error = open("http://user:s3cr3t@127.0.0.1:1/mcp", &HttpOptions::default()).await.err().unwrap();
    assert_eq!(error.kind(), ErrorKind::InvalidParams);
    assert!(!error.to_string().contains("s3cr3t"), "{error}");
}

/// Accepts one connection, reads a request and writes `answer` of it.
async fn cut(answer: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = Vec::new();
        while !request.ends_with(b"}") {
            stream.read_buf(&mut request).await.unwrap();
        }
        stream.write_all(answer).await.unwrap();
    });
    url
}

#[tokio::test]
async fn a_server_that_hangs_up_was_sent_the_request() {
    for (answer, word) in [
        (&b""[..], "did not answer"),
        (b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{", "broke off"),
        (b"SSH-2.0-OpenSSH_9.6\r\n", "did not answer"),
    ] {
        let error = open(&cut(answer).await, &HttpOptions::default()).await.err().unwrap();
        assert!(error.message().contains(word), "{error}");
        assert_eq!(error.fact("sent"), Some("yes"), "{error}");
    }
}

#[tokio::test]
async fn a_connection_must_be_there_in_time() {
    // Takes connections and says nothing.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut options = options();
    options.limits.dial_for = Duration::from_millis(50);
    let error =
        open_with(&format!("https://127.0.0.1:{port}/mcp"), &HttpOptions::default(), options).await.err().unwrap();
    assert_eq!((error.fact("limit"), error.fact("sent")), (Some("dial_for"), Some("no")), "{error}");
}
