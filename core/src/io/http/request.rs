//! One request on its way: its head is judged, its body is read within the limit, the engine answers.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes};
use http::request::Parts;
use http::{HeaderValue, Request, Response, StatusCode, header};
use tokio::time::Sleep;

use super::super::clock;
use super::Body;
use super::reply::{Awaited, Slot};
use crate::engine::Engine;
use crate::engine::http::HttpOptions;
use crate::error::{Error, ErrorKind};
use crate::protocol::sink::Message;
use crate::wire::write;

/// What all requests of a server share.
#[derive(Clone)]
pub(in super::super) struct Setup {
    pub engine: Arc<Engine>,
    pub options: Arc<HttpOptions>,
    /// How long a client may pause within a body; needs a Tokio runtime.
    pub pause: Option<Duration>,
}

/// The answer to one request, as a future. Dropping it takes the request back.
pub struct Answer<B> {
    setup: Setup,
    state: State<B>,
}

enum State<B> {
    Judged(Response<Body>),
    Reading(Upload<B>),
    Waiting(Awaited),
    Over,
}

/// A body that is being read.
struct Upload<B> {
    parts: Parts,
    body: B,
    read: Read,
    pause: Option<Pin<Box<Sleep>>>,
}

/// What was read. Most bodies come in one piece, which is used as it is.
enum Read {
    Nothing,
    Piece(Bytes),
    Pieces(Vec<u8>),
}

/// Why a body was not read.
enum Unread {
    TooLarge,
    Paused,
    Broken(String),
}

impl<B: hyper::body::Body> Answer<B> {
    /// Looks at the head; one that is refused has its body not read.
    pub(in super::super) fn new(setup: Setup, request: Request<B>) -> Self {
        let (parts, body) = request.into_parts();
        let state = match setup.engine.check_http(&setup.options, &parts) {
            Some(response) => State::Judged(response.map(Body::from)),
            None => State::Reading(Upload { parts, body, read: Read::Nothing, pause: None }),
        };
        Self { setup, state }
    }
}

impl<B> Future for Answer<B>
where
    B: hyper::body::Body + Unpin,
    B::Error: std::fmt::Display,
{
    type Output = Result<Response<Body>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { setup, state } = &mut *self;
        if let State::Reading(upload) = state {
            let limit = setup.engine.limits().message_bytes;
            let read = ready!(upload.poll(context, limit, setup.pause));
            let State::Reading(upload) = std::mem::replace(state, State::Over) else { return Poll::Pending };
            *state = match read {
                Ok(body) => setup.hand_over(upload.parts, body),
                Err(unread) => State::Judged(setup.unread(unread)),
            };
        }
        if let State::Waiting(awaited) = state {
            ready!(awaited.poll_head(context));
        }
        match std::mem::replace(state, State::Over) {
            State::Judged(response) => Poll::Ready(Ok(response)),
            State::Waiting(awaited) => match awaited.take() {
                Ok(response) => Poll::Ready(Ok(response)),
                Err(awaited) => {
                    *state = State::Waiting(awaited);
                    Poll::Pending
                }
            },
            // A future that is polled after its end stays silent.
            _ => Poll::Pending,
        }
    }
}

impl Setup {
    /// The engine's answer where it has one at once, and the wait for it otherwise.
    fn hand_over<B>(&self, parts: Parts, body: Bytes) -> State<B> {
        let slot = Arc::<Slot>::default();
        let ticket = self.engine.http(&self.options, parts, body, Arc::clone(&slot) as Arc<_>, clock::now());
        match Awaited::new(slot, ticket).take() {
            Ok(response) => State::Judged(response),
            Err(awaited) => State::Waiting(awaited),
        }
    }

    fn unread(&self, why: Unread) -> Response<Body> {
        match why {
            Unread::TooLarge => self.engine.body_too_large().map(Body::from),
            Unread::Paused => refuse(StatusCode::REQUEST_TIMEOUT, "the request body did not come in time".to_owned()),
            Unread::Broken(why) => refuse(StatusCode::BAD_REQUEST, format!("the request body cannot be read: {why}")),
        }
    }
}

/// An answer after which the connection is of no more use.
fn refuse(status: StatusCode, message: String) -> Response<Body> {
    let mut out = Vec::with_capacity(160);
    write::error(&mut out, None, &Error::new(ErrorKind::InvalidRequest, message));
    let mut response = Response::new(Body::from(Message::from(out)));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

impl<B> Upload<B>
where
    B: hyper::body::Body + Unpin,
    B::Error: std::fmt::Display,
{
    /// Reads on. What counts is what comes, not what `Content-Length` says.
    fn poll(
        &mut self,
        context: &mut Context<'_>,
        limit: usize,
        pause: Option<Duration>,
    ) -> Poll<Result<Bytes, Unread>> {
        loop {
            if self.body.is_end_stream() {
                return Poll::Ready(Ok(self.read.take()));
            }
            match Pin::new(&mut self.body).poll_frame(context) {
                Poll::Ready(None) => return Poll::Ready(Ok(self.read.take())),
                Poll::Ready(Some(Err(error))) => return Poll::Ready(Err(Unread::Broken(error.to_string()))),
                Poll::Ready(Some(Ok(frame))) => {
                    self.pause = None;
                    let Ok(mut data) = frame.into_data() else { continue };
                    if data.remaining() > limit - self.read.len() {
                        return Poll::Ready(Err(Unread::TooLarge));
                    }
                    self.read.add(data.copy_to_bytes(data.remaining()));
                }
                Poll::Pending => {
                    let Some(pause) = pause else { return Poll::Pending };
                    let sleep = self.pause.get_or_insert_with(|| Box::pin(tokio::time::sleep(pause)));
                    ready!(sleep.as_mut().poll(context));
                    return Poll::Ready(Err(Unread::Paused));
                }
            }
        }
    }
}

impl Read {
    fn len(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Piece(piece) => piece.len(),
            Self::Pieces(all) => all.len(),
        }
    }

    fn add(&mut self, bytes: Bytes) {
        match self {
            Self::Nothing => *self = Self::Piece(bytes),
            Self::Piece(piece) => {
                let mut all = Vec::with_capacity((piece.len() + bytes.len()) * 2);
                all.extend_from_slice(piece);
                all.extend_from_slice(&bytes);
                *self = Self::Pieces(all);
            }
            Self::Pieces(all) => all.extend_from_slice(&bytes),
        }
    }

    fn take(&mut self) -> Bytes {
        match std::mem::replace(self, Self::Nothing) {
            Self::Nothing => Bytes::new(),
            Self::Piece(piece) => piece,
            Self::Pieces(all) => all.into(),
        }
    }
}
