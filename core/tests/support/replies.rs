//! What the handlers of the standard server ask and answer.

use std::collections::VecDeque;
use std::sync::Arc;

use omniport::engine::{Call, Engine, Failure, FailureKind, JobKind};
use omniport::time::Now;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::host::Waiting;

/// An answer as a value.
pub fn parsed(answer: &RawValue) -> Value {
    serde_json::from_str(answer.get()).expect("an answer is JSON")
}

/// The questions of a handler, round by round; those of one round are asked together.
pub fn questions(name: &str) -> VecDeque<Vec<String>> {
    let form = |key: &str, message: &str| {
        let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
        json!({"key": key, "elicit": {"mode": "form", "message": message, "requestedSchema": schema}}).to_string()
    };
    let sample = |tools: bool| {
        let mut params = json!({"messages": [{"role": "user", "content": {"type": "text", "text": "Say something."}}], "maxTokens": 10});
        if tools {
            params["tools"] = json!([{"name": "t", "inputSchema": {"type": "object"}}]);
        }
        json!({"key": "sample", "sample": params}).to_string()
    };
    let url = json!({"key": "login", "elicit": {"mode": "url", "message": "Please log in.", "url": "https://example.com/login"}});
    VecDeque::from(match name {
        "ask_two" => vec![vec![form("first", "First name?"), form("last", "Last name?")]],
        "ask_twice" => vec![vec![form("first", "First name?")], vec![form("last", "Last name?")]],
        "ask_url" => vec![vec![url.to_string()]],
        "sample" => vec![vec![sample(false)]],
        "sample_tools" => vec![vec![sample(true)]],
        "roots" => vec![vec![json!({"key": "roots", "roots": {}}).to_string()]],
        _ => vec![vec![form("name", "Your name?")]],
    })
}

/// Ends a handler whose questions are all answered.
pub fn finish(engine: &Arc<Engine>, call: &Arc<Call>, waiting: Waiting, now: Now) {
    let answers: Vec<&Value> = waiting.asked.iter().map(|number| &waiting.answers[number]).collect();
    let said: Vec<String> = answers.iter().map(|answer| summary(answer)).collect();
    let mut text = format!("Hello, {}!", said.join(" "));
    if waiting.name == "step" {
        text.push_str(&format!(" Runs: {}.", waiting.input["runs"]));
    }
    let result = match waiting.kind {
        JobKind::Resource => json!({"contents": [{"uri": waiting.input["uri"], "text": text}]}),
        JobKind::Prompt => message(&text),
        _ => json!({"content": [{"type": "text", "text": text}]}),
    };
    engine.complete(call, &result.to_string(), now);
}

fn summary(answer: &Value) -> String {
    if let Some(name) = answer["content"]["name"].as_str() {
        return name.to_owned();
    }
    if let Some(text) = answer["content"]["text"].as_str() {
        return text.to_owned();
    }
    if let Some(roots) = answer["roots"].as_array() {
        return roots.iter().filter_map(|root| root["uri"].as_str()).collect::<Vec<_>>().join(" ");
    }
    answer["action"].as_str().unwrap_or_default().to_owned()
}

/// The result of a prompt.
pub fn message(text: &str) -> Value {
    json!({"messages": [{"role": "user", "content": {"type": "text", "text": text}}]})
}

/// Content of several kinds.
pub fn contents() -> Value {
    json!({"content": [
        {"type": "text", "text": "text"},
        {"type": "image", "data": "AAEC", "mimeType": "image/png"},
        {"type": "resource", "resource": {"uri": "test://static", "mimeType": "text/plain", "text": "static text"}},
    ]})
}

/// Suggestions for an argument.
pub fn complete(argument: &str, input: &Value) -> Value {
    let typed = input["value"].as_str().unwrap_or_default();
    match argument {
        "style" => {
            let styles = ["formal", "friendly", "funny"];
            let mut values: Vec<String> =
                styles.iter().filter(|style| style.starts_with(typed)).map(|style| (*style).to_owned()).collect();
            if let Some(name) = input["arguments"]["name"].as_str() {
                values.push(format!("like {name}"));
            }
            json!({"values": values})
        }
        "id" => json!({"values": (0..250).map(|id| id.to_string()).collect::<Vec<_>>()}),
        _ => json!({"values": ["a/b"], "total": 7, "hasMore": true}),
    }
}

/// `Authorization: Bearer <subject>-<anything>` is the subject's.
pub fn authenticate(engine: &Arc<Engine>, call: &Arc<Call>, input: &Value, now: Now) {
    let token = input["headers"]["authorization"].as_str().and_then(|value| value.strip_prefix("Bearer "));
    match token.and_then(|token| token.split_once('-')) {
        Some((subject, _)) => {
            engine.complete(call, &json!({"subject": subject, "client": "vectors"}).to_string(), now);
        }
        None => {
            let message = "who is it?".to_owned();
            engine.fail(call, Failure { kind: FailureKind::Internal, message, code: None, data: None }, now);
        }
    }
}

/// What begins with `private_` is for `alice` alone.
pub fn visible(engine: &Arc<Engine>, call: &Arc<Call>, input: &Value, now: Now) {
    let context: Value = serde_json::from_str(&call.context()).expect("the context is JSON");
    let is_alice = context["principal"]["subject"] == "alice";
    let names = input["names"].as_array().cloned().unwrap_or_default();
    let seen: Vec<Value> = names
        .into_iter()
        .filter(|name| is_alice || !name.as_str().is_some_and(|name| name.starts_with("private_")))
        .collect();
    engine.complete(call, &Value::from(seen).to_string(), now);
}
