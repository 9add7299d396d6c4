//! What crosses in one go: one text, because UniFFI reads a record field by field, which cost more than all else that a call does in Swift.

use std::fmt::Write as _;

/// How many things one batch holds at most, so that a reader can do others in between.
pub const BATCH: usize = 256;

/// Three numbers, what they are the head of, and how Swift reads it: a line `kind token number length`, then so many bytes of text.
#[derive(Default)]
pub struct Batch {
    text: String,
}

impl Batch {
    /// Adds one thing.
    pub fn add(&mut self, kind: u8, token: u64, number: u64, text: &[u8]) {
        // What a peer sent as no UTF-8 was refused before; the text of a process may be any bytes.
        let text = String::from_utf8_lossy(text);
        self.text.reserve(text.len() + 32);
        // A text takes whatever is written.
        let _ = writeln!(self.text, "{kind} {token} {number} {}", text.len());
        self.text.push_str(&text);
    }

    /// The whole.
    pub fn finish(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_the_bytes_of_what_it_wrote() {
        let mut batch = Batch::default();
        batch.add(0, 7, 1, "{\"a\":\"ä\"}".as_bytes());
        batch.add(9, u64::MAX, 0, b"\xff\n");
        assert_eq!(batch.finish(), format!("0 7 1 10\n{{\"a\":\"ä\"}}9 {} 0 4\n\u{fffd}\n", u64::MAX));
    }
}
