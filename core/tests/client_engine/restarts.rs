//! A real server that is replaced by another one, in every revision and over every carrier: the host notices it by a state only.

use std::time::Duration;

use omniport::engine::client::{Change, ClientState, EraChoice};
use omniport::model::Version;
use serde_json::json;

use super::pair::{Pair, URL, http_pair, stream_pair};
use super::pairs::{ERAS, call, connect, options, version_of};
use super::recorder::Told;

/// What the host has of its server: an answer, and changes of what it watches.
fn works<P: Pair>(pair: &mut P) {
    let echo = call(pair, "call_tool", r#"{"name":"echo","arguments":{"n":1}}"#).unwrap();
    assert!(echo["structuredContent"]["n"] == 1 || echo["content"][0]["text"] == json!("{\"n\":1}"), "{echo}");
    pair.client().host.take();
    pair.server().engine.resource_updated("r://é");
    pair.settle();
    let told = pair.client().host.take();
    assert!(
        matches!(&told[..], [Told::Change(Change::Resource { uri })] if **uri == *"r://é"),
        "watched once, and still: {told:?}"
    );
}

fn story<P: Pair>(pair: &mut P, version: Version, restart: fn(&mut P)) {
    connect(pair, version);
    call(pair, "subscribe", r#"{"uri":"r://é"}"#).unwrap();
    works(pair);
    for _ in 0..3 {
        restart(pair);
        for _ in 0..4 {
            pair.client().pass(Duration::from_secs(1));
            pair.settle();
        }
        assert_eq!(pair.client().engine.version(), Some(version));
        let missed = pair.client().host.take().iter().any(|told| matches!(told, Told::Change(Change::Missed { .. })));
        assert!(missed);
        works(pair);
        pair.client().pass(Duration::from_secs(60));
        pair.settle();
    }
    let states = pair.client().host.states();
    assert!(states.iter().all(|state| !matches!(state, ClientState::Failed { .. })), "{states:?}");
    assert!(states.windows(2).all(|pair| pair[0] != pair[1]), "{states:?}");
}

#[test]
fn c11_a_process_is_replaced() {
    for era in ERAS {
        story(&mut stream_pair(options(era)), version_of(era), |pair| pair.restart());
    }
}

#[test]
fn h01_an_endpoint_is_replaced() {
    for era in ERAS {
        story(&mut http_pair(options(era), URL), version_of(era), |pair| pair.restart());
    }
}

#[test]
fn h01_an_endpoint_of_2024_is_replaced() {
    let mut pair = http_pair(options(EraChoice::Auto), "http://127.0.0.1:8000/sse");
    story(&mut pair, Version::V2025_11_25, |pair| pair.restart());
}
