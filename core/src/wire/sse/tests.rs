use super::*;
use proptest::prelude::*;

type Found = (Option<String>, String, Vec<u8>);

/// The events of `stream`, fed in pieces that end at `cuts`.
fn decoded(stream: &[u8], cuts: &[usize]) -> Vec<Found> {
    let (mut decoder, mut found, mut start) = (Decoder::new(&Limits::default()), Vec::new(), 0);
    for end in cuts.iter().copied().chain([stream.len()]) {
        let mut chunk = &stream[start..end];
        start = end;
        while let Some(event) = decoder.next(&mut chunk).unwrap() {
            found.push((event.id.map(str::to_owned), event.name.to_owned(), event.data.to_vec()));
        }
        assert!(chunk.is_empty());
    }
    found
}

fn every_split(stream: &[u8]) -> Vec<Found> {
    let whole = decoded(stream, &[]);
    for cut in 0..=stream.len() {
        assert_eq!(decoded(stream, &[cut]), whole, "cut at {cut}");
    }
    assert_eq!(decoded(stream, &(0..stream.len()).collect::<Vec<_>>()), whole, "byte by byte");
    whole
}

fn plain(data: &str) -> Found {
    (None, "message".into(), data.as_bytes().to_vec())
}

#[test]
fn giant_data_is_whole_and_can_be_taken() {
    let giant = "x".repeat(KEEP + 1);
    for start in ["data:", "data: "] {
        let stream = format!("event: e\n{start}{giant}\ndata: y\n\ndata: z\n\n");
        let expected = [(None, "e".into(), format!("{giant}\ny").into_bytes()), plain("z")];
        assert_eq!(decoded(stream.as_bytes(), &[20, KEEP]), expected);
    }
    let mut decoder = Decoder::new(&Limits::default());
    let (mut first, mut second) = (&b"event: e\ndata: abc"[..], &b"d\n\ndata: z\n\n"[..]);
    assert!(decoder.next(&mut first).unwrap().is_none());
    assert!(decoder.next(&mut second).unwrap().is_some());
    assert_eq!(decoder.take_data(), b"abcd");
    assert_eq!(decoder.next(&mut second).unwrap(), Some(Event { id: None, name: "message", data: b"z" }));
}

#[test]
fn e01_line_ends_of_every_kind_in_every_split() {
    let stream = "event: message\ndata: {\"a\":\ndata: 1}\n\nid: 7\ndata: x\n\n";
    let expected = [plain("{\"a\":\n1}"), (Some("7".into()), "message".into(), b"x".to_vec())];
    for end in ["\n", "\r", "\r\n"] {
        assert_eq!(every_split(stream.replace('\n', end).as_bytes()), expected);
    }
    assert_eq!(every_split(b"data: a\r\ndata: b\rdata: c\n\r\n"), [plain("a\nb\nc")]);
}

#[test]
fn e01_an_event_is_handed_out_at_its_cr() {
    let mut decoder = Decoder::new(&Limits::default());
    assert!(decoder.next(&mut &b"data: x\r\n\r"[..]).unwrap().is_some());
    assert!(decoder.next(&mut &b"\ndata: y"[..]).unwrap().is_none());
}

#[test]
fn e03_characters_cut_between_chunks_stay_whole() {
    let text = "日本語🙂";
    assert_eq!(every_split(format!("\u{feff}data: {text}\n\n").as_bytes()), [plain(text)]);
}

#[test]
fn w18_only_cr_and_lf_end_a_line() {
    let text = "a\u{2028}b\u{2029}c\u{85}d\u{b}X";
    assert_eq!(every_split(format!("data: {text}\n\n").as_bytes()), [plain(text)]);
}

#[test]
fn n13_an_event_may_have_empty_data() {
    let found = every_split(b"id: 1\ndata:\n\nid: 2\nevent: gone\n\ndata\n\n");
    let event = |id: &str| (Some(id.to_owned()), "message".to_owned(), Vec::new());
    assert_eq!(found, [event("1"), event("2")], "no data field, no event; its id counts all the same");
}

#[test]
fn the_id_of_an_event_that_is_cut_off_does_not_count() {
    let mut decoder = Decoder::new(&Limits::default());
    for (chunk, id) in [("id: 1\ndata: x\n\n", "1"), ("id: 2\ndata: y\n", "1"), ("\nid: 3\n", "2"), ("\nid: 4", "3")] {
        let mut chunk = chunk.as_bytes();
        while decoder.next(&mut chunk).unwrap().is_some() {}
        assert_eq!(decoder.last_event_id(), Some(id));
    }
}

#[test]
fn n25_security_16_floods_of_nothing() {
    let flood = [b": c\n".repeat(100_000), b"\n".repeat(100_000), b"event: x\n\n".repeat(100_000)].concat();
    assert_eq!(decoded(&[&flood[..], b"data: end\n\n"].concat(), &[]), [plain("end")]);
}

#[test]
fn fields_follow_the_standard() {
    let found = every_split(b"data:  two spaces\nid: a\nid: b\0c\nfoo: bar\n:x\ndatax: no\nevent:e\n\nid\ndata: z\n\n");
    assert_eq!(found, [(Some("a".into()), "e".into(), b" two spaces".to_vec()), plain("z")]);
    assert!(decoded(b"data: cut off\n", &[]).is_empty());
    assert!(decoded(b"data: cut off", &[]).is_empty());
}

#[test]
fn e05_retry_and_the_last_id_are_kept() {
    let mut decoder = Decoder::new(&Limits::default());
    let mut chunk = &b"retry: 700\nid: 9\ndata:\n\nretry: 7x\nretry:\n\n"[..];
    while decoder.next(&mut chunk).unwrap().is_some() {}
    assert_eq!((decoder.retry(), decoder.last_event_id()), (Some(Duration::from_millis(700)), Some("9")));
}

#[test]
fn the_id_of_an_event_that_is_cut_off_is_not_resumed_after() {
    let mut decoder = Decoder::new(&Limits::default());
    let mut chunk = &b"id: 1\ndata: a\n\nid: 2\ndata: b\n"[..];
    assert_eq!(decoder.next(&mut chunk).unwrap().unwrap().id, Some("1"));
    assert_eq!(decoder.next(&mut chunk).unwrap(), None);
    assert_eq!(decoder.last_event_id(), Some("1"));
    let mut end = &b"\n"[..];
    assert_eq!(decoder.next(&mut end).unwrap().unwrap().id, Some("2"));
}

#[test]
fn limits_are_named() {
    let limits = Limits { message_bytes: 100, token_bytes: 4, ..Limits::default() };
    let limit_of = |stream: &[u8]| {
        let mut decoder = Decoder::new(&limits);
        let error = stream.chunks(7).find_map(|mut chunk| decoder.next(&mut chunk).err());
        error.map(|error| error.fact("limit").unwrap().to_owned())
    };
    assert_eq!(limit_of(format!("data: {}\n\n", "x".repeat(100)).as_bytes()), None);
    assert_eq!(limit_of(format!("data: {}", "x".repeat(200)).as_bytes()).as_deref(), Some("message_bytes"));
    assert_eq!(limit_of(&b"data: 0123456789\n".repeat(11)).as_deref(), Some("message_bytes"));
    assert_eq!(limit_of(b"id: 12345\n").as_deref(), Some("token_bytes"), "security 17: it is echoed");
}

#[test]
fn the_encoder_cannot_be_broken_out_of() {
    let mut out = Vec::new();
    event(&mut out, Some("1\n\0data: no"), Some("e\r"), b"a\r\nb\rc\n");
    comment(&mut out, "still\ndata: here");
    retry(&mut out, Duration::from_secs(2));
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "id: 1data: no\nevent: e\ndata: a\ndata: b\ndata: c\ndata: \n\n: still\n: data: here\n\nretry: 2000\n\n"
    );
}

proptest! {
    #[test]
    fn no_split_changes_the_events(
        stream in prop::collection::vec(prop::sample::select(vec!["data", "id", "event", ":", " ", "\r", "\n", "é", "\0", "\u{feff}"]), 0..60),
        cuts in prop::collection::vec(0usize..120, 0..8),
    ) {
        let stream = stream.concat().into_bytes();
        let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut.min(stream.len())).collect();
        cuts.sort_unstable();
        prop_assert_eq!(decoded(&stream, &cuts), decoded(&stream, &[]));
    }

    #[test]
    fn what_is_encoded_is_decoded(id in "[^\r\n\0]{1,8}", name in "[a-z]{1,8}", data in "(?s).{0,40}") {
        let mut out = Vec::new();
        event(&mut out, Some(&id), Some(&name), data.as_bytes());
        let lines = data.replace("\r\n", "\n").replace('\r', "\n").into_bytes();
        prop_assert_eq!(decoded(&out, &[]), [(Some(id), name, lines)]);
    }
}
