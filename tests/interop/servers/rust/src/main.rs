//! The notes server on `rmcp`: `omniport-interop-rmcp stdio`, or `omniport-interop-rmcp http | stateless PORT`.

// Sampling, roots and subscriptions of older revisions are deprecated there and still have to work.
#![allow(deprecated)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::model::*;
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::{Value, json};
use tokio::sync::broadcast;

type Failure = Box<dyn std::error::Error>;
type Answer<T> = Result<T, ErrorData>;

const NOTES: [(&str, &str); 2] = [("first", "Buy milk"), ("second", "Call Ada")];
const MOODS: [&str; 3] = ["warm", "wary", "cold"];
const PAGE: usize = 5;
const BYTES: &str = "AAECAwQFBgc=";

#[derive(Clone)]
enum Event {
    Tools,
    Resource(String),
}

/// One for all connections: what one of them changes, the others are told.
#[derive(Clone)]
struct Notes {
    has_grown: Arc<AtomicBool>,
    events: broadcast::Sender<Event>,
}

impl Notes {
    fn new() -> Self {
        Self { has_grown: Arc::default(), events: broadcast::channel(16).0 }
    }
}

fn tool(name: &'static str, members: &[(&str, &str)]) -> Tool {
    let properties: serde_json::Map<_, _> =
        members.iter().map(|(name, kind)| ((*name).to_owned(), json!({ "type": kind }))).collect();
    let required: Vec<_> = members.iter().map(|(name, _)| *name).collect();
    Tool::new(name, name, object(json!({ "type": "object", "properties": properties, "required": required })))
}

fn text(words: impl Into<String>) -> CallToolResponse {
    CallToolResult::success(vec![ContentBlock::text(words)]).into()
}

fn ask(request: InputRequest) -> CallToolResponse {
    InputRequiredResult::new(Some(InputRequests::from([("answer".to_owned(), request)])), None).into()
}

fn size_schema() -> ElicitationSchema {
    serde_json::from_value(
        json!({ "type": "object", "properties": { "size": { "type": "string" } }, "required": ["size"] }),
    )
    .expect("the schema of an order")
}

fn failed(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

impl ServerHandler for Notes {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_logging()
            .enable_completions()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("notes", "1.2.3"))
            .with_instructions("Ask for the weather.")
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Answer<ListToolsResult> {
        let output = json!({
            "type": "object",
            "properties": { "city": { "type": "string" }, "celsius": { "type": "number" } },
            "required": ["city", "celsius"],
        });
        let mut weather = tool("weather", &[("city", "string")]);
        weather.output_schema = Some(Arc::new(object(output)));
        let mut tools = vec![
            weather,
            tool("shout", &[("text", "string")]),
            tool("big", &[("length", "integer")]),
            tool("picture", &[]),
            tool("fail", &[]),
            tool("count", &[("to", "integer")]),
            tool("chat", &[]),
            tool("think", &[("about", "string")]),
            tool("order", &[]),
            tool("where", &[]),
            tool("touch", &[("uri", "string")]),
            tool("grow", &[]),
            tool("slow", &[]),
        ];
        if self.has_grown.load(Ordering::Relaxed) {
            tools.push(tool("grown", &[("text", "string")]));
        }
        // In pages, since the servers of the other SDKs have none.
        let start: usize = page.and_then(|page| page.cursor).map_or(Ok(0), |cursor| cursor.parse()).map_err(failed)?;
        let end = tools.len().min(start + PAGE);
        let mut listed = ListToolsResult::with_all_items(tools.get(start..end).unwrap_or_default().to_vec());
        listed.next_cursor = (end < tools.len()).then(|| end.to_string());
        Ok(listed)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Answer<CallToolResponse> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let word = |name: &str| arguments[name].as_str().unwrap_or_default().to_owned();
        let is_modern = cx.protocol_version().is_some_and(|version| !version.has_initialize());
        let said = request.input_responses.as_ref().and_then(|answers| answers.get("answer"));
        Ok(match &*request.name {
            "weather" => CallToolResult::structured(json!({ "city": word("city"), "celsius": 21.5 })).into(),
            "shout" | "grown" => text(word("text").to_uppercase()),
            "big" => text("x".repeat(arguments["length"].as_u64().unwrap_or_default() as usize)),
            "picture" => CallToolResult::success(vec![ContentBlock::image(BYTES, "image/png")]).into(),
            "fail" => CallToolResult::error(vec![ContentBlock::text("The oven is cold")]).into(),
            "count" => {
                let to = arguments["to"].as_u64().unwrap_or_default();
                for number in 1..=to {
                    step(&cx, number as f64).await?;
                }
                text(to.to_string())
            }
            "chat" => {
                let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, "working".into());
                cx.peer.notify_logging_message(message).await.map_err(failed)?;
                text("done")
            }
            "think" => {
                let question = CreateMessageRequestParams::new(vec![SamplingMessage::user_text(word("about"))], 10);
                match said {
                    Some(answer) => text(answer["content"]["text"].as_str().unwrap_or_default()),
                    None if is_modern => ask(InputRequest::CreateMessage(CreateMessageRequest::new(question))),
                    None => {
                        let answer = cx.peer.create_message(question).await.map_err(failed)?;
                        let answer = serde_json::to_value(answer).map_err(failed)?;
                        text(answer["content"]["text"].as_str().unwrap_or_default())
                    }
                }
            }
            "order" => {
                let question = ElicitRequestParams::FormElicitationParams {
                    meta: None,
                    message: "Which pizza?".to_owned(),
                    requested_schema: size_schema(),
                };
                match said {
                    Some(answer) => text(answer["content"]["size"].as_str().unwrap_or_default()),
                    None if is_modern => ask(InputRequest::Elicitation(ElicitRequest::new(question))),
                    None => {
                        let answer = cx.peer.create_elicitation(question).await.map_err(failed)?;
                        text(answer.content.unwrap_or_default()["size"].as_str().unwrap_or_default())
                    }
                }
            }
            "where" => match said {
                Some(answer) => text(answer["roots"][0]["uri"].as_str().unwrap_or_default()),
                None if is_modern => ask(InputRequest::ListRoots(ListRootsRequest::default())),
                None => {
                    let found = cx.peer.list_roots().await.map_err(failed)?;
                    text(found.roots.iter().map(|root| root.uri.as_str()).collect::<Vec<_>>().join(","))
                }
            },
            "touch" => {
                if !is_modern {
                    let change = ResourceUpdatedNotificationParam::new(word("uri"));
                    cx.peer.notify_resource_updated(change).await.map_err(failed)?;
                }
                let _ = self.events.send(Event::Resource(word("uri")));
                text("touched")
            }
            "grow" => {
                self.has_grown.store(true, Ordering::Relaxed);
                if !is_modern {
                    cx.peer.notify_tool_list_changed().await.map_err(failed)?;
                }
                let _ = self.events.send(Event::Tools);
                text("grown")
            }
            "slow" => {
                step(&cx, 1.0).await?;
                cx.ct.cancelled().await;
                text("never")
            }
            other => return Err(ErrorData::invalid_params(format!("there is no tool {other}"), None)),
        })
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Answer<ListResourcesResult> {
        let resources = ["welcome", "picture"].map(|name| Resource::new(format!("note://{name}"), name));
        Ok(ListResourcesResult::with_all_items(resources.into()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Answer<ListResourceTemplatesResult> {
        let template = ResourceTemplate::new("note://{name}/text", "note");
        Ok(ListResourceTemplatesResult::with_all_items(vec![template]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Answer<ReadResourceResponse> {
        let uri = request.uri;
        let note = || NOTES.iter().find(|(name, _)| uri == format!("note://{name}/text"));
        let contents = match uri.as_str() {
            "note://welcome" => ResourceContents::text("Welcome", uri),
            "note://picture" => ResourceContents::blob(BYTES, uri),
            _ => match note() {
                Some((_, note)) => ResourceContents::text(*note, uri),
                None => {
                    return Err(ErrorData::resource_not_found("there is no such note", Some(json!({ "uri": uri }))));
                }
            },
        };
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Answer<ListPromptsResult> {
        let arguments =
            vec![PromptArgument::new("name").with_required(true), PromptArgument::new("mood").with_required(false)];
        Ok(ListPromptsResult::with_all_items(vec![Prompt::new("greet", None::<String>, Some(arguments))]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Answer<GetPromptResponse> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let mood = arguments["mood"].as_str().unwrap_or("warm");
        let words = format!("Greet {} in a {mood} way", arguments["name"].as_str().unwrap_or_default());
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, words)]).into())
    }

    async fn complete(&self, request: CompleteRequestParams, _: RequestContext<RoleServer>) -> Answer<CompleteResult> {
        let words: Vec<&str> = match request.r#ref {
            Reference::Prompt(_) => MOODS.to_vec(),
            _ => NOTES.iter().map(|(name, _)| *name).collect(),
        };
        let fitting = words.into_iter().filter(|word| word.starts_with(&request.argument.value));
        let values = CompletionInfo::new(fitting.map(str::to_owned).collect()).map_err(failed)?;
        Ok(CompleteResult::new(values))
    }

    async fn set_level(&self, _: SetLevelRequestParams, _: RequestContext<RoleServer>) -> Answer<()> {
        Ok(())
    }

    async fn subscribe(&self, _: SubscribeRequestParams, _: RequestContext<RoleServer>) -> Answer<()> {
        Ok(())
    }

    async fn unsubscribe(&self, _: UnsubscribeRequestParams, _: RequestContext<RoleServer>) -> Answer<()> {
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, cx: SubscriptionContext) -> Answer<()> {
        let mut events = self.events.subscribe();
        loop {
            tokio::select! {
                () = cx.cancelled() => return Ok(()),
                Ok(event) = events.recv() => {
                    // Not every stream wants every event.
                    let _ = match event {
                        Event::Tools => cx.sink().notify_tool_list_changed().await,
                        Event::Resource(uri) => cx.sink().notify_resource_updated(uri).await,
                    };
                }
            }
        }
    }
}

async fn step(cx: &RequestContext<RoleServer>, progress: f64) -> Answer<()> {
    let Some(token) = cx.meta.get_progress_token() else { return Ok(()) };
    cx.peer.notify_progress(ProgressNotificationParam::new(token, progress)).await.map_err(failed)
}

async fn http(port: u16, with_sessions: bool) -> Result<(), Failure> {
    let config = StreamableHttpServerConfig::default().with_legacy_session_mode(with_sessions);
    let notes = Notes::new();
    let service: StreamableHttpService<Notes, LocalSessionManager> =
        StreamableHttpService::new(move || Ok(notes.clone()), Arc::default(), config);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["stdio"] => {
            Notes::new().serve((tokio::io::stdin(), tokio::io::stdout())).await?.waiting().await?;
            Ok(())
        }
        ["http", port] => http(port.parse()?, true).await,
        ["stateless", port] => http(port.parse()?, false).await,
        _ => Err("omniport-interop-rmcp stdio | http PORT | stateless PORT".into()),
    }
}
