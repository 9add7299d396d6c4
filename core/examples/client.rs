//! A client of any server: says what is offered, and calls a tool if one is named.
//!
//! ```text
//! cargo run --example client -- http://127.0.0.1:8000/mcp
//! cargo run --example client -- python server.py -- add '{"a": 1, "b": 2}'
//! ```

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the output of a client is nobody's wire")]

use omniport::api::client::{Client, Target};
use omniport::error::{Error, Result};
use serde_json::Value;

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (server, call) = match arguments.iter().position(|argument| argument == "--") {
        Some(place) => (&arguments[..place], &arguments[place + 1..]),
        None => (&arguments[..], &[][..]),
    };
    let target = match server {
        [] => return Err(Error::invalid_params("usage: client URL | COMMAND.. [-- TOOL [ARGUMENTS]]")),
        [url] if url.contains("://") => Target::url(url),
        command => Target::command(command),
    };
    let client = Client::builder(target)
        .name("example", "1.0.0")
        .on_log(|log| eprintln!("{:?}: {}", log.level, log.data))
        .connect()
        .await?;
    match call {
        [] => list(&client).await?,
        [tool, arguments @ ..] => {
            let arguments = arguments.first().map_or("{}", String::as_str);
            let arguments: Value = serde_json::from_str(arguments).map_err(|error| Error::parse(error.to_string()))?;
            let call = client.call_tool(tool, arguments).on_progress(|progress| eprintln!("{}..", progress.progress));
            let result = call.await?;
            println!("{}", result.text());
            if let Some(structured) = &result.structured_content {
                println!("{structured:#}");
            }
        }
    }
    client.close().await;
    Ok(())
}

async fn list(client: &Client) -> Result<()> {
    let info = client.server();
    if let Some(server) = &info.server {
        println!("{} {}, revision {}", server.name, server.version, info.protocol_version);
    }
    // Only what a server declares may be asked for.
    if info.capabilities.tools.is_some() {
        for tool in client.list_tools().await? {
            println!("tool      {}  {}", tool.name, tool.description.unwrap_or_default());
        }
    }
    if info.capabilities.resources.is_some() {
        for resource in client.list_resources().await? {
            println!("resource  {}  {}", resource.uri, resource.name);
        }
        for template in client.list_resource_templates().await? {
            println!("template  {}  {}", template.uri_template, template.name);
        }
    }
    if info.capabilities.prompts.is_some() {
        for prompt in client.list_prompts().await? {
            println!("prompt    {}  {}", prompt.name, prompt.description.unwrap_or_default());
        }
    }
    Ok(())
}
