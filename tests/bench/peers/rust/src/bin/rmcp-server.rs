//! The bench's tools on `rmcp`: `rmcp-server stdio` or `rmcp-server http PORT [best]`.
//!
//! As its documentation says by default; `best`: no sessions, JSON answers, TCP_NODELAY.

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, ContentBlock, ServerCapabilities, ServerConfig, Tool};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use rmcp::{Json, ServerHandler, ServiceExt, schemars, tool, tool_handler, tool_router};
use serde::{Deserialize, Serialize};

type Failure = Box<dyn std::error::Error>;

#[derive(Deserialize, schemars::JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

#[derive(Deserialize, schemars::JsonSchema)]
struct Echo {
    text: String,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Sum {
    result: i64,
}

#[derive(Clone)]
struct Bench {
    tool_router: ToolRouter<Self>,
}

#[tool_router]
impl Bench {
    fn new() -> Self {
        let mut tool_router = Self::tool_router();
        if std::env::var_os("MANY").is_some() {
            for number in 0..1000 {
                tool_router.add_route(many(number));
            }
        }
        Bench { tool_router }
    }

    #[tool(description = "Adds two numbers.")]
    async fn add(&self, Parameters(Add { a, b }): Parameters<Add>) -> Json<Sum> {
        Json(Sum { result: a + b })
    }

    #[tool(description = "Gives the text back.")]
    async fn echo(&self, Parameters(Echo { text }): Parameters<Echo>) -> String {
        text
    }

    #[tool(description = "A text of 1 MB.")]
    async fn big(&self) -> String {
        "The quick brown fox says \"hello\", then jumps over the lazy dog.\n".repeat(15_625)
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Bench {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

fn many(number: usize) -> ToolRoute<Bench> {
    let schema = serde_json::json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What to look for."},
            "limit": {"type": "integer", "default": 10},
            "exact": {"type": "boolean", "default": false},
        },
        "required": ["query"],
    });
    let serde_json::Value::Object(schema) = schema else { unreachable!() };
    let tool = Tool::new(
        Cow::Owned(format!("tool_{number:04}")),
        Cow::Owned(format!("Searches collection {number}.")),
        Arc::new(schema),
    );
    ToolRoute::new_dyn(tool, |_| Box::pin(async { Ok(CallToolResult::success(vec![ContentBlock::text("found")]).into()) }))
}

async fn http(port: u16, best: bool) -> Result<(), Failure> {
    let config = if best {
        StreamableHttpServerConfig::default().with_legacy_session_mode(false).with_json_response(true)
    } else {
        StreamableHttpServerConfig::default()
    };
    let bench = Bench::new();
    let service: StreamableHttpService<Bench, LocalSessionManager> =
        StreamableHttpService::new(move || Ok(bench.clone()), Default::default(), config);
    let router = axum::Router::new().nest_service("/mcp", service);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    if best {
        use axum::serve::ListenerExt;
        let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        axum::serve(listener, router).await?;
    } else {
        axum::serve(listener, router).await?;
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["stdio"] => {
            Bench::new().serve((tokio::io::stdin(), tokio::io::stdout())).await?.waiting().await?;
            Ok(())
        }
        ["http", port] => http(port.parse()?, false).await,
        ["http", port, "best"] => http(port.parse()?, true).await,
        _ => Err("rmcp-server stdio | http PORT [best]".into()),
    }
}
