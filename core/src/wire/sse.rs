//! Event streams: an incremental decoder and an encoder.
//! See <https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation>.

use std::io::Write as _;
use std::time::Duration;

use memchr::memchr2;

use super::scan;
use crate::error::{Error, Result};
use crate::limits::Limits;

/// What a byte order mark, a field name, its colon and space add to a line beyond the value.
const FIELD_BYTES: usize = 16;

/// Memory that a decoder keeps for its next event; what a giant one took goes back.
const KEEP: usize = 64 << 10;

/// One event of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// The last event id in force when the event ended, which may stem from an earlier event.
    pub id: Option<&'a str>,
    /// The event's type; `message` unless the stream says otherwise.
    pub name: &'a str,
    /// The lines of data, joined by LF. May be empty (N13), and is not yet known to be UTF-8: characters that were cut
    /// between chunks are whole again (E03), and bad bytes are the message parser's to refuse.
    pub data: &'a [u8],
}

/// Decodes an event stream that arrives in chunks of any size.
#[derive(Debug)]
pub struct Decoder {
    event_bytes: usize,
    id_bytes: usize,
    /// A line whose end has not arrived.
    line: Vec<u8>,
    data: Vec<u8>,
    name: String,
    /// The id of the event under way, and that of the last complete one.
    id: String,
    last: String,
    retry: Option<Duration>,
    /// The event in `data` was handed out.
    handed_out: bool,
    /// The last line ended in a CR, so an LF that follows belongs to it.
    after_cr: bool,
    first: bool,
}

impl Decoder {
    /// A decoder of events of at most `message_bytes` with ids of at most `token_bytes`.
    pub fn new(limits: &Limits) -> Self {
        Self {
            event_bytes: limits.message_bytes,
            id_bytes: limits.token_bytes,
            line: Vec::new(),
            data: Vec::new(),
            name: String::new(),
            id: String::new(),
            last: String::new(),
            retry: None,
            handed_out: false,
            after_cr: false,
            first: true,
        }
    }

    /// The id to resume after. That of an event which the stream's end cuts off does not count: to resume after it would lose it. An
    /// empty `id` resets it.
    pub fn last_event_id(&self) -> Option<&str> {
        Some(self.last.as_str()).filter(|id| !id.is_empty())
    }

    /// How long the stream asks its reader to wait before it connects again (E05).
    pub fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// The next event that ends in `chunk`, which is advanced past it. `None` when `chunk` is used up and the next may
    /// come. An event that the stream's end cuts off is never handed out, as the standard demands.
    ///
    /// # Errors
    /// A line or an event beyond `message_bytes`, an id beyond `token_bytes` (it would be echoed in a header). The
    /// stream cannot be followed any further then.
    pub fn next(&mut self, chunk: &mut &[u8]) -> Result<Option<Event<'_>>> {
        self.release();
        while !chunk.is_empty() {
            if std::mem::take(&mut self.after_cr)
                && let Some(rest) = chunk.strip_prefix(b"\n")
            {
                *chunk = rest;
                continue;
            }
            let Some(end) = memchr2(b'\r', b'\n', chunk) else {
                self.hold(std::mem::take(chunk))?;
                break;
            };
            let piece = &chunk[..end];
            self.after_cr = chunk[end] == b'\r';
            *chunk = &chunk[end + 1..];
            let complete = if self.line.is_empty() {
                self.line(piece)?
            } else {
                self.hold(piece)?;
                let mut line = std::mem::take(&mut self.line);
                // A giant line of data becomes the data, instead of being held twice.
                if line.len() > KEEP && self.data.is_empty() && line.starts_with(b"data:") {
                    line.drain(.."data:".len() + usize::from(line.get("data:".len()) == Some(&b' ')));
                    self.check(line.len(), 0, "an event")?;
                    line.push(b'\n');
                    (self.data, self.first) = (line, false);
                    continue;
                }
                let complete = self.line(&line);
                self.line = line;
                self.line.clear();
                self.line.shrink_to(KEEP);
                complete?
            };
            if complete {
                self.handed_out = true;
                let data = self.data.strip_suffix(b"\n").unwrap_or(&self.data);
                let name = if self.name.is_empty() { "message" } else { &self.name };
                return Ok(Some(Event { id: self.last_event_id(), name, data }));
            }
        }
        Ok(None)
    }

    /// The data of the event that was just handed out, with its buffer, for whoever would copy it otherwise.
    pub fn take_data(&mut self) -> Vec<u8> {
        self.handed_out = false;
        self.name.clear();
        let mut data = std::mem::take(&mut self.data);
        if data.last() == Some(&b'\n') {
            data.pop();
        }
        data
    }

    fn hold(&mut self, piece: &[u8]) -> Result<()> {
        self.check(self.line.len() + piece.len(), FIELD_BYTES, "a line of the event stream")?;
        self.line.extend_from_slice(piece);
        Ok(())
    }

    /// Takes one line; true when it completes an event.
    fn line(&mut self, line: &[u8]) -> Result<bool> {
        self.check(line.len(), FIELD_BYTES, "a line of the event stream")?;
        let line = if std::mem::take(&mut self.first) { scan::strip_bom(line) } else { line };
        if line.is_empty() {
            // Without any data field there is no event, only a name that no longer counts.
            if self.data.is_empty() {
                self.name.clear();
            }
            if self.last != self.id {
                self.last.clone_from(&self.id);
            }
            return Ok(!self.data.is_empty());
        }
        let (field, value) = match memchr::memchr(b':', line) {
            Some(colon) => (&line[..colon], line[colon + 1..].strip_prefix(b" ").unwrap_or(&line[colon + 1..])),
            None => (line, &b""[..]),
        };
        match field {
            b"data" => {
                self.check(self.data.len() + value.len(), 0, "an event")?;
                self.data.extend_from_slice(value);
                self.data.push(b'\n');
            }
            b"event" => replace(&mut self.name, value),
            b"id" if value.contains(&0) => {}
            b"id" if value.len() > self.id_bytes => {
                return Err(Error::limit("token_bytes", self.id_bytes, "the id of an event"));
            }
            b"id" => replace(&mut self.id, value),
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                let millis = std::str::from_utf8(value).ok().and_then(|digits| digits.parse().ok());
                self.retry = Some(Duration::from_millis(millis.unwrap_or(u64::MAX)));
            }
            // Comments have no field name; unknown fields are ignored.
            _ => {}
        }
        Ok(false)
    }

    fn check(&self, bytes: usize, slack: usize, what: &str) -> Result<()> {
        if bytes > self.event_bytes.saturating_add(slack) {
            return Err(Error::limit("message_bytes", self.event_bytes, what));
        }
        Ok(())
    }

    fn release(&mut self) {
        if std::mem::take(&mut self.handed_out) {
            self.data.clear();
            self.data.shrink_to(KEEP);
            self.name.clear();
        }
    }
}

/// Takes a field's value; one that is no text is ignored.
fn replace(field: &mut String, value: &[u8]) {
    if let Ok(value) = std::str::from_utf8(value) {
        field.clear();
        field.push_str(value);
    }
}

/// Appends one event. Each line of `data` gets a field of its own; line ends all arrive as LF, which JSON does not
/// notice. Line ends in `id` and `name` are left out, for they would end the field, and NUL in `id`, for it would void it.
pub fn event(out: &mut Vec<u8>, id: Option<&str>, name: Option<&str>, data: &[u8]) {
    for (field, value, void) in [("id: ", id, "\r\n\0"), ("event: ", name, "\r\n")] {
        if let Some(value) = value {
            out.extend_from_slice(field.as_bytes());
            out.extend(value.bytes().filter(|byte| !void.as_bytes().contains(byte)));
            out.push(b'\n');
        }
    }
    lines(out, b"data: ", data);
    out.push(b'\n');
}

/// Appends a comment, which readers skip: a sign of life on an idle stream.
pub fn comment(out: &mut Vec<u8>, text: &str) {
    lines(out, b": ", text.as_bytes());
    out.push(b'\n');
}

/// Appends the time that a reader shall wait before it connects again.
pub fn retry(out: &mut Vec<u8>, wait: Duration) {
    let written = write!(out, "retry: {}\n\n", wait.as_millis());
    debug_assert!(written.is_ok(), "a Vec takes every write");
}

fn lines(out: &mut Vec<u8>, field: &[u8], mut text: &[u8]) {
    out.reserve(field.len() + text.len() + 2);
    loop {
        let end = memchr2(b'\r', b'\n', text);
        out.extend_from_slice(field);
        out.extend_from_slice(&text[..end.unwrap_or(text.len())]);
        out.push(b'\n');
        let Some(end) = end else { return };
        let width = if text[end..].starts_with(b"\r\n") { 2 } else { 1 };
        text = &text[end + width..];
    }
}

#[cfg(test)]
#[path = "sse/tests.rs"]
mod tests;
