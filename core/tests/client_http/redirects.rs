//! Redirects: within the origin only.

use http::StatusCode;
use omniport::error::ErrorKind;
use omniport::io::http_options::HttpOptions;

use super::server::{mcp, serve, status};
use super::session::{open, open_with, options};

fn secret() -> HttpOptions {
    HttpOptions::parse(r#"{"headers":{"Authorization":"Bearer s3cr3t","X-Key":"s3cr3t"}}"#).unwrap()
}

#[tokio::test]
async fn n31_within_the_origin_the_request_arrives_whole() {
    for code in [307, 308] {
        let (port, seen) = serve(None, move |head, message| match head.uri.path() {
            "/mcp" => status(StatusCode::from_u16(code).unwrap(), &[("location", "/mcp/?x=1#y")]),
            "/mcp/" => mcp(head, message),
            path => panic!("asked for {path}"),
        })
        .await;
        let mut session = open(&format!("http://127.0.0.1:{port}/mcp"), &secret()).await.unwrap();
        assert_eq!(session.call("tool").await.unwrap(), "tool");
        let requests = seen.requests.lock().unwrap();
        assert!(requests.iter().all(|head| head.method == "POST" && head.headers["x-key"] == "s3cr3t"));
        assert_eq!(requests[1].uri.query(), Some("x=1"));
        assert_eq!((requests.len(), seen.connections()), (4, 1), "the connection is used on");
    }
}

#[tokio::test]
async fn security_25_nothing_arrives_at_another_origin() {
    let (other, elsewhere) = serve(None, mcp).await;
    for code in [301, 302, 303, 307, 308] {
        for location in [format!("http://127.0.0.1:{other}/mcp?key=q5"), format!("//localhost:{other}/mcp?key=q5")] {
            let (port, _) = serve(None, move |_, _| {
                status(StatusCode::from_u16(code).unwrap(), &[("location", location.as_str())])
            })
            .await;
            let error = open(&format!("http://127.0.0.1:{port}/mcp"), &secret()).await.err().unwrap();
            let text = error.to_string();
            assert!(text.contains("another origin") && text.contains(&format!(":{other}`")), "{text}");
            assert!(!text.contains("q5") && !text.contains("s3cr3t"), "{text}");
            assert_eq!(error.fact("status"), Some(code.to_string().as_str()), "{text}");
        }
    }
    assert_eq!((elsewhere.count(), elsewhere.connections()), (0, 0));
}

#[tokio::test]
async fn security_25_the_same_host_with_https_is_another_origin() {
    let (port, seen) =
        serve(None, |_, _| status(StatusCode::PERMANENT_REDIRECT, &[("location", "https://127.0.0.1/mcp")])).await;
    let error = open(&format!("http://127.0.0.1:{port}/mcp"), &secret()).await.err().unwrap();
    assert!(error.message().contains("it wants https"), "{error}");
    assert_eq!(seen.connections(), 1);
}

#[tokio::test]
async fn a_redirect_that_would_lose_the_body_is_an_error() {
    for code in [301, 302, 303] {
        let (port, _) = serve(None, move |_, _| {
            status(StatusCode::from_u16(code).unwrap(), &[("location", "/login?token=s3cr3t")])
        })
        .await;
        let error = open(&format!("http://127.0.0.1:{port}/mcp"), &secret()).await.err().unwrap();
        let text = error.to_string();
        assert!(text.contains("would lose its body") && !text.contains("s3cr3t"), "{text}");
    }
}

#[tokio::test]
async fn redirects_without_end_have_an_end() {
    let (port, seen) = serve(None, |_, _| status(StatusCode::TEMPORARY_REDIRECT, &[("location", "/mcp")])).await;
    let mut options = options();
    options.limits.redirects = 2;
    let url = format!("http://127.0.0.1:{port}/mcp");
    let error = open_with(&url, &secret(), options).await.err().unwrap();
    assert!(error.message().contains("`redirects`"), "{error}");
    assert!(seen.count() >= 3);
    assert_ne!(error.kind(), ErrorKind::Timeout);
}
