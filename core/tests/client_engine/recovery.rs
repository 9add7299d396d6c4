//! A server process that dies, and what becomes of its client's calls.

use std::time::Duration;

use omniport::engine::client::{CallOptions, Change, ClientOptions, ClientState, EraChoice};
use omniport::error::{Error, ErrorKind};
use omniport::model::Version;
use serde_json::Value;

use super::recorder::{Client, Lines, Told, over_lines};
use super::scripted::{LEGACY, MODERN, legacy, modern, options};

const TOOLS: &str = r#""result":{"resultType":"complete","tools":[
    {"name":"reads","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
    {"name":"sets","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":false,"idempotentHint":true}},
    {"name":"adds","inputSchema":{"type":"object"},"annotations":{"destructiveHint":false}},
    {"name":"silent","inputSchema":{"type":"object"}}]}"#;
const DONE: &str = r#""result":{"resultType":"complete","content":[]}"#;

pub fn exited() -> Error {
    Error::new(ErrorKind::Closed, "the server exited").with("exit", 137).with("stderr", "boom")
}

impl Client<Lines> {
    /// The server dies.
    pub fn die(&self) {
        self.engine.lost(exited(), self.now);
    }

    fn restarts(&self) -> usize {
        *self.out.restarts.lock().unwrap()
    }

    /// The next attempt is due, and its server answers the first question.
    pub fn come_back(&mut self, wait: Duration, answer: &str) {
        let before = self.restarts();
        self.pass(wait);
        assert_eq!(self.restarts(), before + 1);
        let question = self.sent_one();
        self.reply(&question, answer);
    }

    fn list_tools(&self) {
        let token = self.start("list_tools", "{}");
        self.reply(&self.sent_one(), &TOOLS.replace('\n', ""));
        assert!(self.host.result(token).unwrap().is_ok());
    }

    fn call(&self, tool: &str) -> u64 {
        self.start("call_tool", &format!(r#"{{"name":"{tool}"}}"#))
    }
}

fn names(sent: &[Value]) -> Vec<&str> {
    sent.iter().map(|sent| sent["params"]["name"].as_str().unwrap_or(sent["method"].as_str().unwrap())).collect()
}

#[test]
fn c11_a_dead_server_is_started_again_and_what_is_safe_is_repeated() {
    let mut client = modern();
    client.list_tools();
    client.host.states();
    let unsafe_calls = [client.call("adds"), client.call("silent"), client.call("never-listed")];
    let safe = [client.call("reads"), client.call("sets"), client.start("read_resource", r#"{"uri":"r://1"}"#)];
    let before = client.sent();
    client.die();
    for token in unsafe_calls {
        let error = client.host.result(token).expect("it fails at once").unwrap_err();
        assert_eq!(
            (error.kind(), error.fact("exit"), error.fact("stderr")),
            (ErrorKind::Closed, Some("137"), Some("boom"))
        );
    }
    assert!(matches!(&client.host.states()[..], [ClientState::Recovering { cause }] if cause.contains("137")));
    client.die();
    assert!(client.sent().is_empty() && client.restarts() == 0, "not before the wait");
    client.come_back(Duration::from_millis(250), MODERN);
    assert_eq!(client.host.states(), [ClientState::Ready]);
    let again = client.sent();
    assert_eq!(names(&again), ["reads", "sets", "resources/read"]);
    assert!(again.iter().all(|again| before.iter().all(|before| before["id"] != again["id"])), "new ids");
    // What the dead server may still have written concerns nobody.
    client.reply(&before[3], DONE);
    assert!(client.host.result(safe[0]).is_none());
    for (request, token) in again.iter().zip(safe) {
        client.reply(request, DONE);
        assert!(client.host.result(token).unwrap().is_ok());
    }
    assert!(matches!(client.host.take()[..], [Told::Change(Change::Missed { token: None })]));
}

#[test]
fn a_caller_knows_better_what_is_safe() {
    let mut client = modern();
    let call = |safe: bool, word: &str| {
        let mut options = CallOptions::default();
        options.safe = Some(safe);
        client.start_with(word, r#"{"name":"t"}"#, options)
    };
    let (yes, no) = (call(true, "call_tool"), call(false, "get_prompt"));
    client.sent();
    client.die();
    assert!(client.host.result(no).unwrap().is_err());
    client.come_back(Duration::from_millis(250), MODERN);
    client.reply(&client.sent_one(), DONE);
    assert!(client.host.result(yes).unwrap().is_ok());
}

#[test]
fn a_call_that_was_there_when_the_server_died_twice_is_not_tried_again() {
    let mut client = modern();
    let token = client.start("list_tools", "{}");
    client.sent();
    client.die();
    client.come_back(Duration::from_millis(250), MODERN);
    assert_eq!(client.sent_one()["method"], "tools/list");
    client.die();
    assert!(client.host.result(token).unwrap().is_err());
}

#[test]
fn c11_attempts_wait_longer_each_time_and_end() {
    let mut client = legacy();
    client.host.states();
    client.die();
    let held = client.start("list_tools", "{}");
    for millis in [250, 500, 1000, 2000, 4000] {
        client.pass(Duration::from_millis(millis - 1));
        assert!(client.sent().is_empty(), "{millis}");
        client.pass(Duration::from_millis(1));
        let handshake = client.sent_one();
        assert_eq!(
            (handshake["method"].as_str(), handshake["params"]["protocolVersion"].as_str()),
            (Some("initialize"), Some("2025-06-18")),
            "what the server is known to speak"
        );
        client.die();
    }
    assert_eq!(client.restarts(), 5);
    for token in [held, client.start("list_tools", "{}")] {
        let error = client.host.result(token).unwrap().unwrap_err();
        assert_eq!((error.kind(), error.fact("exit")), (ErrorKind::Closed, Some("137")));
        assert!(error.message().contains("recover_tries"), "{error}");
    }
    let states = client.host.states();
    assert!(matches!(&states[..], [ClientState::Recovering { .. }, ClientState::Failed { .. }]), "{states:?}");
    assert!(matches!(client.host.take()[..], [Told::Closed(_)]));
    client.engine.close();
    assert!(client.host.states().is_empty() && client.engine.tick(client.now).is_none());
}

#[test]
fn c11_a_crash_loop_is_one_even_when_each_server_starts_well() {
    let mut client = modern();
    for millis in [250, 500, 1000, 2000, 4000] {
        client.die();
        client.come_back(Duration::from_millis(millis), MODERN);
    }
    // One that lasted was a good one.
    client.pass(Duration::from_secs(30));
    client.die();
    client.come_back(Duration::from_millis(250), MODERN);
    for millis in [500, 1000, 2000, 4000] {
        client.die();
        client.come_back(Duration::from_millis(millis), MODERN);
    }
    client.die();
    assert!(client.engine.is_closed());
}

#[test]
fn x08_calls_in_between_wait_within_their_time() {
    let mut client = legacy();
    client.die();
    let mut options = CallOptions::default();
    options.timeout = Some(Duration::from_millis(100));
    let hasty = client.start_with("ping", "{}", options);
    let patient = client.start("call_tool", r#"{"name":"t"}"#);
    client.pass(Duration::from_millis(100));
    assert_eq!(client.host.result(hasty).unwrap().unwrap_err().kind(), ErrorKind::Timeout);
    assert!(client.sent().is_empty(), "nobody to tell");
    client.come_back(Duration::from_millis(150), LEGACY);
    let sent = client.sent();
    assert_eq!(names(&sent), ["notifications/initialized", "t"]);
    client.reply(&sent[1], DONE);
    assert!(client.host.result(patient).unwrap().is_ok());
    // A server that starts and says nothing holds nobody up for ever.
    client.die();
    let token = client.start("ping", "{}");
    client.pass(Duration::from_millis(500));
    client.pass(Duration::from_secs(60));
    assert_eq!(client.host.result(token).unwrap().unwrap_err().kind(), ErrorKind::Timeout);
}

#[test]
fn a_server_that_dies_at_its_first_start_is_not_started_again() {
    let mut options = ClientOptions::new("test", "1");
    options.era = EraChoice::Legacy(Version::V2025_06_18);
    let client = over_lines(options);
    let token = client.engine.connect(client.now);
    client.die();
    assert!(client.host.result(token).unwrap().is_err());
    let states = client.host.states();
    assert!(matches!(&states[..], [ClientState::Connecting, ClientState::Failed { .. }]), "{states:?}");
    assert_eq!(client.restarts(), 0);
}

#[test]
fn every_state_is_told_once() {
    let client = modern();
    client.engine.close();
    client.die();
    client.engine.close();
    assert_eq!(client.host.states(), [ClientState::Connecting, ClientState::Ready, ClientState::Closed]);
}

#[test]
fn a_question_of_a_dead_server_is_withdrawn_and_input_of_a_call_is_not() {
    let client = legacy();
    client.hear(r#"{"jsonrpc":"2.0","id":7,"method":"roots/list"}"#);
    let (number, ..) = client.host.asks().remove(0);
    client.die();
    assert!(matches!(client.host.take()[..], [Told::Withdrawn(withdrawn)] if withdrawn == number));

    let mut client = over_lines(options());
    client.engine.connect(client.now);
    client.reply(&client.sent_one(), MODERN);
    let token = client.call("t");
    client.reply(
        &client.sent_one(),
        r#""result":{"resultType":"input_required","requestState":"s","inputRequests":{"q":{"method":"roots/list"}}}"#,
    );
    let (number, ..) = client.host.asks().remove(0);
    client.die();
    client.engine.answer(number, r#"{"result":{"roots":[]}}"#, client.now);
    client.come_back(Duration::from_millis(250), MODERN);
    let retry = client.sent_one();
    assert_eq!((&retry["params"]["requestState"], &retry["params"]["name"]), (&"s".into(), &"t".into()));
    client.reply(&retry, DONE);
    assert!(client.host.result(token).unwrap().is_ok());
}

#[test]
fn c06_a_carrier_that_failed_before_the_client_connects_says_why() {
    let client = over_lines(options());
    client.engine.fail(Error::new(ErrorKind::Io, "there is no such program").with("command", "x"));
    let token = client.engine.connect(client.now);
    let error = client.host.result(token).unwrap().unwrap_err();
    assert_eq!((error.message(), error.fact("command")), ("there is no such program", Some("x")));
}
