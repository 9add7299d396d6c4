//! The same story in every revision, over both carriers: what a host sees must not depend on the era.

use omniport::engine::client::{AskKind, Change, ClientOptions, EraChoice, ToolsDiff};
use omniport::error::ErrorKind;
use omniport::model::Version;
use serde_json::{Value, json};

use super::pair::{Pair, URL, http_pair, stream_pair};
use super::recorder::Told;

pub const ERAS: [EraChoice; 6] = [
    EraChoice::Auto,
    EraChoice::Modern,
    EraChoice::Legacy(Version::V2025_11_25),
    EraChoice::Legacy(Version::V2025_06_18),
    EraChoice::Legacy(Version::V2025_03_26),
    EraChoice::Legacy(Version::V2024_11_05),
];

pub fn options(era: EraChoice) -> ClientOptions {
    let mut options = ClientOptions::new("test", "1");
    options.capabilities = r#"{"elicitation":{}}"#.into();
    options.era = era;
    options
}

pub fn version_of(era: EraChoice) -> Version {
    match era {
        EraChoice::Legacy(version) => version,
        _ => Version::V2026_07_28,
    }
}

/// Connects, and checks whom it found.
pub fn connect<P: Pair>(pair: &mut P, version: Version) {
    let client = pair.client();
    let token = client.engine.connect(client.now);
    pair.settle();
    let server = pair.client().host.result(token).expect("an answer").expect("a connection");
    assert_eq!((&server["server"]["name"], &server["protocol_version"]), (&json!("pair"), &json!(version.as_str())));
}

/// Does one operation to its end.
pub fn call<P: Pair>(pair: &mut P, word: &str, params: &str) -> Result<Value, omniport::error::Error> {
    let token = pair.client().start(word, params);
    pair.settle();
    pair.client().host.result(token).unwrap_or_else(|| panic!("{word} has no answer"))
}

/// What a server of any revision can be asked.
fn story<P: Pair>(pair: &mut P, version: Version) {
    connect(pair, version);
    let tools = call(pair, "list_tools", "{}").unwrap();
    assert_eq!(tools["tools"].as_array().unwrap().len(), 4);
    let echo = call(pair, "call_tool", r#"{"name":"echo","arguments":{"n":18446744073709551615}}"#).unwrap();
    match version.has_structured_content() {
        true => assert_eq!(echo["structuredContent"], json!({"n": u64::MAX})),
        false => assert_eq!(echo["content"][0]["text"], format!("{{\"n\":{}}}", u64::MAX)),
    }
    assert_eq!(call(pair, "read_resource", r#"{"uri":"r://é"}"#).unwrap()["contents"][0]["text"], "x");
    assert_eq!(call(pair, "get_prompt", r#"{"name":"größe"}"#).unwrap()["messages"], json!([]));
    assert_eq!(call(pair, "ping", "{}").unwrap(), json!({}));
    assert_eq!(call(pair, "set_log_level", r#"{"level":"error"}"#).unwrap(), json!({}));
    let unknown = call(pair, "call_tool", r#"{"name":"nope"}"#).unwrap_err();
    assert_eq!((unknown.kind(), unknown.code()), (ErrorKind::Remote, -32602));
    steps(pair);
    if version.has_elicitation() {
        question(pair);
    }
    changes(pair);
    cancel(pair);
    let client = pair.client();
    client.engine.close();
    pair.settle();
    assert!(pair.client().host.take().iter().any(|told| matches!(told, Told::Closed(_))));
}

fn steps<P: Pair>(pair: &mut P) {
    let token = pair.client().start("call_tool", r#"{"name":"steps"}"#);
    pair.settle();
    let told = pair.client().host.take();
    let progress: Vec<_> = told
        .iter()
        .filter_map(|told| match told {
            Told::Progress(of, params) if *of == token => params["progress"].as_f64(),
            _ => None,
        })
        .collect();
    assert_eq!(progress, [1.0, 2.0], "{told:?}");
    assert!(matches!(told.last(), Some(Told::Result(of, Ok(_))) if *of == token));
}

fn question<P: Pair>(pair: &mut P) {
    let token = pair.client().start("call_tool", r#"{"name":"ask"}"#);
    pair.settle();
    let client = pair.client();
    let (number, kind, params) = client.host.asks().remove(0);
    assert_eq!((kind, &params["message"]), (AskKind::Elicit, &json!("who?")));
    client.engine.answer(number, r#"{"result":{"action":"accept","content":{"who":"me"}}}"#, client.now);
    pair.settle();
    let result = pair.client().host.result(token).unwrap().unwrap();
    assert_eq!(result["structuredContent"]["answer"]["content"]["who"], "me");
}

fn changes<P: Pair>(pair: &mut P) {
    assert_eq!(call(pair, "subscribe", r#"{"uri":"r://é"}"#).unwrap(), json!({}));
    let listening = call(pair, "listen", r#"{"notifications":{"toolsListChanged":true}}"#).unwrap();
    assert_eq!(listening["notifications"]["toolsListChanged"], true);
    pair.server().engine.resource_updated("r://é");
    pair.server().engine.list_changed(omniport::registry::Kind::Tools);
    pair.settle();
    // Changes of a list are gathered; since it was listed before, it is read again.
    pair.client().pass(omniport::limits::Limits::default().refresh_after);
    pair.settle();
    let mut changes: Vec<_> = pair.client().host.take();
    changes.retain(|told| matches!(told, Told::Change(_)));
    assert!(
        matches!(
            &changes[..],
            [Told::Change(Change::Resource { uri }), Told::Change(Change::Tools(Some(diff)))]
                if **uri == *"r://é" && **diff == ToolsDiff::default()
        ),
        "{changes:?}"
    );
    assert_eq!(call(pair, "unsubscribe", r#"{"uri":"r://é"}"#).unwrap(), json!({}));
    pair.server().engine.resource_updated("r://é");
    pair.settle();
    assert!(pair.client().host.take().iter().all(|told| !matches!(told, Told::Change(_))));
}

fn cancel<P: Pair>(pair: &mut P) {
    let token = pair.client().start("call_tool", r#"{"name":"wait"}"#);
    pair.settle();
    let client = pair.client();
    client.engine.cancel(token, "enough");
    assert_eq!(client.host.result(token).unwrap().unwrap_err().kind(), ErrorKind::Cancelled);
    pair.settle();
    assert_eq!(*pair.server().tools.cancelled.lock().unwrap(), 1, "the server hears of it");
}

#[test]
fn one_story_over_a_stream() {
    for era in ERAS {
        story(&mut stream_pair(options(era)), version_of(era));
    }
}

#[test]
fn one_story_over_http() {
    for era in ERAS {
        let mut pair = http_pair(options(era), URL);
        story(&mut pair, version_of(era));
        match era {
            EraChoice::Legacy(_) => assert_eq!(pair.seen.last().unwrap(), "DELETE "),
            _ => assert!(pair.seen.iter().all(|seen| seen.starts_with("POST ")), "{:?}", pair.seen),
        }
    }
}

#[test]
fn one_story_over_the_event_stream_of_2024() {
    let mut pair = http_pair(options(EraChoice::Auto), "http://127.0.0.1:8000/sse");
    story(&mut pair, Version::V2025_11_25);
    assert_eq!(pair.seen[..3], ["POST server/discover", "POST ", "GET "]);
}
