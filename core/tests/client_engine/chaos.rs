//! Servers that do anything in any order: every call has exactly one result in its time, and every state is told once.

use std::collections::BTreeMap;
use std::time::Duration;

use http::StatusCode;
use omniport::engine::client::{ClientOptions, EraChoice};
use omniport::error::{Error, ErrorKind};
use omniport::model::Version;
use proptest::prelude::*;
use serde_json::Value;

use super::http::{JSON, SSE};
use super::pair::URL;
use super::recorder::{Client, Lines, Requests, Told, over_http, over_lines};

const WORDS: [(&str, &str); 6] = [
    ("list_tools", "{}"),
    ("call_tool", r#"{"name":"t"}"#),
    ("ping", "{}"),
    ("subscribe", r#"{"uri":"r://1"}"#),
    ("unsubscribe", r#"{"uri":"r://1"}"#),
    ("listen", r#"{"notifications":{"toolsListChanged":true}}"#),
];

const ERRORS: [&str; 4] = [
    r#""error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}"#,
    r#""error":{"code":-32601,"message":"no"}"#,
    r#""error":{"code":-32000,"message":"no session"}"#,
    r#""error":{"code":-32022,"message":"no","data":{"supported":["2025-11-25"]}}"#,
];

fn options(era: u8) -> ClientOptions {
    let mut options = ClientOptions::new("test", "1");
    options.era = match era % 3 {
        0 => EraChoice::Auto,
        1 => EraChoice::Modern,
        _ => EraChoice::Legacy(Version::V2025_06_18),
    };
    options.known = [None, Some(Version::V2026_07_28), Some(Version::V2025_03_26)][usize::from(era / 3 % 3)];
    options
}

/// A fitting answer to a request.
fn answer(request: &Value) -> String {
    let result = match request["method"].as_str() {
        Some("server/discover") => {
            r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}"#
        }
        Some("initialize") => {
            r#"{"protocolVersion":"2025-06-18","capabilities":{"logging":{}},"serverInfo":{"name":"s","version":"1"}}"#
        }
        _ => r#"{"resultType":"complete","tools":[],"content":[]}"#,
    };
    message(request, &format!("\"result\":{result}"))
}

fn message(request: &Value, body: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{},{body}}}"#, request["id"])
}

fn acknowledge(request: &Value) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{{"notifications":{{}},"_meta":{{"io.modelcontextprotocol/subscriptionId":{}}}}}}}"#,
        request["id"]
    )
}

/// Leaves the client alone for longer than any call may take, closes it, and checks what its host was told.
fn check<S>(client: &mut Client<S>, mut results: BTreeMap<u64, u32>) {
    for _ in 0..400 {
        client.pass(Duration::from_secs(10));
    }
    let told = client.host.take();
    client.engine.close();
    for told in told {
        if let Told::Result(token, _) = told {
            *results.entry(token).or_default() += 1;
        }
    }
    assert!(results.values().all(|count| *count == 1), "{results:?}");
    assert!(client.host.take().iter().all(|told| !matches!(told, Told::Result(..))));
    let states = client.host.states();
    assert!(states.windows(2).all(|pair| pair[0].word() != pair[1].word()), "{states:?}");
    assert!(matches!(states.last().map(|state| state.word()), Some("failed" | "closed")), "{states:?}");
    assert!(client.engine.tick(client.now).is_none());
}

fn lines(era: u8, steps: &[(u8, u8)]) {
    let mut client: Client<Lines> = over_lines(options(era));
    let mut results = BTreeMap::from([(client.engine.connect(client.now), 0)]);
    let mut open: Vec<Value> = Vec::new();
    for &(step, which) in steps {
        open.extend(client.sent().into_iter().filter(|sent| sent.get("id").is_some()));
        let pick = |open: &[Value]| (!open.is_empty()).then(|| usize::from(which) % open.len());
        match step % 8 {
            0 => {
                let (word, params) = WORDS[usize::from(which) % WORDS.len()];
                results.insert(client.start(word, params), 0);
            }
            1 | 2 => pick(&open).into_iter().for_each(|at| client.hear(&answer(&open.remove(at)))),
            3 => pick(&open).into_iter().for_each(|at| client.hear(&acknowledge(&open[at]))),
            4 => {
                let error = ERRORS[usize::from(which) % ERRORS.len()];
                pick(&open).into_iter().for_each(|at| client.hear(&message(&open.remove(at), error)));
            }
            5 => client.engine.lost(Error::new(ErrorKind::Closed, "gone"), client.now),
            6 => client.pass(Duration::from_millis(u64::from(which) * 200)),
            _ => client.engine.cancel(u64::from(which % 16) + 1, "enough"),
        }
    }
    check(&mut client, results);
}

fn requests(era: u8, steps: &[(u8, u8)]) {
    let mut client: Client<Requests> = over_http(options(era), URL);
    let mut results = BTreeMap::from([(client.engine.connect(client.now), 0)]);
    let mut open: Vec<(u64, Value)> = Vec::new();
    for &(step, which) in steps {
        let started: Vec<_> = client.out.started.lock().unwrap().drain(..).collect();
        open.extend(
            started.into_iter().map(|(id, request)| (id, serde_json::from_slice(request.body()).unwrap_or_default())),
        );
        let at = (!open.is_empty()).then(|| usize::from(which) % open.len());
        match (step % 9, at) {
            (0, _) => {
                let (word, params) = WORDS[usize::from(which) % WORDS.len()];
                results.insert(client.start(word, params), 0);
            }
            (1 | 2, Some(at)) => {
                let (id, body) = open.remove(at);
                match body.get("id") {
                    Some(_) => {
                        client.head(id, 200, JSON, Some("S"));
                        client.engine.http_chunk(id, answer(&body).as_bytes(), client.now);
                        client.engine.http_end(id, client.now);
                    }
                    None => client.answer(id, 202, "", ""),
                }
            }
            (3, Some(at)) => {
                let (id, body) = open[at].clone();
                client.head(id, 200, SSE, None);
                let events = format!("event: endpoint\ndata: /m\n\nid: e{which}\ndata: {}\n\n", acknowledge(&body));
                client.engine.http_chunk(id, events.as_bytes(), client.now);
            }
            (4, Some(at)) => client.engine.http_end(open.remove(at).0, client.now),
            (5, Some(at)) => {
                let sent = ["no", "yes"][usize::from(which % 2)];
                let error = Error::new(ErrorKind::Io, "reset").with("sent", sent).retryable();
                client.engine.http_failed(open.remove(at).0, error, client.now);
            }
            (6, Some(at)) => {
                let (id, body) = open.remove(at);
                let status = [404, 400, 405, 503, 401][usize::from(which) % 5];
                assert!(StatusCode::from_u16(status).is_ok());
                client.answer(id, status, JSON, &message(&body, ERRORS[usize::from(which) % ERRORS.len()]));
            }
            (7, _) => client.pass(Duration::from_millis(u64::from(which) * 200)),
            (8, _) => client.engine.cancel(u64::from(which % 16) + 1, "enough"),
            _ => {}
        }
    }
    check(&mut client, results);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn every_call_has_one_result_over_a_stream(era in any::<u8>(), steps in prop::collection::vec(any::<(u8, u8)>(), 0..80)) {
        lines(era, &steps);
    }

    #[test]
    fn every_call_has_one_result_over_http(era in any::<u8>(), steps in prop::collection::vec(any::<(u8, u8)>(), 0..80)) {
        requests(era, &steps);
    }
}
