//! Bodies: compressed, endless, and read by nobody.

use std::convert::Infallible;
use std::io::Write;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::{HeaderValue, Response, StatusCode};
use http_body_util::BodyExt;
use hyper::body::Frame;
use omniport::engine::client::EraChoice;
use omniport::error::ErrorKind;
use omniport::io::http_options::HttpOptions;
use omniport::model::Version;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::server::{Body, full, is_discover, json as json_answer, mcp, serve, text_of, with_type};
use super::session::{Told, open, open_with, options};

/// A body of parts that come when the test sends them.
struct Parts(UnboundedReceiver<Bytes>);

impl hyper::body::Body for Parts {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(cx).map(|part| part.map(|part| Ok(Frame::data(part))))
    }
}

/// A body without end; tells when nobody reads it any more.
struct Endless {
    part: Bytes,
    sent: Arc<AtomicU64>,
    dropped: Arc<Notify>,
}

impl hyper::body::Body for Endless {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.sent.fetch_add(self.part.len() as u64, Ordering::SeqCst);
        Poll::Ready(Some(Ok(Frame::data(self.part.clone()))))
    }
}

impl Drop for Endless {
    fn drop(&mut self) {
        self.dropped.notify_one();
    }
}

/// Makes endless bodies of one part.
#[derive(Clone, Default)]
struct Source {
    sent: Arc<AtomicU64>,
    dropped: Arc<Notify>,
}

impl Source {
    fn body(&self, part: &Bytes) -> Body {
        let body = Endless { part: part.clone(), sent: Arc::clone(&self.sent), dropped: Arc::clone(&self.dropped) };
        body.boxed_unsync()
    }
}

fn gzip(text: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap().into()
}

fn compressed(mut response: Response<Body>) -> Response<Body> {
    response.headers_mut().insert("content-encoding", HeaderValue::from_static("gzip"));
    response
}

#[tokio::test]
async fn y27_compressed_answers_are_read() {
    let (port, seen) =
        serve(None, |_, message| compressed(with_type("application/json", full(gzip(text_of(message).as_bytes())))))
            .await;
    let mut session = open(&format!("http://127.0.0.1:{port}/mcp"), &HttpOptions::default()).await.unwrap();
    assert_eq!(session.call("tool").await.unwrap(), "tool");
    assert!(seen.header("accept-encoding").iter().all(|value| value.as_deref() == Some("gzip")));
}

#[tokio::test]
async fn y27_a_compressed_event_is_there_at_once() {
    let (sender, receiver) = unbounded_channel();
    let receiver = Mutex::new(Some(receiver));
    let call = Arc::<Mutex<Value>>::default();
    let asked = Arc::clone(&call);
    let (port, _) = serve(None, move |head, message| {
        if is_discover(message) {
            return mcp(head, message);
        }
        asked.lock().unwrap().clone_from(message);
        let parts = Parts(receiver.lock().unwrap().take().unwrap());
        compressed(with_type("text/event-stream", parts.boxed_unsync()))
    })
    .await;
    let mut session = open(&format!("http://127.0.0.1:{port}/mcp"), &HttpOptions::default()).await.unwrap();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let mut say = |message: &str| {
        write!(encoder, "data: {message}\n\n").unwrap();
        encoder.flush().unwrap();
        sender.send(std::mem::take(encoder.get_mut()).into()).unwrap();
    };
    let token = session.start("tool");
    // The request is there when its head is asked for; its progress token is that of the body.
    say(": wait");
    let message = loop {
        let message = call.lock().unwrap().clone();
        if !message.is_null() {
            break message;
        }
        tokio::task::yield_now().await;
    };
    let progress = &message["params"]["_meta"]["progressToken"];
    say(&json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": progress, "progress": 1}}).to_string());
    assert!(matches!(session.told.recv().await, Some(Told::Progress)), "before the answer is even made");
    say(&text_of(&message));
    assert!(session.result(token).await.is_ok());
}

#[tokio::test]
async fn security_18_a_compressed_answer_ends_at_the_limit() {
    let source = Source::default();
    let bodies = source.clone();
    // Each part is a whole gzip member of 16 MB of blanks.
    let part = gzip(&vec![b' '; 16 << 20]);
    let (port, _) = serve(None, move |head, message| match is_discover(message) {
        true => mcp(head, message),
        false => compressed(with_type("application/json", bodies.body(&part))),
    })
    .await;
    let mut options = options();
    options.limits.message_bytes = 1 << 20;
    let url = format!("http://127.0.0.1:{port}/mcp");
    let mut session = open_with(&url, &HttpOptions::default(), options).await.unwrap();
    let error = session.call("tool").await.unwrap_err();
    assert_eq!((error.kind(), error.fact("limit")), (ErrorKind::Limit, Some("message_bytes")));
    source.dropped.notified().await;
}

#[tokio::test]
async fn security_13_n35_endless_answers_end_at_the_limit() {
    for (kind, part) in [
        ("application/json", "[[[["),
        ("text/event-stream", "data: endless "),
        ("text/event-stream", "data: many lines\n"),
        ("text/event-stream", ": a comment line without end "),
        ("text/event-stream", "id: 7"),
    ] {
        let source = Source::default();
        let bodies = source.clone();
        let part: Bytes = part.repeat(1000).into();
        let (port, _) = serve(None, move |head, message| match is_discover(message) {
            true => mcp(head, message),
            false => with_type(kind, bodies.body(&part)),
        })
        .await;
        let mut options = options();
        options.limits.message_bytes = 1 << 20;
        let url = format!("http://127.0.0.1:{port}/mcp");
        let mut session = open_with(&url, &HttpOptions::default(), options).await.unwrap();
        let error = session.call("tool").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit, "{kind}: {error}");
        source.dropped.notified().await;
    }
}

#[tokio::test]
async fn security_18_what_nobody_reads_is_not_read() {
    let source = Source::default();
    let bodies = source.clone();
    let part: Bytes = vec![b'x'; 16 << 10].into();
    let confirmed = Arc::new(AtomicBool::new(false));
    let (port, _) = serve(None, move |head, message| match message["method"].as_str() {
        Some("initialize") => json_answer(&format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{{"protocolVersion":"2025-06-18","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"s","version":"1"}}}}}}"#,
            message["id"]
        )),
        Some("notifications/initialized") if !confirmed.swap(true, Ordering::SeqCst) => {
            with_type("text/plain", bodies.body(&part))
        }
        Some("tools/call") if message["params"]["name"] == "broken" => {
            let mut response = with_type("text/html", bodies.body(&part));
            *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
            response
        }
        Some(_) => mcp(head, message),
        // The general stream.
        None => super::server::status(StatusCode::METHOD_NOT_ALLOWED, &[]),
    })
    .await;
    let mut options = options();
    options.era = EraChoice::Legacy(Version::V2025_06_18);
    let url = format!("http://127.0.0.1:{port}/mcp");
    let mut session = open_with(&url, &HttpOptions::default(), options).await.unwrap();
    source.dropped.notified().await;
    let error = session.call("broken").await.unwrap_err();
    assert_eq!(error.fact("status"), Some("500"), "{error}");
    source.dropped.notified().await;
    assert!(source.sent.load(Ordering::SeqCst) < 64 << 20, "it was read on");
    assert_eq!(session.call("tool").await.unwrap(), "tool");
}

#[tokio::test]
async fn an_unknown_compression_is_an_error_at_once() {
    let (port, _) = serve(None, |head, message| {
        let mut response = mcp(head, message);
        response.headers_mut().insert("content-encoding", HeaderValue::from_static("br"));
        response
    })
    .await;
    let error = open(&format!("http://127.0.0.1:{port}/mcp"), &HttpOptions::default()).await.err().unwrap();
    assert!(error.message().contains("`br`"), "{error}");
}
