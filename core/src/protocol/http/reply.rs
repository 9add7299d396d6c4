//! Where the answer to one HTTP request goes.

use bytes::Bytes;
use http::Response;

use crate::protocol::sink::Message;

/// The way back of one HTTP request. Either one [`HttpReply::respond`], or one [`HttpReply::open`], any number of
/// [`HttpReply::write`] and one [`HttpReply::close`]. Implementations queue and return; they never block and never call the engine.
pub trait HttpReply: Send + Sync {
    /// The whole answer.
    fn respond(&self, response: Response<Message>);

    /// The head of an event stream.
    fn open(&self, head: Response<()>);

    /// The next bytes of the event stream.
    fn write(&self, bytes: Bytes);

    /// The end of the event stream.
    fn close(&self);

    /// Bytes that wait for the reader.
    fn queued(&self) -> usize {
        0
    }
}
