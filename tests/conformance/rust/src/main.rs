//! The everything server of the conformance suite: whatever a server scenario asks for, by the name it asks for.
//! `omniport-conformance PORT` serves it at `http://127.0.0.1:PORT/mcp`; without a port, on stdin and stdout.
//! `omniport-conformance connect URL` is the suite's client instead.

use omniport::api::{App, CacheHint, CacheHints, Server};
use omniport::error::Result;

mod client;
mod content;
mod forms;
mod questions;
mod resources;
mod streams;

const HOUR: CacheHint = CacheHint { ttl_ms: 3_600_000, is_public: true };
const MINUTE_EACH: CacheHint = CacheHint { ttl_ms: 60_000, is_public: false };

#[tokio::main]
async fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    match (arguments.next().as_deref(), arguments.next()) {
        (Some("connect"), Some(url)) => {
            client::run(&url, &variable("MCP_CONFORMANCE_SCENARIO"), &variable("MCP_CONFORMANCE_CONTEXT")).await
        }
        (Some(port), _) => server()?.serve_http(format!("127.0.0.1:{port}")).await,
        (None, _) => server()?.serve_stdio().await,
    }
}

/// The suite says what it wants in the environment.
#[expect(clippy::disallowed_methods, reason = "nothing of the engine reads it")]
fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

fn server() -> Result<App> {
    let server = Server::new("everything")
        .version("1.0.0")
        .title("Everything")
        .instructions("Call the tool whose name says what you want to see.")
        .cache(CacheHints {
            tools: Some(HOUR),
            prompts: Some(HOUR),
            resources: Some(HOUR),
            templates: Some(HOUR),
            read: Some(MINUTE_EACH),
            ..CacheHints::default()
        });
    let parts = [content::add, streams::add, forms::add, questions::add, resources::add];
    let app = parts.into_iter().fold(server, |server, add| add(server)).build()?;
    streams::add_changing(&app)?;
    Ok(app)
}
