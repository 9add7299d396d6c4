//! What crosses in one go: a JSON array, into which the JSON of the core is spliced as it is.

use omniport::bridge::mark_integers;
use omniport::bytes::Bytes;
use omniport::wire::write;

/// How many events one batch holds at most, so that the loop can do other things in between.
pub const BATCH: usize = 256;

/// The payload of an event.
pub enum Payload<'a> {
    /// JSON text of the core.
    Json(&'a [u8]),
    /// Plain text.
    Text(&'a [u8]),
    /// An index.
    Index(usize),
    /// None.
    Null,
}

/// Writes a batch.
pub struct Batch {
    text: Vec<u8>,
    bigint: bool,
}

impl Batch {
    /// An empty batch; with `bigint`, integers that JavaScript's numbers cannot hold are marked.
    pub fn new(room: usize, bigint: bool) -> Self {
        let mut text = Vec::with_capacity(room);
        text.push(b'[');
        Self { text, bigint }
    }

    /// How much room a batch of these texts needs, more or less.
    pub fn room<'a>(texts: impl Iterator<Item = &'a Bytes>) -> usize {
        texts.map(|text| text.len() + 40).sum::<usize>() + 2
    }

    /// Adds an event: the numbers of its head, and its payload.
    pub fn add(&mut self, head: [u64; 3], payload: &Payload<'_>) {
        if self.text.len() > 1 {
            self.text.push(b',');
        }
        self.text.push(b'[');
        for number in head {
            write::int(&mut self.text, number as i64);
            self.text.push(b',');
        }
        match payload {
            Payload::Json(json) => self.json(json),
            Payload::Text(text) => write::string(&mut self.text, &String::from_utf8_lossy(text)),
            Payload::Index(index) => write::int(&mut self.text, *index as i64),
            Payload::Null => self.text.extend_from_slice(b"null"),
        }
        self.text.push(b']');
    }

    fn json(&mut self, json: &[u8]) {
        let marked = if self.bigint { std::str::from_utf8(json).ok().and_then(mark_integers) } else { None };
        match marked {
            None => self.text.extend_from_slice(json),
            Some(marked) => {
                self.text.extend_from_slice(marked.text.as_bytes());
                self.text.push(b',');
                self.text.extend_from_slice(marked.paths.as_bytes());
            }
        }
    }

    /// The whole.
    pub fn finish(mut self) -> String {
        self.text.push(b']');
        // Valid by construction; checked all the same, since the price is small and a wrong string would be undefined behaviour.
        String::from_utf8(self.text).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}

/// JSON text with its marks: `[value, paths?]`.
pub fn marked(json: &str) -> String {
    match mark_integers(json) {
        None => format!("[{json}]"),
        Some(marked) => format!("[{},{}]", marked.text, marked.paths),
    }
}
