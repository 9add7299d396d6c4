//! The way in: a thread that reads, cuts lines and gives them to the engine, and that stops reading when the client does not
//! read either.

use std::fs::File;
use std::io::{ErrorKind, PipeReader, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::super::clock;
use super::super::fd::{self, Ready, Way};
use super::{Shared, StdioEnd};
use crate::limits::Limits;
use crate::protocol::sink::Sink;
use crate::time::Now;
use crate::wire::{Line, Lines};

/// How much is read at a time: what a pipe holds.
const CHUNK: usize = 64 << 10;

/// How long reading stops for a connection that has all the requests in flight that it may have. Then it goes on, and the
/// engine refuses further requests: a cancellation or an answer to a question, which may be what the running calls wait for,
/// must get through.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long calls may still answer after the client closed its side. Clients kill a server that lives on for two seconds.
const EOF_GRACE: Duration = Duration::from_secs(1);

/// How often a client that closed its side is checked for being gone altogether.
const CHECK: Duration = Duration::from_millis(50);

/// How long the last answers may take to leave.
const FLUSH_GRACE: Duration = Duration::from_millis(500);

pub(super) struct Reader {
    shared: Arc<Shared>,
    input: File,
    wake: PipeReader,
    lines: Lines,
    message_bytes: usize,
    in_flight: usize,
    /// Waiting for requests to end was in vain; they are refused until some do.
    impatient: bool,
}

impl Reader {
    pub fn new(shared: Arc<Shared>, input: File, wake: PipeReader, limits: &Limits) -> Self {
        Self {
            shared,
            input,
            wake,
            lines: Lines::new(limits.message_bytes),
            message_bytes: limits.message_bytes,
            in_flight: limits.in_flight,
            impatient: false,
        }
    }

    /// Serves until the end.
    pub fn run(mut self) {
        self.shared.control().reader = Some(std::thread::current().id());
        let end = self.read();
        let output = &self.shared.output;
        let close = self.shared.control().close;
        match (&end, close) {
            (StdioEnd::Closed, grace) => {
                output.wait_for(grace, true, || self.shared.connection.in_flight() == 0);
            }
            (StdioEnd::Eof, _) => self.let_finish(),
            _ => {}
        }
        self.shared.connection.close(&end.to_string());
        output.finish(FLUSH_GRACE);
        self.shared.end(&end);
    }

    fn read(&mut self) -> StdioEnd {
        let mut buffer = vec![0; CHUNK];
        let mut is_first = true;
        loop {
            match fd::wait_or_wake(&self.input, Way::Read, &self.wake) {
                Ok(Ready::Yes) => {}
                Ok(_) if self.shared.output.has_failed() => return StdioEnd::PeerGone,
                Ok(_) => return StdioEnd::Closed,
                Err(error) => return StdioEnd::Failed(error.to_string()),
            }
            match (&self.input).read(&mut buffer) {
                Ok(0) if is_first => return StdioEnd::NoInput,
                Ok(0) => {
                    self.handle_rest();
                    return StdioEnd::Eof;
                }
                Ok(count) => self.handle(&buffer[..count]),
                Err(error) => match error.kind() {
                    ErrorKind::Interrupted | ErrorKind::WouldBlock => continue,
                    // What a socket says of a peer that died, and a terminal of one that hung up.
                    ErrorKind::ConnectionReset => return StdioEnd::PeerGone,
                    _ => return StdioEnd::Failed(error.to_string()),
                },
            }
            is_first = false;
        }
    }

    /// Gives all lines of a chunk to the engine; what they are answered with leaves together.
    fn handle(&mut self, mut chunk: &[u8]) {
        let now = clock::now();
        let shared = Arc::clone(&self.shared);
        shared.output.begin_batch();
        while let Some(line) = self.lines.next(&mut chunk) {
            receive(&shared, line, self.message_bytes, now);
            self.hold_back();
        }
        shared.output.end_batch();
    }

    /// The last line may lack its end.
    fn handle_rest(&mut self) {
        if let Some(line) = self.lines.finish() {
            receive(&self.shared, line, self.message_bytes, clock::now());
        }
    }

    /// Stops reading while too much waits for the client, or while the client has too many requests in flight.
    fn hold_back(&mut self) {
        let Shared { output, connection, .. } = &*self.shared;
        if output.is_congested() {
            output.end_batch();
            output.wait_for(None, false, || !output.is_congested());
            output.begin_batch();
        }
        if connection.in_flight() < self.in_flight {
            self.impatient = false;
        } else if !self.impatient {
            output.end_batch();
            self.impatient = !output.wait_for(Some(PATIENCE), false, || connection.in_flight() < self.in_flight);
            output.begin_batch();
        }
    }

    /// The client sends no more, but may still read: calls that end soon are answered.
    fn let_finish(&self) {
        let Shared { output, connection, .. } = &*self.shared;
        let until = clock::now().monotonic + EOF_GRACE;
        while !output.is_broken() {
            let left = until.saturating_sub(clock::now().monotonic).min(CHECK);
            let is_done = output.wait_for(Some(left), false, || connection.in_flight() == 0);
            if is_done || left < CHECK {
                return;
            }
        }
    }
}

/// Gives one line to the engine. A handler that panics within its call costs that call and not the connection.
fn receive(shared: &Shared, line: Line<'_>, message_bytes: usize, now: Now) {
    let outcome = catch_unwind(AssertUnwindSafe(|| match line {
        Line::Text(text) => shared.connection.receive(Bytes::copy_from_slice(text), now),
        Line::TooLong => shared.connection.receive_too_long(message_bytes),
    }));
    if outcome.is_err() {
        tracing::error!("the handling of a message panicked");
    }
}
