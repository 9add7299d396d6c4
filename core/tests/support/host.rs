//! The handlers of the standard server, run one after the other by the runner: nothing here waits, and there are no threads.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use omniport::engine::{Call, Engine, Event, Failure, FailureKind, Host, Job, JobKind, Notice};
use omniport::error::{Error, ErrorKind};
use omniport::model::Level;
use omniport::registry::{Kind, Slot};
use omniport::time::Now;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::replies::{authenticate, complete, contents, finish, message, parsed, questions, visible};
use super::server;

/// What a slot runs.
#[derive(Clone)]
pub enum Handler {
    Tool(String),
    Resource(String),
    Prompt(String),
    Completion(String),
}

/// The host: it notes what the engine wants and does it when the runner pumps.
#[derive(Default)]
pub struct ScriptedHost {
    handlers: Mutex<HashMap<Slot, Handler>>,
    acts: Mutex<VecDeque<Act>>,
    waiting: Mutex<HashMap<u64, Waiting>>,
    /// What handlers saw, for the tool `journal`.
    journal: Mutex<Vec<String>>,
    runs: Mutex<u64>,
}

enum Act {
    Start(Job),
    Answer(Arc<Call>, u32, Result<Box<RawValue>, Error>),
    Cancel(Arc<Call>),
}

/// A handler between its questions.
pub struct Waiting {
    /// Whoever runs a handler keeps its call.
    _call: Arc<Call>,
    pub name: String,
    pub kind: JobKind,
    /// The questions that are still to be asked, round by round.
    rounds: VecDeque<Vec<String>>,
    /// Numbers of all questions that were asked, in order.
    pub asked: Vec<u32>,
    pub answers: BTreeMap<u32, Value>,
    pub input: Value,
}

impl Host for ScriptedHost {
    fn start(&self, job: Job) {
        self.acts.lock().unwrap().push_back(Act::Start(job));
    }

    fn answer(&self, call: &Arc<Call>, number: u32, answer: Result<Box<RawValue>, Error>) {
        self.acts.lock().unwrap().push_back(Act::Answer(Arc::clone(call), number, answer));
    }

    fn cancel(&self, call: &Arc<Call>, _: &str) {
        self.acts.lock().unwrap().push_back(Act::Cancel(Arc::clone(call)));
    }

    fn event(&self, event: Event) {
        match event {
            Event::RootsChanged => self.note("roots changed"),
            Event::Subscription { uri, active: true } => self.note(&format!("subscribed {uri}")),
            Event::Subscription { uri, active: false } => self.note(&format!("unsubscribed {uri}")),
            Event::Audit(line) => {
                assert!(!line.contains("marker-of-an-argument"), "arguments in an audit line: {line}")
            }
            Event::Report { text, .. } => {
                assert!(!text.contains("marker-of-an-argument"), "arguments in a report: {text}")
            }
        }
    }
}

impl ScriptedHost {
    pub fn put(&self, slot: Slot, handler: Handler) {
        self.handlers.lock().unwrap().insert(slot, handler);
    }

    fn note(&self, what: &str) {
        self.journal.lock().unwrap().push(what.to_owned());
    }

    /// Does everything that there is to do.
    pub fn pump(&self, engine: &Arc<Engine>, now: Now) {
        loop {
            let act = self.acts.lock().unwrap().pop_front();
            match act {
                None => return,
                Some(Act::Start(job)) => self.run(engine, job, now),
                Some(Act::Answer(call, number, answer)) => self.answered(engine, &call, number, answer, now),
                Some(Act::Cancel(call)) => {
                    if let Some(waiting) = self.waiting.lock().unwrap().remove(&call.tag.load(Ordering::Relaxed)) {
                        self.note(&format!("{} cancelled", waiting.name));
                    }
                }
            }
        }
    }

    fn run(&self, engine: &Arc<Engine>, job: Job, now: Now) {
        let call = &job.call;
        let input: Value = serde_json::from_slice(&job.text).expect("a handler's input is JSON");
        match job.kind {
            JobKind::Authenticate => return authenticate(engine, call, &input, now),
            JobKind::Visible => return visible(engine, call, &input, now),
            _ => {}
        }
        let handler = self.handlers.lock().unwrap().get(&job.slot).cloned();
        match handler.expect("a slot has a handler") {
            Handler::Tool(name) => self.tool(engine, call, &name, input, now),
            Handler::Resource(name) => self.resource(engine, call, &name, input, now),
            Handler::Prompt(name) => self.prompt(engine, call, &name, input, now),
            Handler::Completion(name) => engine.complete(call, &complete(&name, &input).to_string(), now),
        }
    }

    fn tool(&self, engine: &Arc<Engine>, call: &Arc<Call>, name: &str, input: Value, now: Now) {
        let done = |result: Value| engine.complete(call, &result.to_string(), now);
        let said = |text: &str| done(json!({"content": [{"type": "text", "text": text}]}));
        let fail = |kind, message: &str| {
            engine.fail(call, Failure { kind, message: message.to_owned(), code: None, data: None }, now);
        };
        match name {
            "add" => {
                let number = |key: &str| input[key].as_i64().unwrap_or_default();
                done(json!({"structuredContent": number("a") + number("b")}));
            }
            "echo" => said(input["text"].as_str().unwrap_or_default()),
            "fail" => fail(FailureKind::Tool, "deliberate"),
            "crash" => fail(FailureKind::Internal, "secret"),
            "refuse" => {
                let data = RawValue::from_string(r#"{"x":1}"#.to_owned()).ok();
                let message = "refused".to_owned();
                engine.fail(call, Failure { kind: FailureKind::Protocol, message, code: Some(1234), data }, now);
            }
            "slow" | "timed" | "narrow" => drop(self.wait(call, name, JobKind::Tool, VecDeque::new(), input)),
            "progress" => {
                for progress in [1.0, 2.0, 2.0, 1.0, 3.0] {
                    call.notice(Notice::Progress { progress, total: Some(3.0), message: Some("counting") });
                }
                said("done");
            }
            "poll" => {
                call.notice(Notice::Progress { progress: 1.0, total: None, message: None });
                call.close_stream();
                call.notice(Notice::Progress { progress: 2.0, total: None, message: None });
                said("done");
            }
            "late" => {
                said("done");
                call.notice(Notice::Progress { progress: 9.0, total: None, message: None });
                call.notice(Notice::Log { level: Level::Emergency, logger: None, data: "\"late\"" });
            }
            "log" => {
                call.notice(Notice::Log { level: Level::Debug, logger: Some("standard"), data: r#"{"n":1}"# });
                call.notice(Notice::Log { level: Level::Error, logger: Some("standard"), data: "\"two\"" });
                said("done");
            }
            "structured" => done(json!({"structuredContent": {"name": "x", "tags": ["a"]}})),
            "bad_structured" => done(json!({"structuredContent": {"name": 1}})),
            "no_structured" => said("only text"),
            "error_structured" => done(json!({
                "isError": true, "content": [{"type": "text", "text": "went wrong"}], "structuredContent": {"code": 1},
            })),
            "null_result" => done(json!({"structuredContent": null})),
            "list_result" => done(json!({"structuredContent": [1, 2]})),
            "contents" => done(contents()),
            "own_meta" => done(json!({"content": [], "_meta": {"com.example/x": 1}})),
            "pretty" => engine.complete(
                call,
                "{\n  \"content\": [\r\n    {\"type\": \"text\",\n \"text\": \"a\\nb\"}\n  ]\n}",
                now,
            ),
            "limited" | "nullable" | "union" | "draft07" | "pattern" | "headers_tool" | "strict" | "private_note" => {
                said(&input.to_string());
            }
            "add_tool" => {
                let added = json!({"name": "added"});
                server::register(engine, self, "tools", &added).expect("the tool registers");
                engine.list_changed(Kind::Tools);
                said("added");
            }
            "added" => said("added"),
            "remove_tool" => {
                engine.registry.change(|catalog| catalog.remove(Kind::Tools, "added"));
                engine.list_changed(Kind::Tools);
                said("removed");
            }
            "add_resource" => {
                let added = json!({"uri": "test://added", "name": "static"});
                server::register(engine, self, "resources", &added).expect("the resource registers");
                engine.list_changed(Kind::Resources);
                said("added");
            }
            "add_prompt" => {
                let added = json!({"name": "added"});
                server::register(engine, self, "prompts", &added).expect("the prompt registers");
                engine.list_changed(Kind::Prompts);
                said("added");
            }
            "touch" => {
                engine.resource_updated(input["uri"].as_str().unwrap_or("test://static"));
                said("touched");
            }
            "whoami" => {
                let context: Value = serde_json::from_str(&call.context()).expect("the context is JSON");
                done(json!({"content": [], "structuredContent": context}));
            }
            "journal" => {
                let entries = std::mem::take(&mut *self.journal.lock().unwrap());
                said(&entries.join("; "));
            }
            "step" => {
                let runs = match call.step("count") {
                    Some(kept) => kept,
                    None => {
                        let mut runs = self.runs.lock().unwrap();
                        *runs += 1;
                        let kept = RawValue::from_string(runs.to_string()).expect("a number");
                        call.keep_step("count", kept.clone());
                        kept
                    }
                };
                let input = json!({"runs": serde_json::from_str::<Value>(runs.get()).expect("a number")});
                self.ask(engine, call, name, JobKind::Tool, input, now);
            }
            _ => self.ask(engine, call, name, JobKind::Tool, input, now),
        }
    }

    fn resource(&self, engine: &Arc<Engine>, call: &Arc<Call>, name: &str, input: Value, now: Now) {
        let fail = |kind, message: &str| {
            engine.fail(call, Failure { kind, message: message.to_owned(), code: None, data: None }, now);
        };
        let uri = &input["uri"];
        let text = |text: &str| {
            let result = json!({"contents": [{"uri": uri, "mimeType": "text/plain", "text": text}]});
            engine.complete(call, &result.to_string(), now);
        };
        match name {
            "static" => text("static text"),
            "blob" => {
                let result =
                    json!({"contents": [{"uri": uri, "mimeType": "application/octet-stream", "blob": "AAEC"}]});
                engine.complete(call, &result.to_string(), now);
            }
            "gone" => fail(FailureKind::NotFound, "it is gone"),
            "crash" => fail(FailureKind::Internal, "secret"),
            "item" => text(input["variables"]["id"].as_str().unwrap_or_default()),
            "tree" => text(input["variables"]["path"].as_str().unwrap_or_default()),
            _ => self.ask(engine, call, "ask_name", JobKind::Resource, input, now),
        }
    }

    fn prompt(&self, engine: &Arc<Engine>, call: &Arc<Call>, name: &str, input: Value, now: Now) {
        match name {
            "greet" => {
                let text = |key: &str| input[key].as_str().unwrap_or("plain").to_owned();
                let said = format!("Greet {} in a {} way.", text("name"), text("style"));
                engine.complete(call, &message(&said).to_string(), now);
            }
            "ask_prompt" => self.ask(engine, call, "ask_name", JobKind::Prompt, input, now),
            _ => engine.complete(call, &message("Hello.").to_string(), now),
        }
    }

    fn wait(&self, call: &Arc<Call>, name: &str, kind: JobKind, rounds: VecDeque<Vec<String>>, input: Value) -> u64 {
        let mut waiting = self.waiting.lock().unwrap();
        let tag = waiting.keys().max().unwrap_or(&0) + 1;
        call.tag.store(tag, Ordering::Relaxed);
        let (asked, answers) = (Vec::new(), BTreeMap::new());
        let (_call, name) = (Arc::clone(call), name.to_owned());
        waiting.insert(tag, Waiting { _call, name, kind, rounds, asked, answers, input });
        tag
    }

    fn ask(&self, engine: &Arc<Engine>, call: &Arc<Call>, name: &str, kind: JobKind, input: Value, now: Now) {
        let tag = self.wait(call, name, kind, questions(name), input);
        self.go_on(engine, call, tag, now);
    }

    /// Asks the next questions as long as their answers are there at once, and finishes when there are none left.
    fn go_on(&self, engine: &Arc<Engine>, call: &Arc<Call>, tag: u64, now: Now) {
        loop {
            let mut all = self.waiting.lock().unwrap();
            let Some(waiting) = all.get_mut(&tag) else { return };
            if waiting.asked.iter().any(|number| !waiting.answers.contains_key(number)) {
                drop(all);
                return engine.flush_call(call, now);
            }
            let Some(round) = waiting.rounds.pop_front() else {
                let finished = all.remove(&tag);
                drop(all);
                return finish(engine, call, finished.expect("it was there"), now);
            };
            drop(all);
            for question in round {
                match engine.ask(call, &question) {
                    Ok((number, answer)) => {
                        let mut all = self.waiting.lock().unwrap();
                        let Some(waiting) = all.get_mut(&tag) else { return };
                        waiting.asked.push(number);
                        if let Some(answer) = answer {
                            waiting.answers.insert(number, parsed(&answer));
                        }
                    }
                    Err(error) => return self.give_up(engine, call, tag, &error, now),
                }
            }
        }
    }

    fn answered(
        &self,
        engine: &Arc<Engine>,
        call: &Arc<Call>,
        number: u32,
        answer: Result<Box<RawValue>, Error>,
        now: Now,
    ) {
        let tag = call.tag.load(Ordering::Relaxed);
        match answer {
            Ok(answer) => {
                if let Some(waiting) = self.waiting.lock().unwrap().get_mut(&tag) {
                    waiting.answers.insert(number, parsed(&answer));
                }
                self.go_on(engine, call, tag, now);
            }
            Err(error) => self.give_up(engine, call, tag, &error, now),
        }
    }

    /// The handler does not catch the error of its question: a missing capability is an error of the protocol, others are the tool's.
    fn give_up(&self, engine: &Arc<Engine>, call: &Arc<Call>, tag: u64, error: &Error, now: Now) {
        if self.waiting.lock().unwrap().remove(&tag).is_none() {
            return;
        }
        let kind = match error.kind() {
            ErrorKind::MissingCapability => FailureKind::Protocol,
            _ => FailureKind::Tool,
        };
        let (code, data) = (Some(error.code()), error.data().map(ToOwned::to_owned));
        engine.fail(call, Failure { kind, message: error.message().to_owned(), code, data }, now);
    }
}
