//! The general stream of a legacy session.

use std::time::Duration;

use omniport::engine::client::{Change, ClientOptions};
use omniport::error::{Error, ErrorKind};

use super::http::{LEGACY, SSE, client};
use super::pair::URL;
use super::recorder::{Client, Requests, Told, over_http};

const CHANGED: &str = r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"r://1"}}"#;

/// A session whose general stream is open, and the number of that.
fn open() -> (Client<Requests>, u64) {
    let client = client(LEGACY);
    client.open_session((202, "", ""));
    let (stream, verb, _) = client.next();
    assert_eq!(verb, "GET");
    client.head(stream, 200, SSE, None);
    client.host.take();
    client.host.states();
    (client, stream)
}

impl Client<Requests> {
    /// The stream is opened again after exactly that time; gives its number and what it is taken up after.
    fn reopened(&mut self, wait: Duration) -> (u64, Option<String>) {
        self.pass(wait - Duration::from_millis(1));
        assert!(self.out.started.lock().unwrap().is_empty(), "too early: {wait:?}");
        self.pass(Duration::from_millis(1));
        let (id, head, _) = self.next_with_head();
        (id, head.get("last-event-id").map(|id| id.to_str().unwrap().to_owned()))
    }

    fn event(&self, stream: u64, head: &str, data: &str) {
        self.engine.http_chunk(stream, format!("{head}data: {data}\n\n").as_bytes(), self.now);
    }
}

fn changes(client: &Client<Requests>) -> usize {
    let told = client.host.take();
    told.iter().filter(|told| matches!(told, Told::Change(Change::Resource { .. }))).count()
}

#[test]
fn e05_a_stream_is_taken_up_where_it_was_left() {
    let (mut client, stream) = open();
    client.event(stream, "id: a\nretry: 700\n", CHANGED);
    client.event(stream, "id: b\n", CHANGED);
    client.engine.http_end(stream, client.now);
    assert_eq!(changes(&client), 2);
    let (stream, after) = client.reopened(Duration::from_millis(700));
    assert_eq!(after.as_deref(), Some("b"));
    client.head(stream, 200, SSE, None);
    // A server that sends too much again is heard once.
    client.event(stream, "id: a\n", CHANGED);
    client.event(stream, "id: b\n", CHANGED);
    client.event(stream, "id: c\n", CHANGED);
    client.event(stream, "", CHANGED);
    assert_eq!(changes(&client), 2, "`c`, and one without an id of its own");
    client.engine.http_failed(stream, Error::new(ErrorKind::Io, "reset"), client.now);
    assert_eq!(client.reopened(Duration::from_millis(700)).1.as_deref(), Some("c"));
}

#[test]
fn a_server_that_numbers_each_stream_from_one_loses_nothing() {
    let (mut client, stream) = open();
    client.event(stream, "id: 1\n", CHANGED);
    client.engine.http_end(stream, client.now);
    let (stream, _) = client.reopened(Duration::from_secs(1));
    client.head(stream, 200, SSE, None);
    client.event(stream, "id: 1\n", &CHANGED.replace("r://1", "r://2"));
    assert_eq!(changes(&client), 2);
}

#[test]
fn x06_a_stream_that_brings_nothing_is_opened_less_often() {
    let (mut client, mut stream) = open();
    for wait in [1, 2, 4, 8, 16, 30, 30] {
        client.engine.http_end(stream, client.now);
        let (next, after) = client.reopened(Duration::from_secs(wait));
        assert_eq!(after, None);
        client.head(next, 200, SSE, None);
        // Without ids nobody knows what was sent meanwhile.
        assert!(matches!(client.host.take()[..], [Told::Change(Change::Missed { token: None })]), "{wait}");
        stream = next;
    }
    // One that lasted is no such stream.
    client.pass(Duration::from_secs(30));
    client.engine.http_end(stream, client.now);
    client.reopened(Duration::from_secs(1));
}

#[test]
fn h06_no_stream_and_no_retry() {
    for status in [405, 404, 400, 501] {
        let client = client(LEGACY);
        client.open_session((202, "", ""));
        let (stream, ..) = client.next();
        client.answer(stream, status, "", "");
        assert!(client.engine.tick(client.now).is_none(), "{status}");
    }
    let (mut client, stream) = open();
    client.engine.http_end(stream, client.now);
    let (stream, _) = client.reopened(Duration::from_secs(1));
    client.answer(stream, 405, "", "");
    assert!(client.engine.tick(client.now).is_none());
    assert!(client.host.states().is_empty());
}

#[test]
fn a_stream_that_is_refused_for_now_is_asked_for_later() {
    let client = client(LEGACY);
    let mut client = client;
    client.open_session((202, "", ""));
    let (stream, ..) = client.next();
    client.answer(stream, 503, "", "");
    client.reopened(Duration::from_secs(1));
}

#[test]
fn h01_a_404_for_a_stream_that_was_there_is_a_lost_session() {
    let (mut client, stream) = open();
    client.engine.http_end(stream, client.now);
    let (stream, _) = client.reopened(Duration::from_secs(1));
    client.answer(stream, 404, "", "");
    client.handshake("S2");
    let (_, head, _) = client.next_with_head();
    assert_eq!((&head["mcp-session-id"], head.get("last-event-id")), (&"S2".parse().unwrap(), None));
}

#[test]
fn without_recovery_a_stream_ends() {
    let mut options = ClientOptions::new("test", "1");
    (options.era, options.recover) = (LEGACY, false);
    let client = over_http(options, URL);
    client.open_session((202, "", ""));
    let (stream, ..) = client.next();
    client.head(stream, 200, SSE, None);
    client.engine.http_end(stream, client.now);
    assert!(client.engine.tick(client.now).is_none());
}
