//! Runs every file of `tests/vectors` on the engine, for each revision and transport that it names.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test: a failure is a panic, and the counts are for its reader"
)]

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

mod support;

use omniport::protocol::sink::{Frame, Sink};
use omniport::time::Now;
use support::invariants::Ledger;
use support::revisions::files;
use support::rule::Tally;
use support::run::run;
use support::server::Standard;
use support::vector::{ServerSettings, Transport, Vector};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors")
}

/// Every vector of a server: not `standard.json`, which describes it, nor those of clients. Set `VECTOR` to a part of a path to run only
/// those.
fn vectors() -> Vec<(String, Result<Vector, String>)> {
    let folder = folder();
    let wanted = std::env::var_os("VECTOR").map(|wanted| wanted.to_string_lossy().into_owned()).unwrap_or_default();
    let is_other = |path: &PathBuf| *path == folder.join("standard.json") || path.starts_with(folder.join("client"));
    let paths = files(&folder).into_iter().filter(|path| !is_other(path));
    let named = paths.map(|path| (path.strip_prefix(&folder).unwrap().display().to_string(), path));
    named.filter(|(name, _)| name.contains(&wanted)).map(|(name, path)| (name, Vector::read(&path))).collect()
}

#[test]
fn every_vector_holds() {
    let all = vectors();
    let mut failures: Vec<String> =
        all.iter().filter_map(|(name, vector)| vector.as_ref().err().map(|error| format!("{name}: {error}"))).collect();
    let mut runs = Vec::new();
    for (name, vector) in all.iter().filter_map(|(name, vector)| Some((name, vector.as_ref().ok()?))) {
        for revision in vector.revisions() {
            runs.extend(vector.transports.iter().map(|transport| (name, vector, revision.clone(), *transport)));
        }
    }
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some((_, vector, revision, transport)) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = run(vector, revision, *transport);
                    results.lock().unwrap().push(judged(vector, revision, *transport, result));
                }
            });
        }
    });
    let mut total = Tally::default();
    for result in results.into_inner().unwrap() {
        match result {
            Ok(tally) => total.add(tally),
            Err(failure) => failures.push(failure),
        }
    }
    println!("{} vectors, {} runs: {total:?}", all.len(), runs.len());
    failures.sort();
    assert!(failures.is_empty(), "{} of {} runs failed:\n\n{}\n", failures.len(), runs.len(), failures.join("\n\n"));
    assert!(total.runs == runs.len() && total.messages > 0, "not everything ran");
}

/// A reader that is so slow that nothing but answers should be sent to it.
#[derive(Default)]
struct SlowReader(Mutex<Vec<bytes::Bytes>>);

impl Sink for SlowReader {
    fn send(&self, frame: Frame) {
        self.0.lock().unwrap().push(frame.into_message().into_bytes());
    }

    fn is_congested(&self) -> bool {
        true
    }
}

#[test]
fn y09_a_slow_reader_gets_its_answers_and_no_flood() {
    let now = Now::default();
    let server = Standard::build(&ServerSettings::default(), now).unwrap();
    let reader = std::sync::Arc::<SlowReader>::default();
    let connection = server.engine.connect(std::sync::Arc::clone(&reader) as std::sync::Arc<dyn Sink>);
    let meta = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"debug""#;
    for (id, tool) in ["progress", "log"].iter().enumerate() {
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","_meta":{{"progressToken":1,{meta}}}}}}}"#
        );
        connection.receive(text.into(), now);
        server.host.pump(&server.engine, now);
    }
    let sent = reader.0.lock().unwrap();
    assert_eq!(sent.len(), 2, "{sent:?}");
    assert!(sent.iter().all(|text| text.windows(8).any(|part| part == b"\"result\"")), "{sent:?}");
}

/// A run that looked at nothing has not passed.
fn judged(
    vector: &Vector,
    revision: &str,
    transport: Transport,
    result: Result<Tally, String>,
) -> Result<Tally, String> {
    let result = match result {
        Ok(tally) if tally.assertions == 0 => Err("no step looks at what the server did".to_owned()),
        other => other,
    };
    result.map_err(|error| format!("{:?} [{revision}, {transport:?}]\n  {error}", vector.rule))
}

/// Runs a vector of these steps; everything else about it is right.
fn run_steps(steps: &str) -> Result<Tally, String> {
    let text = format!(
        r#"{{"rule": "A rule of this test.", "spec": ["2025-11-25/basic/index"], "revisions": ["2025-11-25"], "steps": [{steps}]}}"#
    );
    let vector = Vector::parse(&text)?;
    judged(&vector, "2025-11-25", Transport::Stream, run(&vector, "2025-11-25", Transport::Stream))
}

const PING: &str = r#"{"request": {"id": 1, "method": "ping"}}"#;

#[test]
fn a_right_vector_passes() {
    let tally = run_steps(&format!(r#"{PING}, {{"out": [{{"id": 1, "result": {{}}}}]}}"#)).unwrap();
    assert_eq!((tally.steps, tally.assertions, tally.messages), (2, 1, 2));
}

#[test]
fn a_wrong_vector_fails() {
    for (what, steps) in [
        ("another id", format!(r#"{PING}, {{"out": [{{"id": 2, "result": {{}}}}]}}"#)),
        ("an error", format!(r#"{PING}, {{"out": [{{"id": 1, "error": {{"code": -32601}}}}]}}"#)),
        ("one message more", format!(r#"{PING}, {{"out": [{{"id": 1}}, {{"id": 2}}]}}"#)),
        ("silence", format!(r#"{PING}, {{"none": true}}"#)),
        ("an answer that nobody looked at", format!(r#"{{"none": true}}, {PING}"#)),
        ("no look at anything", r#"{"notify": {"method": "notifications/x"}}"#.to_owned()),
        ("an unknown key", format!(r#"{PING}, {{"out": [{{"id": 1}}], "sort": true}}"#)),
        ("an unknown matcher", format!(r#"{PING}, {{"out": [{{"id": {{"$integer": true}}}}]}}"#)),
        ("an unknown name", r#"{"request": {"id": "${nobody}", "method": "ping"}}"#.to_owned()),
        ("two verbs", r#"{"none": true, "close": true}"#.to_owned()),
        ("no verb", r#"{"on": "main"}"#.to_owned()),
        ("an unknown response", r#"{"response": "r", "status": 200}"#.to_owned()),
    ] {
        assert!(run_steps(&steps).is_err(), "{what} must fail");
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
        ("\"steps\": []", "\"steps\": [], \"server\": {\"page\": 2}"),
        ("\"steps\": []", "\"steps\": [], \"vars\": {\"2025\": {}}"),
    ] {
        assert!(Vector::parse(&good.replace(from, to)).is_err(), "{to}");
    }
}

#[test]
fn what_always_holds_is_looked_at() {
    let check = |messages: &[&str], revision: &str| {
        let mut ledger = Ledger::default();
        ledger.sent(&serde_json::json!({"id": 1, "method": "tools/list"}));
        messages.iter().try_for_each(|message| ledger.check(message.as_bytes(), revision).map(drop))
    };
    let listed = r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}"#;
    assert!(check(&[listed], "2025-11-25").is_ok());
    for (messages, revision) in [
        (&[listed, listed][..], "2025-11-25"),
        (&[r#"{"jsonrpc":"2.0","id":2,"result":{}}"#], "2025-11-25"),
        (&[r#"{"id":1,"result":{"tools":[]}}"#], "2025-11-25"),
        (&[r#"{"jsonrpc":"2.0","id":1,"result":{"tools":5}}"#], "2025-11-25"),
        (&[r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[]},"error":{"code":1,"message":""}}"#], "2025-11-25"),
        (&[r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":""}}"#], "2025-11-25"),
        (&[r#"{"jsonrpc":"2.0","error":{"code":0,"message":""}}"#], "2025-11-25"),
        (&[r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{}}"#], "2025-11-25"),
        (&[r#"{"jsonrpc":"2.0","id":5,"method":"roots/list"}"#], "2026-07-28"),
        (&[listed], "2026-07-28"),
        (&["[]x"], "2025-03-26"),
        (&["[]"], "2025-11-25"),
    ] {
        assert!(check(messages, revision).is_err(), "{messages:?} for {revision}");
    }
}
