//! The body of an answer: a message in its pieces, as they are, or an event stream.

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Frame, SizeHint};

use super::reply::Awaited;
use crate::protocol::sink::Message;

/// What an MCP server answers with.
#[derive(Default)]
pub struct Body(Kind);

#[derive(Default)]
enum Kind {
    /// Pieces that are still to be sent; empty ones are skipped.
    Pieces([Bytes; 3]),
    Stream(Awaited),
    #[default]
    Over,
}

impl Body {
    pub(super) fn stream(awaited: Awaited) -> Self {
        Self(Kind::Stream(awaited))
    }
}

impl From<Message> for Body {
    fn from(message: Message) -> Self {
        if message.is_empty() {
            return Self::default();
        }
        Self(Kind::Pieces([message.head.into(), message.shared, Bytes::from_static(message.tail)]))
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Kind::Pieces(_) => "Body(message)",
            Kind::Stream(_) => "Body(event stream)",
            Kind::Over => "Body(empty)",
        })
    }
}

impl hyper::body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let found = match &mut self.0 {
            Kind::Pieces(pieces) => {
                let next = pieces.iter_mut().find(|piece| !piece.is_empty()).map(std::mem::take);
                Poll::Ready(next)
            }
            Kind::Stream(awaited) => awaited.poll_chunk(context),
            Kind::Over => Poll::Ready(None),
        };
        if matches!(found, Poll::Ready(None)) || self.is_end_stream() {
            self.0 = Kind::Over;
        }
        found.map(|next| next.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Kind::Pieces(pieces) => pieces.iter().all(Bytes::is_empty),
            Kind::Stream(_) => false,
            Kind::Over => true,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Kind::Pieces(pieces) => SizeHint::with_exact(pieces.iter().map(|piece| piece.len() as u64).sum()),
            Kind::Stream(_) => SizeHint::default(),
            Kind::Over => SizeHint::with_exact(0),
        }
    }
}
