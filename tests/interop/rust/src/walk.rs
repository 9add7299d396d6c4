//! Everything that is done with one server.

use std::collections::HashSet;
use std::fmt::Display;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use omniport::api::client::{Call, Client};
use omniport::error::ErrorKind;
use omniport::model::Level;
use omniport::registry::completion::Reference;
use omniport::types::{CallToolResult, SubscriptionFilter};
use serde::Serialize;
use serde_json::{Map, Value, json};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::arguments::example;
use crate::case::{self, list, text};
use crate::report;
use crate::told::Told;

const PATIENCE: Duration = Duration::from_secs(20);
type Check = Result<(), String>;

/// Connects, does all checks, closes; each check is reported as it ends.
pub async fn run(case: Value) -> Result<(), Box<dyn std::error::Error>> {
    let told = Arc::new(Told::new(case["answers"].clone()));
    let client = match case::builder(&case, &told).connect().await {
        Ok(client) => client,
        Err(error) => {
            report("connect", Err(error.to_string()))?;
            report("close", Ok(()))?;
            return Ok(());
        }
    };
    let said = client.server();
    let server = json!({
        "server": said.server, "capabilities": said.capabilities, "protocol_version": said.protocol_version,
        "instructions": said.instructions,
    });
    let walk = Walk { case, client, server, told };
    report("connect", walk.greeting())?;
    walk.all().await?;
    let closed = timeout(PATIENCE, walk.client.close()).await;
    report("close", closed.map_err(|_| "not closed in time".to_owned()))?;
    Ok(())
}

struct Walk {
    case: Value,
    client: Client,
    /// What the server says of itself.
    server: Value,
    told: Arc<Told>,
}

/// What is listed, as JSON of the protocol.
#[derive(Default)]
struct Lists {
    tools: Vec<Value>,
    resources: Vec<Value>,
    templates: Vec<Value>,
    prompts: Vec<Value>,
}

impl Walk {
    fn greeting(&self) -> Check {
        let (said, case) = (&self.server, &self.case);
        same(&said["protocol_version"], &case["revision"])?;
        same(&said["server"]["name"], &case["name"])?;
        if let Some(version) = case.get("version") {
            same(&said["server"]["version"], version)?;
        }
        expect(!text(&said["server"]["version"]).is_empty(), || "the server has no version".to_owned())?;
        includes(text(&said["instructions"]), text(&case["instructions"]))
    }

    async fn all(&self) -> std::io::Result<()> {
        let (case, client) = (&self.case, &self.client);
        let mut listed = Lists::default();
        let lists = async {
            listed = self.list_all().await?;
            self.compare_lists(&listed)
        };
        check("list", lists).await?;
        check("ping", async { client.ping().await.map_err(said) }).await?;
        if self.offers("logging") {
            check("log level", async { client.set_log_level(Level::Debug).await.map_err(said) }).await?;
        }
        let watched = case["subscribe"].as_str();
        if let Some(uri) = watched {
            check(format!("subscribe {uri}"), async { client.subscribe(uri).await.map_err(said) }).await?;
        }
        // It ends when it is dropped.
        let mut subscription = None;
        if let Some(changes) = case.get("listen") {
            let listening = async {
                let mut filter = SubscriptionFilter::default();
                filter.tools_list_changed = changes["tools"].as_bool();
                filter.resources_list_changed = changes["resources"].as_bool();
                filter.prompts_list_changed = changes["prompts"].as_bool();
                subscription = Some(client.listen(&filter).await.map_err(said)?);
                Ok(())
            };
            check("listen", listening).await?;
        }
        let known: HashSet<&str> = list(&case["calls"]).iter().map(|call| text(&call["tool"])).collect();
        for call in list(&case["calls"]) {
            check(format!("tool {}", text(&call["tool"])), self.call(call)).await?;
        }
        for tool in listed.tools.iter().filter(|tool| !known.contains(text(&tool["name"])) && !self.is_kept(tool)) {
            let call = json!({ "tool": tool["name"], "arguments": example(&tool["inputSchema"]) });
            check(format!("tool {}", text(&tool["name"])), self.call(&call)).await?;
        }
        for read in self.reads(&listed.resources) {
            check(format!("resource {}", text(&read["uri"])), self.read(&read)).await?;
        }
        for template in &listed.templates {
            let template = text(&template["uriTemplate"]);
            check(format!("template {template}"), self.read_template(template)).await?;
        }
        for prompt in &listed.prompts {
            check(format!("prompt {}", text(&prompt["name"])), self.get(prompt)).await?;
        }
        for asked in list(&case["completions"]) {
            let whose = asked["reference"]["prompt"].as_str().or(asked["reference"]["template"].as_str());
            let name = format!("complete {} of {}", text(&asked["argument"]), whose.unwrap_or_default());
            check(name, self.complete(asked)).await?;
        }
        if let Some(uri) = watched {
            check(format!("unsubscribe {uri}"), async { client.unsubscribe(uri).await.map_err(said) }).await?;
        }
        if let Some(times) = case["at_once"]["times"].as_u64() {
            check(format!("{times} calls at once"), self.call_at_once(&case["at_once"], times)).await?;
        }
        if let Some(tool) = case["cancel"]["tool"].as_str() {
            check(format!("cancel {tool}"), self.cancel(&case["cancel"])).await?;
        }
        Ok(())
    }

    fn offers(&self, capability: &str) -> bool {
        self.server["capabilities"].get(capability).is_some()
    }

    /// Whether the tool is there only to be given up.
    fn is_kept(&self, tool: &Value) -> bool {
        tool["name"] == self.case["cancel"]["tool"]
    }

    async fn list_all(&self) -> Result<Lists, String> {
        let mut lists = Lists::default();
        if self.offers("tools") {
            lists.tools = values(self.client.list_tools().await)?;
        }
        if self.offers("resources") {
            lists.resources = values(self.client.list_resources().await)?;
            lists.templates = values(self.client.list_resource_templates().await)?;
        }
        if self.offers("prompts") {
            lists.prompts = values(self.client.list_prompts().await)?;
        }
        Ok(lists)
    }

    fn compare_lists(&self, lists: &Lists) -> Check {
        for (kind, found, member) in [
            ("tools", &lists.tools, "name"),
            ("resources", &lists.resources, "uri"),
            ("templates", &lists.templates, "uriTemplate"),
            ("prompts", &lists.prompts, "name"),
        ] {
            let found: Vec<&Value> = found.iter().map(|item| &item[member]).collect();
            for name in list(&self.case["lists"][kind]) {
                expect(found.contains(&name), || format!("{name} is not among the {kind}: {found:?}"))?;
            }
        }
        Ok(())
    }

    /// Calls a tool and compares whatever the case says of its outcome.
    async fn call(&self, call: &Value) -> Check {
        *self.told.news() = Default::default();
        let limit = call["timeout"].as_f64().map(Duration::from_secs_f64);
        let started = self.started(call);
        let outcome = match limit {
            None => started.await,
            Some(limit) => started.timeout(limit).await,
        };
        let result = match outcome {
            Ok(result) => value(result)?,
            Err(error) if error.kind() == ErrorKind::Timeout => {
                return expect(limit.is_some(), || "no answer in time".to_owned());
            }
            Err(error) => {
                expect(call.get("error").is_some(), || said(&error))?;
                return same(&error.code().into(), &call["error"]);
            }
        };
        expect(limit.is_none(), || format!("an answer: {result}"))?;
        let content = list(&result["content"]);
        let words: Vec<&str> = content.iter().filter_map(|block| block["text"].as_str()).collect();
        let words = words.join("\n");
        expect(call.get("error").is_none(), || format!("no error but: {words}"))?;
        let is_error = |value: &Value| value.as_bool().unwrap_or(false);
        expect(is_error(&result["isError"]) == is_error(&call["is_error"]), || format!("is_error: {words}"))?;
        includes(&words, text(&call["text"]))?;
        if let Some(length) = call["length"].as_u64() {
            same(&words.len().into(), &length.into())?;
        }
        if let Some(structured) = call.get("structured") {
            same(&result["structuredContent"], structured)?;
        }
        if let Some(types) = call.get("content") {
            same(&content.iter().map(|block| block["type"].clone()).collect(), types)?;
        }
        self.compare_news(call).await?;
        if let Some(name) = call.get("lists") {
            let tools = values(self.client.list_tools().await)?;
            expect(tools.iter().any(|tool| &tool["name"] == name), || format!("{name} is not listed"))?;
        }
        Ok(())
    }

    /// A call whose steps become news.
    fn started(&self, call: &Value) -> Call<CallToolResult> {
        let told = Arc::clone(&self.told);
        let started = self.client.call_tool(text(&call["tool"]), &call["arguments"]);
        started.on_progress(move |step| told.keep(|news| news.steps.push(step.progress.into())))
    }

    async fn compare_news(&self, call: &Value) -> Check {
        if let Some(steps) = call.get("progress") {
            let found = self.told.news().steps.clone();
            let numbers = |steps: &[Value]| steps.iter().map(Value::as_f64).collect::<Vec<_>>();
            expect(numbers(&found) == numbers(list(steps)), || format!("progress: {found:?}"))?;
        }
        if let Some(asked) = call.get("asked") {
            same(&self.told.news().asked.clone().into(), asked)?;
        }
        if let Some(part) = call["logged"].as_str() {
            let there = self.told.until(|news| news.logged.iter().any(|entry| entry.to_string().contains(part)));
            timeout(PATIENCE, there).await.map_err(|_| format!("logged: {:?}", self.told.news().logged))?;
        }
        if let Some(change) = call["changed"].as_object() {
            let is_it = |found: &Value| change.iter().all(|(name, value)| &found[name] == value);
            let there = self.told.until(|news| news.changed.iter().any(is_it));
            timeout(PATIENCE, there).await.map_err(|_| format!("changed: {:?}", self.told.news().changed))?;
        }
        Ok(())
    }

    /// Every listed resource, and those that the case names.
    fn reads(&self, listed: &[Value]) -> Vec<Value> {
        let mut reads = list(&self.case["reads"]).to_vec();
        let known: HashSet<String> = reads.iter().map(|read| text(&read["uri"]).to_owned()).collect();
        let others = listed.iter().map(|found| &found["uri"]).filter(|uri| !known.contains(text(uri)));
        reads.extend(others.map(|uri| json!({ "uri": uri })));
        reads
    }

    async fn read(&self, read: &Value) -> Check {
        let contents = match self.client.read_resource(text(&read["uri"])).await {
            Ok(result) => value(result)?["contents"].take(),
            Err(error) => {
                expect(read.get("error").is_some(), || said(&error))?;
                return same(&error.code().into(), &read["error"]);
            }
        };
        expect(read.get("error").is_none(), || format!("no error but: {contents}"))?;
        expect(!list(&contents).is_empty(), || "no contents".to_owned())?;
        includes(text(&contents[0]["text"]), text(&read["text"]))?;
        if let Some(blob) = read["blob"].as_str() {
            same(&contents[0]["blob"], &blob.into())?;
        }
        Ok(())
    }

    async fn read_template(&self, template: &str) -> Check {
        let result = self.client.read_resource(&expand(template, &self.case["templates"][template])).await;
        let result = value(result.map_err(said)?)?;
        expect(!list(&result["contents"]).is_empty(), || "no contents".to_owned())
    }

    async fn get(&self, prompt: &Value) -> Check {
        let name = text(&prompt["name"]);
        let given = &self.case["prompts"][name];
        let arguments = given.get("arguments").cloned().unwrap_or_else(|| {
            let required = list(&prompt["arguments"]).iter().filter(|argument| argument["required"] == true);
            required.map(|argument| (text(&argument["name"]).to_owned(), "text".into())).collect::<Map<_, _>>().into()
        });
        let result = value(self.client.get_prompt(name, arguments).await.map_err(said)?)?;
        let messages = list(&result["messages"]);
        expect(!messages.is_empty(), || "no messages".to_owned())?;
        let words: Vec<&str> = messages.iter().filter_map(|message| message["content"]["text"].as_str()).collect();
        includes(&words.join("\n"), text(&given["text"]))
    }

    async fn complete(&self, asked: &Value) -> Check {
        let reference = match asked["reference"]["prompt"].as_str() {
            Some(name) => Reference::Prompt(name.into()),
            None => Reference::Template(text(&asked["reference"]["template"]).into()),
        };
        let mut call = self.client.complete(&reference, text(&asked["argument"]), text(&asked["value"]));
        if let Some(arguments) = asked.get("arguments") {
            call = call.given(arguments);
        }
        let result = value(call.await.map_err(said)?)?;
        same(&result["completion"]["values"], &asked["values"])
    }

    async fn call_at_once(&self, call: &Value, times: u64) -> Check {
        let mut calls = JoinSet::new();
        for _ in 0..times {
            let (client, call) = (self.client.clone(), call.clone());
            calls.spawn(async move { client.call_tool(text(&call["tool"]), &call["arguments"]).await });
        }
        for result in calls.join_all().await {
            same(&value(result.map_err(said)?)?["content"][0]["text"], &call["text"])?;
        }
        Ok(())
    }

    /// Gives up a call that is under way, as its first progress shows; the connection must be as good as before.
    async fn cancel(&self, call: &Value) -> Check {
        *self.told.news() = Default::default();
        let begun = self.told.until(|news| !news.steps.is_empty());
        let waiting = self.started(call);
        tokio::select! {
            () = begun => {}
            result = waiting => return Err(format!("the call had a result: {result:?}")),
        }
        self.client.ping().await.map_err(said)
    }
}

/// The template with its variables filled in, "1" for those that are not given.
fn expand(template: &str, given: &Value) -> String {
    let mut uri = String::new();
    let mut rest = template;
    while let Some((before, (name, after))) =
        rest.split_once('{').and_then(|(before, after)| Some((before, after.split_once('}')?)))
    {
        let name = name.trim_matches(|sign| "+#/*".contains(sign));
        uri += before;
        uri += given[name].as_str().unwrap_or("1");
        rest = after;
    }
    uri + rest
}

async fn check(name: impl Display, does: impl Future<Output = Check>) -> std::io::Result<()> {
    let outcome = timeout(PATIENCE * 2, does).await.unwrap_or_else(|_| Err("no end in time".to_owned()));
    report(name, outcome)
}

fn said(error: impl Display) -> String {
    error.to_string()
}

fn value(result: impl Serialize) -> Result<Value, String> {
    serde_json::to_value(result).map_err(said)
}

fn values<T: Serialize>(list: omniport::error::Result<Vec<T>>) -> Result<Vec<Value>, String> {
    list.map_err(said)?.into_iter().map(value).collect()
}

fn expect(good: bool, otherwise: impl FnOnce() -> String) -> Check {
    if good { Ok(()) } else { Err(otherwise()) }
}

fn same(found: &Value, expected: &Value) -> Check {
    expect(found == expected, || format!("{found}, expected {expected}"))
}

fn includes(whole: &str, part: &str) -> Check {
    expect(whole.contains(part), || format!("{part:?} is not in {whole:?}"))
}
