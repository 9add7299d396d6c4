//! Newline framing over chunks of any size.
//! See <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio>.

use memchr::memchr;

use super::scan;

/// Memory that a reader keeps for its next long line; what a giant line took goes back.
const KEEP: usize = 64 << 10;

/// What a line may have beyond its limit: a byte order mark and a CR.
const SLACK: usize = 4;

/// One line of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// Its bytes without the line end. Not yet known to be UTF-8: a bad byte costs this line only (W01).
    Text(&'a [u8]),
    /// It exceeds the limit. Reported once, as soon as that is known; the rest of it is skipped.
    TooLong,
}

/// Cuts a byte stream at LF. A CR before it belongs to the line end; blank lines and a byte order mark at the start of
/// the stream are dropped.
#[derive(Debug)]
pub struct Lines {
    limit: usize,
    /// The start of a line whose end has not arrived, or the line handed out last.
    held: Vec<u8>,
    handed_out: bool,
    skipping: bool,
    first: bool,
}

impl Lines {
    /// A reader of lines of at most `limit` bytes, line ends not counted.
    pub fn new(limit: usize) -> Self {
        Self { limit, held: Vec::new(), handed_out: false, skipping: false, first: true }
    }

    /// The next line that ends in `chunk`, which is advanced past it. `None` when `chunk` is used up: what is left of it
    /// is kept, and the next chunk may come. A line that lies whole in the chunk is not copied.
    ///
    /// ```
    /// # use omniport::wire::{Line, Lines};
    /// let mut lines = Lines::new(1024);
    /// let mut chunk = &b"one\ntwo\nthr"[..];
    /// assert_eq!(lines.next(&mut chunk), Some(Line::Text(b"one")));
    /// assert_eq!(lines.next(&mut chunk), Some(Line::Text(b"two")));
    /// assert_eq!(lines.next(&mut chunk), None);
    /// assert_eq!(lines.finish(), Some(Line::Text(b"thr")));
    /// ```
    pub fn next<'s, 'a: 's>(&'s mut self, chunk: &mut &'a [u8]) -> Option<Line<'s>> {
        self.release();
        while let Some(end) = memchr(b'\n', chunk) {
            let (piece, rest) = (&chunk[..end], &chunk[end + 1..]);
            *chunk = rest;
            if std::mem::take(&mut self.skipping) {
                continue;
            }
            let first = std::mem::take(&mut self.first);
            if self.held.is_empty() {
                match self.judge(piece, first) {
                    None => continue,
                    found => return found,
                }
            }
            if self.held.len() + piece.len() > self.limit.saturating_add(SLACK) {
                self.drop_held();
                return Some(Line::TooLong);
            }
            self.held.extend_from_slice(piece);
            if self.judge(&self.held, first).is_none() {
                self.held.clear();
                continue;
            }
            return self.hand_out(first);
        }
        let piece = std::mem::take(chunk);
        if self.skipping || piece.is_empty() {
            return None;
        }
        let fits = self.held.len() + piece.len() <= self.limit.saturating_add(SLACK);
        if fits {
            self.held.extend_from_slice(piece);
        }
        // A CR at the end may yet turn out to be a part of the line end.
        if fits && without_end(&self.held, self.first).len() <= self.limit {
            return None;
        }
        self.drop_held();
        (self.skipping, self.first) = (true, false);
        Some(Line::TooLong)
    }

    /// The last line, if the stream ended without a line end behind it.
    pub fn finish(&mut self) -> Option<Line<'_>> {
        self.release();
        self.skipping = false;
        let first = std::mem::take(&mut self.first);
        self.hand_out(first)
    }

    /// The line that was handed out last, in the memory that it was gathered in: a large one need not be held twice. Empty when it lay
    /// whole in its chunk.
    pub fn take_held(&mut self) -> Vec<u8> {
        let mut held = match std::mem::take(&mut self.handed_out) {
            true => std::mem::take(&mut self.held),
            false => Vec::new(),
        };
        if held.last() == Some(&b'\r') {
            held.pop();
        }
        let mark = held.len() - scan::strip_bom(&held).len();
        held.drain(..mark);
        held
    }

    fn hand_out(&mut self, first: bool) -> Option<Line<'_>> {
        self.handed_out = true;
        self.judge(&self.held, first)
    }

    fn judge<'b>(&self, line: &'b [u8], first: bool) -> Option<Line<'b>> {
        let text = without_end(line, first);
        if text.len() > self.limit {
            return Some(Line::TooLong);
        }
        let blank = text.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
        (!blank).then_some(Line::Text(text))
    }

    fn release(&mut self) {
        if std::mem::take(&mut self.handed_out) {
            self.drop_held();
        }
    }

    fn drop_held(&mut self) {
        self.held.clear();
        self.held.shrink_to(KEEP);
    }
}

fn without_end(line: &[u8], first: bool) -> &[u8] {
    let line = if first { scan::strip_bom(line) } else { line };
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
#[path = "lines/tests.rs"]
mod tests;
