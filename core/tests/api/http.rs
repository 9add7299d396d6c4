//! Servers over HTTP: the same handlers, with headers and principals.

use std::net::SocketAddr;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use omniport::api::{Context, HttpConfig, NoArguments, Principal, Server};
use serde_json::{Value, json};

fn server() -> Server {
    Server::new("demo")
        .auth(|headers| async move {
            let name = headers.bearer()?.strip_prefix("token-of-")?.to_owned();
            Some(Principal::new(name).with("role", "admin"))
        })
        .tool("who", "", |_: NoArguments, cx: Context| async move {
            let principal = cx.principal();
            let header = cx.headers().get("X-Trace").map(ToOwned::to_owned);
            Ok(json!([principal.as_ref().map(|p| &p.subject), principal.as_ref().map(|p| &p.claims["role"]), header]))
        })
}

async fn post(address: SocketAddr, token: Option<&str>) -> (u16, Value) {
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "who", "_meta": meta}});
    let mut request = http::Request::post(format!("http://{address}/mcp"))
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", "who")
        .header("x-trace", "t1");
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    let client = Client::builder(TokioExecutor::new()).build_http::<Full<Bytes>>();
    let response = client.request(request.body(Full::from(body.to_string())).unwrap()).await.unwrap();
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, serde_json::from_slice(&body).unwrap())
}

#[tokio::test]
async fn a_port_is_served_until_its_handle_says_stop() {
    let app = server().build().unwrap();
    let http = app.bind_http(HttpConfig::new("127.0.0.1:0").threads(1)).unwrap();
    let (status, answer) = post(http.local_addr(), Some("token-of-ada")).await;
    assert_eq!((status, &answer["result"]["structuredContent"]), (200, &json!(["ada", "admin", "t1"])));
    for token in [None, Some("stolen")] {
        assert_eq!(post(http.local_addr(), token).await.0, 401);
    }
    http.shutdown(std::time::Duration::ZERO);
    assert!(http.is_over());
}

#[tokio::test]
async fn serving_ends_with_the_future_that_says_so() {
    let app = server().build().unwrap();
    app.serve_http_until("127.0.0.1:0", async {}).await.unwrap();
}

#[tokio::test]
async fn an_address_that_is_none_is_named() {
    let app = server().build().unwrap();
    for address in ["8000", "localhost:http", ":80"] {
        let fault = app.bind_http(address).err().unwrap();
        assert!(fault.message().contains(address), "{fault}");
    }
    assert!(app.service("0.0.0.0:80").is_err());
    assert!(app.service(HttpConfig::new("0.0.0.0:80").allowed_host("mcp.example.com")).is_ok());
}
