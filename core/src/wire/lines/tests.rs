use super::*;
use proptest::prelude::*;

/// The lines of `stream`, fed in pieces that end at `cuts`.
fn framed(stream: &[u8], cuts: &[usize], limit: usize) -> Vec<Option<Vec<u8>>> {
    let owned = |line: Line<'_>| match line {
        Line::Text(text) => Some(text.to_vec()),
        Line::TooLong => None,
    };
    let (mut lines, mut found, mut start) = (Lines::new(limit), Vec::new(), 0);
    for end in cuts.iter().copied().chain([stream.len()]) {
        let mut chunk = &stream[start..end];
        start = end;
        while let Some(line) = lines.next(&mut chunk) {
            found.push(owned(line));
        }
        assert!(chunk.is_empty());
    }
    found.extend(lines.finish().map(owned));
    found
}

fn texts(lines: &[&str]) -> Vec<Option<Vec<u8>>> {
    lines.iter().map(|line| Some(line.as_bytes().to_vec())).collect()
}

#[test]
fn line_ends_marks_and_blank_lines() {
    let stream = "\u{feff}{\"a\":1}\r\n\n\r\n \t\n{}\r\r\nlast";
    assert_eq!(framed(stream.as_bytes(), &[], 100), texts(&["{\"a\":1}", "{}\r", "last"]));
}

#[test]
fn w01_bad_bytes_cost_their_own_line() {
    let stream = b"\xFF\xFE\n{\"id\":1}\n";
    assert_eq!(framed(stream, &[], 100), [Some(b"\xFF\xFE".to_vec()), Some(b"{\"id\":1}".to_vec())]);
}

#[test]
fn w18_only_lf_ends_a_line() {
    let text = "a\u{2028}b\u{2029}c\u{85}d\u{b}e\u{c}f\rg";
    assert_eq!(framed(format!("{text}\n").as_bytes(), &[], 100), texts(&[text]));
}

#[test]
fn a_whole_line_is_not_copied() {
    let mut lines = Lines::new(100);
    let mut chunk = &b"abc\ndef\n"[..];
    let place = chunk.as_ptr();
    assert!(matches!(lines.next(&mut chunk), Some(Line::Text(line)) if line.as_ptr() == place));
    assert_eq!(lines.held.capacity(), 0);
}

#[test]
fn w20_a_long_line_arrives_in_pieces() {
    let limit = 16 << 20;
    let mut lines = Lines::new(limit);
    let piece = [b'x'; 1024];
    for _ in 0..limit / piece.len() {
        assert_eq!(lines.next(&mut &piece[..]), None);
    }
    let mut end = &b"\r\nnext\n"[..];
    assert!(matches!(lines.next(&mut end), Some(Line::Text(line)) if line.len() == limit));
    assert_eq!(lines.next(&mut end), Some(Line::Text(b"next")));
    assert!(lines.held.capacity() <= KEEP, "the memory of a giant goes back");
}

#[test]
fn w20_a_line_beyond_the_limit_is_skipped_flat() {
    let mut lines = Lines::new(64 << 10);
    let piece = [b'x'; 1024];
    let marks = (0..100_000).filter(|_| lines.next(&mut &piece[..]) == Some(Line::TooLong)).count();
    assert_eq!(marks, 1);
    assert!(lines.held.capacity() <= KEEP);
    let mut rest = &b"tail\nnext\n"[..];
    assert_eq!(lines.next(&mut rest), Some(Line::Text(b"next")));
}

#[test]
fn the_limit_counts_the_text_alone() {
    let stream = "\u{feff}12345678\r\n12345678\r\n123456789\n123456789\r\n12345678\r\r\n         \nx";
    let found = framed(stream.as_bytes(), &[], 8);
    let eight = Some(b"12345678".to_vec());
    assert_eq!(found, [eight.clone(), eight, None, None, None, None, Some(b"x".to_vec())]);
}

proptest! {
    #[test]
    fn no_split_changes_the_lines(
        stream in prop::collection::vec(prop::sample::select(b"ab \r\n\xEF\xBB\xBF".to_vec()), 0..60),
        mark in any::<bool>(),
        cuts in prop::collection::vec(0usize..64, 0..8),
        limit in 4usize..12,
    ) {
        let stream = if mark { [&b"\xEF\xBB\xBF"[..], &stream].concat() } else { stream };
        let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut.min(stream.len())).collect();
        cuts.sort_unstable();
        let whole = framed(&stream, &[], limit);
        prop_assert_eq!(framed(&stream, &cuts, limit), &whole[..]);
        let bytewise: Vec<_> = (0..stream.len()).collect();
        prop_assert_eq!(framed(&stream, &bytewise, limit), whole);
    }
}

#[test]
fn a_line_that_was_gathered_can_be_taken() {
    let mut lines = Lines::new(100);
    assert_eq!(lines.next(&mut &b"on"[..]), None);
    assert_eq!(lines.next(&mut &b"e\r\n"[..]), Some(Line::Text(b"one")));
    assert_eq!((lines.take_held(), lines.take_held()), (b"one".to_vec(), Vec::new()));
    assert_eq!(lines.next(&mut &b"two\n"[..]), Some(Line::Text(b"two")));
    assert!(lines.take_held().is_empty());
}
