//! A stream of lines into the engine, as a pipe would carry it.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use omniport::engine::{Connection, Engine};
use omniport::protocol::sink::{Frame, Sink};
use omniport::time::Now;
use omniport::wire::{Line, Lines, raw};

/// One stream.
pub struct Pipe {
    connection: Connection,
    lines: Lines,
    limit: usize,
    out: Arc<Out>,
}

#[derive(Default)]
struct Out(Mutex<Vec<Bytes>>);

impl Sink for Out {
    fn send(&self, frame: Frame) {
        // Whoever frames by lines takes the line ends out.
        let message = frame.into_message().into_bytes();
        self.0.lock().unwrap().push(raw::one_line(&message).into_owned().into());
    }
}

impl Pipe {
    pub fn open(engine: &Arc<Engine>) -> Self {
        let out = Arc::<Out>::default();
        let limit = engine.limits().message_bytes;
        let connection = engine.connect(Arc::clone(&out) as Arc<dyn Sink>);
        Self { connection, lines: Lines::new(limit), limit, out }
    }

    /// Bytes come in, with or without line ends.
    pub fn write(&mut self, mut chunk: &[u8], now: Now) {
        while let Some(line) = self.lines.next(&mut chunk) {
            match line {
                Line::Text(text) => self.connection.receive(Bytes::copy_from_slice(text), now),
                Line::TooLong => self.connection.receive_too_long(self.limit),
            }
        }
    }

    pub fn close(&self) {
        self.connection.close("the stream ended");
    }

    /// The texts that came out since the last look.
    pub fn read(&self) -> Vec<Bytes> {
        std::mem::take(&mut self.out.0.lock().unwrap())
    }
}
