//! What must hold for every input. The fuzz targets run it on inputs they invent, `core/tests/fuzz_corpus.rs` on the
//! committed ones; an input that once failed belongs in `corpus/`.
//!
//!     cargo +nightly fuzz run envelope

use omniport::limits::Limits;
use omniport::wire::{Line, Lines, Message, Object, Rejected, Text, is_batch, parse, raw, split_batch, sse, write};
use serde::Deserialize;

/// Parameters with every kind of member that the engine reads.
#[derive(Debug, Deserialize)]
struct Params<'a> {
    #[serde(borrow, default)]
    name: Option<Text<'a>>,
    #[serde(borrow, default)]
    arguments: Option<Object<'a>>,
    #[serde(default, rename = "_meta", deserialize_with = "omniport::wire::shape::optional_object")]
    meta: Option<Meta>,
}

#[derive(Debug, Deserialize)]
struct Meta {
    #[serde(default)]
    level: Option<u8>,
}

/// A message is refused with a reason, or says the same after it was written anew.
pub fn envelope(input: &[u8]) {
    let limits = Limits::default();
    if is_batch(input) {
        for message in split_batch(input).unwrap_or_default() {
            envelope(message.get().as_bytes());
        }
    }
    let message = match parse::<Params<'_>>(input, &limits) {
        Ok(message) => message,
        Err(Rejected { error, id, .. }) => {
            assert!(matches!(error.code(), -32700 | -32600 | -32602), "{error}");
            assert_ne!(error.message(), "not a JSON-RPC message", "unexplained: {}", input.escape_ascii());
            let mut out = Vec::new();
            write::error(&mut out, id.as_ref(), &error);
            assert!(parse::<Params<'_>>(&out, &limits).is_ok(), "the refusal itself must be readable");
            return;
        }
    };
    let mut out = Vec::new();
    match &message {
        Message::Request { id, method, params } => write::request(&mut out, id, method, written(params).as_deref()),
        Message::Notification { method, params } => write::notification(&mut out, method, written(params).as_deref()),
        Message::Response { id, outcome: Ok(result) } => {
            write::result(&mut out, id, |out| out.extend_from_slice(result.get().as_bytes()));
        }
        Message::Response { .. } | Message::Orphan { .. } => return,
    }
    let line = raw::one_line(&out);
    assert!(!line.contains(&b'\n') && !line.contains(&b'\r'));
    match (message, parse::<Params<'_>>(&line, &limits).expect("what was read can be written and read")) {
        (Message::Request { id, method, params }, Message::Request { id: id2, method: method2, params: params2 }) => {
            assert_eq!((id, method, written(&params)), (id2, method2, written(&params2)));
        }
        (Message::Notification { method, params }, Message::Notification { method: method2, params: params2 }) => {
            assert_eq!((method, written(&params)), (method2, written(&params2)));
        }
        (Message::Response { id, outcome: Ok(result) }, Message::Response { id: id2, outcome: Ok(result2) }) => {
            assert_eq!(
                (id, &*raw::one_line(result.get().as_bytes())),
                (id2, &*raw::one_line(result2.get().as_bytes()))
            );
        }
        (one, other) => panic!("{one:?} became {other:?}"),
    }
}

fn written(params: &Option<Params<'_>>) -> Option<Vec<u8>> {
    let params = params.as_ref()?;
    let mut out = vec![b'{'];
    if let Some(name) = &params.name {
        write::member_string(&mut out, "name", name);
    }
    if let Some(arguments) = params.arguments {
        write::member(&mut out, "arguments", &raw::one_line(arguments.text().as_bytes()));
    }
    if let Some(level) = params.meta.as_ref().and_then(|meta| meta.level) {
        write::member(&mut out, "_meta", format!("{{\"level\":{level}}}").as_bytes());
    }
    write::close(&mut out);
    Some(out)
}

/// The first byte says how the rest is cut; no cut may change the lines.
pub fn lines(input: &[u8]) {
    let Some((seed, stream)) = input.split_first() else { return };
    assert_eq!(framed(stream, usize::from(*seed % 7) + 1), framed(stream, usize::MAX));
}

fn framed(stream: &[u8], step: usize) -> Vec<Option<Vec<u8>>> {
    let owned = |line: Line<'_>| match line {
        Line::Text(text) => Some(text.to_vec()),
        Line::TooLong => None,
    };
    let (mut lines, mut found) = (Lines::new(16), Vec::new());
    for mut chunk in stream.chunks(step) {
        while let Some(line) = lines.next(&mut chunk) {
            found.push(owned(line));
        }
    }
    found.extend(lines.finish().map(owned));
    assert!(found.iter().flatten().all(|line| line.len() <= 16 && !line.contains(&b'\n')));
    found
}

/// The first byte says how the rest is cut; no cut may change the events, and they survive writing.
pub fn sse(input: &[u8]) {
    let Some((seed, stream)) = input.split_first() else { return };
    let events = decoded(stream, usize::MAX);
    assert_eq!(decoded(stream, usize::from(*seed % 7) + 1), events);
    let mut out = Vec::new();
    let mut last = None;
    for (id, name, data) in events.iter().flatten() {
        // An id stays in force until it is reset, which takes a field that says so.
        let id = if last == *id { None } else { Some(id.as_deref().unwrap_or_default()) };
        last = id.map_or(last, |id| Some(id.to_owned()).filter(|id| !id.is_empty()));
        sse::event(&mut out, id, Some(name), data);
        sse::comment(&mut out, name);
    }
    assert_eq!(decoded(&out, 3), events.into_iter().filter(Option::is_some).collect::<Vec<_>>());
}

type Found = Option<(Option<String>, String, Vec<u8>)>;

/// The events; `None` at the end for a limit that was reached.
fn decoded(stream: &[u8], step: usize) -> Vec<Found> {
    let mut limits = Limits::default();
    (limits.message_bytes, limits.token_bytes) = (64, 16);
    let (mut decoder, mut found) = (sse::Decoder::new(&limits), Vec::new());
    for mut chunk in stream.chunks(step) {
        loop {
            match decoder.next(&mut chunk) {
                Ok(Some(event)) => {
                    found.push(Some((event.id.map(str::to_owned), event.name.to_owned(), event.data.to_vec())));
                }
                Ok(None) => break,
                Err(_) => {
                    found.push(None);
                    return found;
                }
            }
        }
    }
    found
}
