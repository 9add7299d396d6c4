//! Takes the compression off a body as it arrives, so that an event is there at once (Y27).

use std::io::Write;

use flate2::write::MultiGzDecoder;
use http::HeaderMap;
use http::header::CONTENT_ENCODING;

use crate::error::{Error, ErrorKind, Result};

/// The decoder of one body. A few bytes may become very many: they are handed out in pieces of some 32 KiB, so whoever takes them can
/// stop at any time (security 18).
pub struct Gzip(MultiGzDecoder<Vec<u8>>);

impl Gzip {
    /// The decoder that the head of an answer calls for.
    ///
    /// # Errors
    /// `Io` for a compression that nobody asked for.
    pub fn of(headers: &HeaderMap) -> Result<Option<Self>> {
        let Some(value) = headers.get(CONTENT_ENCODING) else { return Ok(None) };
        let word = value.to_str().unwrap_or_default().trim();
        if word.is_empty() || word.eq_ignore_ascii_case("identity") {
            Ok(None)
        } else if word.eq_ignore_ascii_case("gzip") || word.eq_ignore_ascii_case("x-gzip") {
            Ok(Some(Self(MultiGzDecoder::new(Vec::new()))))
        } else {
            let text = format!("the body of the answer is compressed by `{}`, which is not known", word.escape_debug());
            Err(Error::new(ErrorKind::Io, text))
        }
    }

    /// Decodes a part of the body. `take` gets what came of it and says whether it wants more.
    ///
    /// # Errors
    /// `Io` for what is no gzip.
    pub fn push(&mut self, mut chunk: &[u8], mut take: impl FnMut(&[u8]) -> bool) -> Result<()> {
        while !chunk.is_empty() {
            let read = self.0.write(chunk).map_err(wrong)?;
            chunk = &chunk[read..];
            if chunk.is_empty() {
                self.0.flush().map_err(wrong)?;
            }
            let decoded = self.0.get_mut();
            let more = decoded.is_empty() || take(decoded);
            if !more || (read == 0 && decoded.is_empty()) {
                return Ok(());
            }
            decoded.clear();
        }
        Ok(())
    }

    /// The body is complete.
    ///
    /// # Errors
    /// `Io` when it was cut off.
    pub fn end(mut self) -> Result<()> {
        self.0.try_finish().map_err(wrong)
    }
}

fn wrong(error: std::io::Error) -> Error {
    Error::new(ErrorKind::Io, format!("the body of the answer is no valid gzip: {error}")).caused_by(error)
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn decoder() -> Gzip {
        let headers = HeaderMap::from_iter([(CONTENT_ENCODING, "gzip".parse().unwrap())]);
        Gzip::of(&headers).unwrap().unwrap()
    }

    #[test]
    fn y27_what_was_flushed_is_there_at_once() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        let mut decoder = decoder();
        for text in ["data: 1\n\n", "data: 2\n\n"] {
            encoder.write_all(text.as_bytes()).unwrap();
            encoder.flush().unwrap();
            let sent = std::mem::take(encoder.get_mut());
            let mut got = Vec::new();
            for byte in sent.chunks(1) {
                decoder
                    .push(byte, |part| {
                        got.extend_from_slice(part);
                        true
                    })
                    .unwrap();
            }
            assert_eq!(got, text.as_bytes());
        }
        decoder.push(&encoder.finish().unwrap(), |_| panic!("nothing is left")).unwrap();
        decoder.end().unwrap();
    }

    #[test]
    fn security_18_a_bomb_comes_in_small_pieces_and_can_be_stopped() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&vec![b' '; 32 << 20]).unwrap();
        let bomb = encoder.finish().unwrap();
        let (mut total, mut largest) = (0, 0);
        decoder()
            .push(&bomb, |part| {
                total += part.len();
                largest = largest.max(part.len());
                total < 1 << 20
            })
            .unwrap();
        assert!(largest <= 128 << 10 && total < 2 << 20, "{largest} {total}");
    }

    #[test]
    fn a_cut_or_wrong_body_is_an_error() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(b"hello").unwrap();
        let whole = encoder.finish().unwrap();
        let mut decoder = decoder();
        decoder.push(&whole[..whole.len() - 4], |_| true).unwrap();
        assert_eq!(decoder.end().unwrap_err().kind(), ErrorKind::Io);
        assert!(self::decoder().push(b"{\"jsonrpc\":\"2.0\"}", |_| true).is_err());
        let headers = HeaderMap::from_iter([(CONTENT_ENCODING, "br".parse().unwrap())]);
        assert!(Gzip::of(&headers).err().unwrap().message().contains("`br`"));
    }
}
