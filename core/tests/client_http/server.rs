//! An HTTP server of the test: says what it was asked, and answers as the test wants.

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::request::Parts;
use http::{Request, Response, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener};
use tokio_rustls::TlsAcceptor;

pub type Body = UnsyncBoxBody<Bytes, Infallible>;
type Answer = Arc<dyn Fn(&Parts, &Value) -> Response<Body> + Send + Sync>;

/// What a server saw.
#[derive(Default)]
pub struct Seen {
    pub requests: Mutex<Vec<Parts>>,
    pub connections: AtomicUsize,
}

impl Seen {
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    pub fn count(&self) -> usize {
        self.requests.lock().unwrap().len()
    }

    /// The values of that header, one for each request.
    pub fn header(&self, name: &str) -> Vec<Option<String>> {
        let requests = self.requests.lock().unwrap();
        let value = |head: &Parts| head.headers.get(name).map(|value| value.to_str().unwrap().to_owned());
        requests.iter().map(value).collect()
    }
}

/// A server on a port of its own: its port, and what it saw.
pub async fn serve(
    tls: Option<TlsAcceptor>,
    answer: impl Fn(&Parts, &Value) -> Response<Body> + Send + Sync + 'static,
) -> (u16, Arc<Seen>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (seen, answer) = (Arc::<Seen>::default(), Arc::new(answer) as Answer);
    let log = Arc::clone(&seen);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (tls, log, answer) = (tls.clone(), Arc::clone(&log), Arc::clone(&answer));
            tokio::spawn(async move {
                match tls {
                    None => connection(stream, log, answer).await,
                    Some(tls) => {
                        if let Ok(stream) = tls.accept(stream).await {
                            connection(stream, log, answer).await;
                        }
                    }
                }
            });
        }
    });
    (port, seen)
}

/// A server on a Unix socket.
pub fn serve_socket(path: &std::path::Path) -> Arc<Seen> {
    let listener = UnixListener::bind(path).unwrap();
    let seen = Arc::<Seen>::default();
    let log = Arc::clone(&seen);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(connection(stream, Arc::clone(&log), Arc::new(mcp)));
        }
    });
    seen
}

async fn connection(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, seen: Arc<Seen>, answer: Answer) {
    seen.connections.fetch_add(1, Ordering::SeqCst);
    let service = service_fn(move |request: Request<Incoming>| {
        let (seen, answer) = (Arc::clone(&seen), Arc::clone(&answer));
        async move {
            let (head, body) = request.into_parts();
            let body = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
            let message = serde_json::from_slice(&body).unwrap_or(Value::Null);
            let response = answer(&head, &message);
            seen.requests.lock().unwrap().push(head);
            Ok::<_, Infallible>(response)
        }
    });
    // How the connection ends is the client's affair.
    let _ = auto::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await;
}

/// A modern server with tools that answer with their name.
pub fn mcp(_: &Parts, message: &Value) -> Response<Body> {
    json(&text_of(message))
}

/// The answer of [`mcp`] as JSON text.
pub fn text_of(message: &Value) -> String {
    let id = &message["id"];
    let result = match message["method"].as_str() {
        Some("server/discover") => r#""supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}"#.to_owned(),
        _ => format!(r#""content":[{{"type":"text","text":{}}}]"#, message["params"]["name"]),
    };
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"complete",{result}}}}}"#)
}

pub fn full(body: impl Into<Bytes>) -> Body {
    Full::new(body.into()).boxed_unsync()
}

pub fn json(text: &str) -> Response<Body> {
    with_type("application/json", full(text.to_owned()))
}

pub fn with_type(kind: &str, body: Body) -> Response<Body> {
    Response::builder().header("content-type", kind).body(body).unwrap()
}

pub fn status(status: StatusCode, headers: &[(&str, &str)]) -> Response<Body> {
    let mut builder = Response::builder().status(status);
    for (name, value) in headers {
        builder = builder.header(*name, *value);
    }
    builder.body(full("")).unwrap()
}

pub fn is_discover(message: &Value) -> bool {
    message["method"] == "server/discover"
}
