//! The floor for HTTP in Rust: hyper on one thread, one parse of the body, one formatted answer. No protocol, no checks, no tools:
//! nothing that speaks MCP can be faster on hyper. It
//! answers what clients ask before they call, so that it is the other side of their measures, too. `hyper-floor http PORT`

use std::borrow::Cow;
use std::convert::Infallible;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde::Deserialize;

type Failure = Box<dyn std::error::Error>;

#[derive(Deserialize)]
struct Message<'a> {
    id: Option<u64>,
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow)]
    params: Option<Params<'a>>,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    arguments: Option<Arguments>,
}

#[derive(Deserialize)]
struct Arguments {
    a: i64,
    b: i64,
}

async fn answer(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let body = match request.into_body().collect().await {
        Ok(body) => body.to_bytes(),
        Err(_) => return Ok(status(StatusCode::BAD_REQUEST)),
    };
    let Ok(message) = serde_json::from_slice::<Message<'_>>(&body) else { return Ok(status(StatusCode::BAD_REQUEST)) };
    let Some(id) = message.id else { return Ok(status(StatusCode::ACCEPTED)) };
    let text = match message.params {
        Some(Params { name: Some(name), arguments: Some(Arguments { a, b }) }) if name == "add" => {
            let sum = a + b;
            format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"complete","content":[{{"type":"text","text":"{sum}"}}],"structuredContent":{{"result":{sum}}}}}}}"#
            )
        }
        _ if message.method == "initialize" => format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"floor","version":"0"}}}}}}"#
        ),
        // What a client asks before it calls; a floor for clients speaks the newest revision.
        _ if message.method == "server/discover" => format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{{"tools":{{}}}},"ttlMs":0,"cacheScope":"public","_meta":{{"io.modelcontextprotocol/serverInfo":{{"name":"floor","version":"0"}}}}}}}}"#
        ),
        _ if message.method == "tools/list" => format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"complete","tools":[{{"name":"add","inputSchema":{{"type":"object"}}}}],"ttlMs":0,"cacheScope":"public"}}}}"#
        ),
        _ => return Ok(status(StatusCode::NOT_FOUND)),
    };
    let mut response = Response::new(Full::new(Bytes::from(text)));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(response)
}

fn status(status: StatusCode) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = status;
    response
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let port: u16 = std::env::args().nth(2).ok_or("hyper-floor http PORT")?.parse()?;
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service_fn(answer)));
    }
}
