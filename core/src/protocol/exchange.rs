//! One request on the wire, from its arrival to its one answer: nothing is sent for it afterwards,
//! progress only grows, and log messages pass the level that was asked for.

use std::sync::Arc;

use super::peer::Peer;
use super::sink::{Frame, Message, Sink};
use crate::error::Error;
use crate::model::{ClientCapabilities, Era, Level, Method, Version};
use crate::wire::{RequestId, write};

/// The open request that a handler answers.
pub struct Exchange {
    pub id: RequestId,
    pub method: Method,
    pub version: Version,
    pub capabilities: ClientCapabilities,
    /// The connection or session it came over; modern HTTP requests have none.
    pub peer: Option<Arc<Peer>>,
    pub sink: Arc<dyn Sink>,
    progress_token: Option<RequestId>,
    /// The level that a modern request asked for; legacy peers keep theirs.
    level: Option<Level>,
    over: bool,
    /// The last progress value sent.
    progress: f64,
}

/// What an [`Exchange`] is made of.
pub struct Opening {
    pub id: RequestId,
    pub method: Method,
    pub version: Version,
    pub capabilities: ClientCapabilities,
    pub peer: Option<Arc<Peer>>,
    pub sink: Arc<dyn Sink>,
    pub progress_token: Option<RequestId>,
    pub level: Option<Level>,
}

impl Exchange {
    /// Opens the exchange.
    pub fn open(opening: Opening) -> Self {
        let Opening { id, method, version, capabilities, peer, sink, progress_token, level } = opening;
        Self {
            id,
            method,
            version,
            capabilities,
            peer,
            sink,
            progress_token,
            level,
            over: false,
            progress: f64::NEG_INFINITY,
        }
    }

    /// The era its peer speaks.
    pub fn era(&self) -> Era {
        self.version.era()
    }

    /// Whether it was answered or cancelled.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Whether the client asked for progress.
    pub fn wants_progress(&self) -> bool {
        self.progress_token.is_some()
    }

    /// The least severe level the client wants, if it wants any.
    pub fn level(&self) -> Option<Level> {
        match self.era() {
            Era::Modern => self.level,
            Era::Legacy => Some(self.peer.as_ref().map_or(Level::Debug, |peer| peer.level())),
        }
    }

    /// Ends the exchange; true for the one caller that may answer (W10: cancel and return may meet).
    pub fn end(&mut self) -> bool {
        !std::mem::replace(&mut self.over, true)
    }

    /// Answers with a whole message, unless it is over.
    pub fn respond(&mut self, message: Message, error: Option<i64>) -> bool {
        if !self.end() {
            return false;
        }
        self.sink.send(Frame::Response { message, id: Some(self.id.clone()), error });
        true
    }

    /// Answers with an error, unless it is over.
    pub fn fail(&mut self, error: &Error) -> bool {
        let mut out = Vec::with_capacity(128);
        write::error(&mut out, Some(&self.id), error);
        self.respond(out.into(), Some(error.code()))
    }

    /// Sends progress if the client asked for it and the value grew.
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress>.
    pub fn report_progress(&mut self, progress: f64, total: Option<f64>, message: Option<&str>) {
        let Some(token) = &self.progress_token else { return };
        let grew = progress.is_finite() && progress > self.progress;
        if self.is_over() || !grew || self.sink.is_congested() {
            return;
        }
        self.progress = progress;
        let mut out = Vec::with_capacity(160);
        write::notification_with(&mut out, Method::Progress.as_str(), |out| {
            out.extend_from_slice(b"{\"progressToken\":");
            token.write(out);
            out.extend_from_slice(b",\"progress\":");
            write::number(out, progress);
            if let Some(total) = total.filter(|total| total.is_finite()) {
                out.extend_from_slice(b",\"total\":");
                write::number(out, total);
            }
            if let Some(message) = message.filter(|_| self.version >= Version::V2025_03_26) {
                out.extend_from_slice(b",\"message\":");
                write::string(out, message);
            }
            out.push(b'}');
        });
        self.sink.send(Frame::Notification(out.into()));
    }

    /// Sends a log message if its level is wanted. `data` is JSON text.
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging>.
    pub fn log(&self, level: Level, logger: Option<&str>, data: &str) {
        let wanted = self.level().is_some_and(|least| level >= least);
        if !wanted || self.is_over() || self.sink.is_congested() {
            return;
        }
        let mut out = Vec::with_capacity(128 + data.len());
        write::notification_with(&mut out, Method::Message.as_str(), |out| {
            out.extend_from_slice(b"{\"level\":");
            write::string(out, level.as_str());
            if let Some(logger) = logger {
                out.extend_from_slice(b",\"logger\":");
                write::string(out, logger);
            }
            out.extend_from_slice(b",\"data\":");
            out.extend_from_slice(data.as_bytes());
            out.push(b'}');
        });
        self.sink.send(Frame::Notification(out.into()));
    }
}
