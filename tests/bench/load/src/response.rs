//! HTTP/1.1 responses as they arrive: with a length or in chunks, JSON or an event stream.

use memchr::{memchr, memmem};

use crate::fault::{Fault, Result};

/// One whole response.
pub struct Response {
    pub status: u16,
    pub session: Option<String>,
    /// The JSON texts of the body: one, or the data of each event.
    pub messages: Vec<Vec<u8>>,
}

struct Head {
    status: u16,
    session: Option<String>,
    length: Option<usize>,
    chunked: bool,
    events: bool,
}

/// Takes the first response off `buffer`, or `None` while it is not all there.
pub fn take(buffer: &mut Vec<u8>) -> Result<Option<Response>> {
    let Some(head_end) = memmem::find(buffer, b"\r\n\r\n").map(|at| at + 4) else { return Ok(None) };
    let head = parse_head(&buffer[..head_end])?;
    let (body, end) = if head.chunked {
        match unchunk(buffer, head_end)? {
            Some(found) => found,
            None => return Ok(None),
        }
    } else {
        let end = head_end + head.length.unwrap_or(0);
        if buffer.len() < end {
            return Ok(None);
        }
        (buffer[head_end..end].to_vec(), end)
    };
    buffer.drain(..end);
    let messages = if head.events {
        events(&body)
    } else if body.is_empty() {
        Vec::new()
    } else {
        vec![body]
    };
    Ok(Some(Response { status: head.status, session: head.session, messages }))
}

fn parse_head(head: &[u8]) -> Result<Head> {
    let text = std::str::from_utf8(head).map_err(|error| Fault(format!("a response head: {error}")))?;
    let mut lines = text.split("\r\n");
    let status = lines
        .next()
        .and_then(|line| line.get(9..12))
        .and_then(|code| code.parse().ok())
        .ok_or_else(|| Fault(format!("no status line: {text:?}")))?;
    let mut parsed = Head { status, session: None, length: None, chunked: false, events: false };
    for line in lines {
        let Some((name, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        if name.eq_ignore_ascii_case("content-length") {
            parsed.length = value.parse().ok();
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            parsed.chunked = value.eq_ignore_ascii_case("chunked");
        } else if name.eq_ignore_ascii_case("content-type") {
            parsed.events = value.starts_with("text/event-stream");
        } else if name.eq_ignore_ascii_case("mcp-session-id") {
            parsed.session = Some(value.to_owned());
        }
    }
    Ok(parsed)
}

/// The body and where it ends.
fn unchunk(buffer: &[u8], mut at: usize) -> Result<Option<(Vec<u8>, usize)>> {
    // Looked at first, so that a large body is put together once and not at each read.
    if !buffer.ends_with(b"0\r\n\r\n") {
        return Ok(None);
    }
    let mut body = Vec::new();
    loop {
        let Some(line_end) = memchr(b'\n', &buffer[at..]).map(|found| at + found) else { return Ok(None) };
        let size = std::str::from_utf8(&buffer[at..line_end])
            .ok()
            .and_then(|line| usize::from_str_radix(line.trim(), 16).ok())
            .ok_or_else(|| Fault("a chunk without size".into()))?;
        let (start, end) = (line_end + 1, line_end + 1 + size);
        if buffer.len() < end + 2 {
            return Ok(None);
        }
        body.extend_from_slice(&buffer[start..end]);
        at = end + 2;
        if size == 0 {
            return Ok(Some((body, at)));
        }
    }
}

fn events(body: &[u8]) -> Vec<Vec<u8>> {
    body.split(|byte| *byte == b'\n')
        .filter_map(|line| line.strip_prefix(b"data:"))
        .map(|data| data.trim_ascii().to_vec())
        .filter(|data| !data.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::take;

    #[test]
    fn takes_a_response_with_a_length_when_it_is_whole() {
        let whole = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nMcp-Session-Id: s1\r\n\r\n{}";
        let mut buffer = whole[..whole.len() - 1].to_vec();
        assert!(take(&mut buffer).unwrap().is_none());
        buffer.push(b'}');
        let response = take(&mut buffer).unwrap().unwrap();
        assert_eq!((response.status, response.session.as_deref()), (200, Some("s1")));
        assert_eq!(response.messages, [b"{}".to_vec()]);
        assert!(buffer.is_empty());
    }

    #[test]
    fn takes_the_data_of_events_from_chunks() {
        let mut buffer =
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
        buffer.extend_from_slice(b"e\r\nid: 1\ndata: \n\n\r\n9\r\ndata: {}\n\r\n1\r\n\n\r\n");
        assert!(take(&mut buffer).unwrap().is_none());
        buffer.extend_from_slice(b"0\r\n\r\n");
        assert_eq!(take(&mut buffer).unwrap().unwrap().messages, [b"{}".to_vec()]);
    }
}
