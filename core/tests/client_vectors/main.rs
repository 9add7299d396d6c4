//! Runs every file of `tests/vectors/client` on the client's engine, for each revision and transport that it names, with a fake clock.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test: a failure is a panic, and the counts are for its reader"
)]

use std::path::{Path, PathBuf};

#[path = "../support/conforms.rs"]
mod conforms;
mod file;
mod listener;
mod outbox;
#[path = "../support/pattern.rs"]
mod pattern;
mod peer;
#[path = "../support/revisions.rs"]
mod revisions;
#[path = "../support/rule.rs"]
mod rule;
mod rules;
mod run;

use file::{Transport, Vector};
use rule::Tally;
use run::run;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors/client")
}

/// Every vector of a client. Set `VECTOR` to a part of a path to run only those.
fn vectors() -> Vec<(String, Result<Vector, String>)> {
    let folder = folder();
    let wanted = std::env::var_os("VECTOR").map(|wanted| wanted.to_string_lossy().into_owned()).unwrap_or_default();
    let named = |path: &PathBuf| format!("client/{}", path.strip_prefix(&folder).unwrap().display());
    let paths = revisions::files(&folder).into_iter().map(|path| (named(&path), path));
    paths.filter(|(name, _)| name.contains(&wanted)).map(|(name, path)| (name, Vector::read(&path))).collect()
}

#[test]
fn every_vector_holds() {
    let all = vectors();
    let (mut failures, mut total, mut runs) = (Vec::new(), Tally::default(), 0);
    for (name, vector) in &all {
        let vector = match vector {
            Ok(vector) => vector,
            Err(error) => {
                failures.push(format!("{name}: {error}"));
                continue;
            }
        };
        for revision in vector.revisions() {
            for transport in &vector.transports {
                runs += 1;
                match judged(run(vector, &revision, *transport)) {
                    Ok(tally) => total.add(tally),
                    Err(error) => {
                        failures.push(format!("{name} {:?} [{revision}, {transport:?}]\n  {error}", vector.rule));
                    }
                }
            }
        }
    }
    println!("{} vectors, {runs} runs: {total:?}", all.len());
    assert!(failures.is_empty(), "{} of {runs} runs failed:\n\n{}\n", failures.len(), failures.join("\n\n"));
    assert!(total.runs == runs, "not everything ran");
}

/// A run that looked at nothing has not passed.
fn judged(result: Result<Tally, String>) -> Result<Tally, String> {
    match result {
        Ok(tally) if tally.assertions == 0 => Err("no step looks at what the client did".to_owned()),
        other => other,
    }
}

/// Runs a vector of these steps; everything else about it is right.
fn run_steps(revision: &str, transport: Transport, steps: &str) -> Result<Tally, String> {
    let text = format!(
        r#"{{"rule": "A rule of this test.", "spec": ["2025-11-25/basic/index"], "revisions": ["all"], "steps": [{steps}]}}"#
    );
    judged(run(&Vector::parse(&text)?, revision, transport))
}

const LIST: &str = r#"{"start": "list_prompts"}, {"out": [{"method": "prompts/list"}]}"#;
const LISTED: &str = r#"{"reply": "prompts/list", "result": {"prompts": []}}"#;
const DONE: &str = r#"{"told": [{"done": "list_prompts", "result": {"prompts": []}}]}"#;

#[test]
fn a_right_vector_passes_in_every_era_and_over_every_carrier() {
    for revision in revisions::REVISIONS {
        for transport in [Transport::Stream, Transport::Http] {
            let tally = run_steps(revision, transport, &format!("{LIST}, {LISTED}, {DONE}, {{\"none\": true}}"));
            let tally = tally.unwrap_or_else(|error| panic!("{revision} {transport:?}: {error}"));
            assert_eq!((tally.steps, tally.assertions, tally.messages), (5, 3, 1));
        }
    }
}

#[test]
fn a_wrong_vector_fails() {
    for (what, steps) in [
        ("another method", r#"{"start": "list_tools"}, {"out": [{"method": "prompts/list"}]}"#.to_owned()),
        ("one message more", r#"{"start": "list_tools"}, {"out": [{}, {}]}"#.to_owned()),
        ("a message that nobody looked at", r#"{"start": "list_tools"}, {"told": []}"#.to_owned()),
        ("a result that nobody looked at", format!("{LIST}, {LISTED}")),
        ("another result", format!("{LIST}, {LISTED}, {}", DONE.replace("[]}", "[1]}"))),
        ("another name", format!("{LIST}, {LISTED}, {}", DONE.replace("list_prompts", "other"))),
        ("a call that was not taken back", format!(r#"{LIST}, {{"taken_back": "prompts/list"}}"#)),
        (
            "a call that was",
            format!(r#"{LIST}, {{"cancel": "list_prompts"}}, {{"told": [{{"done": "list_prompts"}}]}}"#),
        ),
        ("no look at anything", r#"{"advance_ms": 1}"#.to_owned()),
        ("an answer to nothing", format!(r#"{LISTED}, {{"none": true}}"#)),
        ("an unknown operation", r#"{"start": "list"}, {"none": true}"#.to_owned()),
        ("an unknown key", r#"{"none": true, "sort": true}"#.to_owned()),
        ("an unknown matcher", format!(r#"{LIST}, {LISTED}, {{"told": [{{"done": {{"$integer": 1}}}}]}}"#)),
        ("two verbs", r#"{"none": true, "close": true}"#.to_owned()),
        ("a text that is not there", r#"{"start": "list_tools"}, {"out": [{}], "holds": ["tools/call"]}"#.to_owned()),
        ("a report that was not made", r#"{"reports": [{}]}"#.to_owned()),
        ("a restart that did not happen", r#"{"restarted": true}"#.to_owned()),
        ("a name that nobody has", r#"{"respond": "r"}, {"none": true}"#.to_owned()),
    ] {
        for (revision, transport) in [("2025-11-25", Transport::Stream), ("2026-07-28", Transport::Http)] {
            assert!(run_steps(revision, transport, &steps).is_err(), "{what} must fail");
        }
    }
}

#[test]
fn a_file_is_read_strictly() {
    let good =
        r#"{"rule": "A rule of this test.", "spec": ["2025-11-25/basic/index"], "revisions": ["all"], "steps": []}"#;
    assert!(Vector::parse(good).is_ok());
    for (from, to) in [
        ("steps", "step"),
        ("\"all\"", "\"2025\""),
        ("2025-11-25/basic/index", "basic/index"),
        ("A rule of this test.", ""),
        ("\"steps\": []", "\"steps\": [], \"client\": {\"page\": 2}"),
        ("\"steps\": []", "\"steps\": [], \"vars\": {\"2025\": {}}"),
    ] {
        assert!(Vector::parse(&good.replace(from, to)).is_err(), "{to}");
    }
}

#[test]
fn what_always_holds_is_looked_at() {
    let check = |messages: &[&str], revision: &str| {
        let mut rules = rules::Rules::default();
        rules.heard(&serde_json::json!({"id": "q", "method": "ping"}));
        messages.iter().try_for_each(|message| rules.message(message.as_bytes(), revision).map(drop))
    };
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"progressToken":1}}}"#;
    let pong = r#"{"jsonrpc":"2.0","id":"q","result":{}}"#;
    check(&[list, pong], "2025-11-25").unwrap();
    for (what, messages, revision) in [
        ("an id twice", &[list, list][..], "2025-11-25"),
        ("a token twice", &[list, &list.replace("\"id\":1", "\"id\":2")], "2025-11-25"),
        ("an answer twice", &[pong, pong], "2025-11-25"),
        ("an answer to nothing", &[r#"{"jsonrpc":"2.0","id":2,"result":{}}"#], "2025-11-25"),
        ("an answer to junk", &[r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":""}}"#], "2025-11-25"),
        ("no version", &[r#"{"id":1,"method":"ping"}"#], "2025-11-25"),
        ("a null id", &[r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#], "2025-11-25"),
        ("a batch", &["[]"], "2025-11-25"),
        ("a request without metadata", &[list], "2026-07-28"),
        ("a response", &[pong], "2026-07-28"),
        ("an unknown method", &[r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#], "2025-11-25"),
        ("a wrong member", &[r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}"#], "2025-11-25"),
    ] {
        assert!(check(messages, revision).is_err(), "{what}");
    }
}
