//! What a process says on stderr: always read, as a full pipe would stop the server (C04); its end is kept, its lines are told.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use memchr::memchr;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::mpsc::{Sender, channel};
use tokio::task::JoinHandle;

use super::{StderrLine, within};

/// Bytes that are kept for an error to quote.
const TAIL: usize = 4 << 10;
/// Bytes of a line that are told.
const LINE: usize = 4 << 10;
/// Lines that wait for whoever is told before further ones are dropped and counted.
const WAITING: usize = 256;

/// The stderr of a process. Dropped, it is no longer read.
pub(super) struct Stderr {
    tail: Arc<Mutex<Tail>>,
    reading: JoinHandle<()>,
}

impl Stderr {
    /// Reads the pipe to its end, whatever comes.
    pub fn drain(mut pipe: impl AsyncRead + Unpin + Send + 'static, told: StderrLine) -> Self {
        let tail = Arc::<Mutex<Tail>>::default();
        let kept = Arc::clone(&tail);
        let (sender, mut lines) = channel::<String>(WAITING);
        tokio::spawn(async move {
            while let Some(line) = lines.recv().await {
                told(&line);
            }
        });
        let reading = tokio::spawn(async move {
            let mut cutter = Cutter::new(sender);
            let mut chunk = vec![0; 16 << 10];
            while let Ok(read @ 1..) = pipe.read(&mut chunk).await {
                kept.lock().unwrap_or_else(PoisonError::into_inner).push(&chunk[..read]);
                cutter.push(&chunk[..read]);
            }
            cutter.finish();
        });
        Self { tail, reading }
    }

    /// Waits until all of it was read; at most that long.
    pub async fn drained(&mut self, patience: Duration) {
        if !self.reading.is_finished() {
            within(patience, &mut self.reading).await;
        }
    }

    /// The last lines of all of it, once that was read or the time is up.
    pub async fn last_lines(&mut self, patience: Duration) -> String {
        self.drained(patience).await;
        self.tail.lock().unwrap_or_else(PoisonError::into_inner).text()
    }
}

impl Drop for Stderr {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

/// The last bytes of a stream.
#[derive(Default)]
struct Tail {
    bytes: Vec<u8>,
    was_cut: bool,
}

impl Tail {
    fn push(&mut self, chunk: &[u8]) {
        self.bytes.extend_from_slice(&chunk[chunk.len().saturating_sub(TAIL)..]);
        let surplus = self.bytes.len().saturating_sub(TAIL);
        self.was_cut |= surplus > 0 || chunk.len() > TAIL;
        self.bytes.drain(..surplus);
    }

    /// Whole lines where there are some, without half a character in front.
    fn text(&self) -> String {
        let mut bytes = self.bytes.as_slice();
        if self.was_cut {
            let line = memchr(b'\n', bytes).map(|end| &bytes[end + 1..]).filter(|rest| !rest.trim_ascii().is_empty());
            let is_inside = |byte: &u8| byte & 0b1100_0000 == 0b1000_0000;
            let inside = bytes.iter().take(3).take_while(|byte| is_inside(byte)).count();
            bytes = line.unwrap_or(&bytes[inside..]);
        }
        String::from_utf8_lossy(bytes).trim().to_owned()
    }
}

/// Cuts a stream into lines and hands them over.
struct Cutter {
    told: Sender<String>,
    line: Vec<u8>,
    is_long: bool,
    dropped: u64,
}

impl Cutter {
    fn new(told: Sender<String>) -> Self {
        Self { told, line: Vec::new(), is_long: false, dropped: 0 }
    }

    fn push(&mut self, mut chunk: &[u8]) {
        while let Some(end) = memchr(b'\n', chunk) {
            self.keep(&chunk[..end]);
            self.hand_over();
            chunk = &chunk[end + 1..];
        }
        self.keep(chunk);
    }

    fn finish(&mut self) {
        if !self.line.is_empty() {
            self.hand_over();
        }
    }

    fn keep(&mut self, piece: &[u8]) {
        let fits = piece.len().min(LINE - self.line.len());
        self.line.extend_from_slice(&piece[..fits]);
        self.is_long |= fits < piece.len();
    }

    fn hand_over(&mut self) {
        // Where a character was cut at the end, nothing of it is told.
        let whole = match std::str::from_utf8(&self.line) {
            Err(error) if self.is_long && error.error_len().is_none() => &self.line[..error.valid_up_to()],
            _ => &self.line,
        };
        let mut line = String::from_utf8_lossy(whole.strip_suffix(b"\r").unwrap_or(whole)).into_owned();
        if self.is_long {
            line.push('…');
        }
        self.line.clear();
        self.is_long = false;
        // The note of what was dropped takes a place too: both find one, or the line is dropped as well.
        let places = if self.dropped > 0 { 2 } else { 1 };
        let Ok(mut places) = self.told.try_reserve_many(places) else {
            self.dropped += 1;
            return;
        };
        if self.dropped > 0
            && let Some(place) = places.next()
        {
            place.send(format!("({} lines were dropped)", std::mem::take(&mut self.dropped)));
        }
        if let Some(place) = places.next() {
            place.send(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(chunks: &[&[u8]], waiting: usize) -> (Vec<String>, u64) {
        let (sender, mut lines) = channel(waiting);
        let mut cutter = Cutter::new(sender);
        for chunk in chunks {
            cutter.push(chunk);
        }
        cutter.finish();
        let mut told = Vec::new();
        while let Ok(line) = lines.try_recv() {
            told.push(line);
        }
        (told, cutter.dropped)
    }

    #[test]
    fn c04_lines_are_told_whole_and_long_ones_cut() {
        assert_eq!(cut(&[b"a\r\nb", b"c\n", b"", b"d"], 9).0, ["a", "bc", "d"]);
        assert_eq!(cut(&[b"\xff\x00junk\n"], 9).0, ["\u{fffd}\0junk"]);
        let long = ["ä".repeat(LINE).as_bytes(), b"\nnext\n"].concat();
        for pieces in [1, 7, 4096] {
            let (told, _) = cut(&long.chunks(pieces).collect::<Vec<_>>(), 9);
            assert_eq!((told[0].as_str(), told[1].as_str()), (&*format!("{}…", "ä".repeat(LINE / 2)), "next"));
        }
    }

    proptest::proptest! {
        #[test]
        fn it_does_not_matter_how_a_stream_is_cut(
            text in proptest::collection::vec(proptest::sample::select(b"ab\n\r\xc3\xa4\xff".to_vec()), 0..200),
            pieces in 1usize..50,
        ) {
            let whole = cut(&[&text], 1000).0;
            proptest::prop_assert_eq!(&cut(&text.chunks(pieces).collect::<Vec<_>>(), 1000).0, &whole);
            let (mut once, mut often) = (Tail::default(), Tail::default());
            once.push(&text);
            text.chunks(pieces).for_each(|piece| often.push(piece));
            proptest::prop_assert_eq!(once.text(), often.text());
        }
    }

    #[test]
    fn y09_whoever_is_slow_loses_lines_and_is_told_how_many() {
        let (sender, mut lines) = channel(2);
        let mut cutter = Cutter::new(sender);
        cutter.push(b"1\n2\n3\n4\n");
        assert_eq!((lines.try_recv().unwrap(), lines.try_recv().unwrap(), cutter.dropped), ("1".into(), "2".into(), 2));
        cutter.push(b"5\n");
        assert_eq!(
            (lines.try_recv().unwrap(), lines.try_recv().unwrap()),
            ("(2 lines were dropped)".into(), "5".into())
        );
    }

    #[test]
    fn the_tail_is_whole_lines() {
        let mut tail = Tail::default();
        tail.push(b"first\n");
        assert_eq!(tail.text(), "first");
        tail.push("ä".repeat(TAIL).as_bytes());
        assert_eq!(tail.text(), "ä".repeat(TAIL / 2));
        tail.push(b"x");
        assert_eq!(tail.text(), format!("{}x", "ä".repeat(TAIL / 2 - 1)), "no half character in front");
        tail.push(b"\nlast \xff\n");
        assert_eq!(tail.text(), "last \u{fffd}");
    }
}
