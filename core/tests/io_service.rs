//! The server under a foreign roof.
#![allow(clippy::unwrap_used, reason = "a helper of tests fails the test")]
#![cfg(feature = "io")]

mod io_support;

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use io_support::{QUICK, SLOW, Server, call};
use omniport::engine::http::HttpOptions;
use omniport::io::service::McpService;
use omniport::protocol::http::origin::{OriginPolicy, OriginSettings};
use tower_service::Service;

fn service(server: &Server) -> McpService {
    let policy = OriginPolicy::new([127, 0, 0, 1].into(), &OriginSettings::default()).unwrap();
    McpService::new(&server.engine, HttpOptions::new(policy))
}

fn request(tool: &str) -> http::Request<Full<Bytes>> {
    http::Request::post("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", tool)
        .body(call(1, tool).into())
        .unwrap()
}

fn run<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

#[test]
fn h12_a_call_is_answered_through_tower() {
    let server = Server::new(|_| {});
    let mut service = service(&server).mounted_at("/api");
    let body = run(async {
        let response = service.call(request(QUICK)).await.unwrap();
        assert_eq!(response.status(), 200);
        response.into_body().collect().await.unwrap().to_bytes()
    });
    assert!(std::str::from_utf8(&body).unwrap().contains("done"));
}

#[test]
fn n28_a_dropped_future_takes_its_call_back() {
    let server = Server::new(|_| {});
    let mut answer = Box::pin(service(&server).call(request(SLOW)));
    run(std::future::poll_fn(|context| {
        assert!(answer.as_mut().poll(context).is_pending());
        std::task::Poll::Ready(())
    }));
    let _running = server.started.recv().unwrap();
    drop(answer);
    assert_eq!(server.cancelled.recv().unwrap(), "the client went away");
}
