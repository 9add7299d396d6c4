//! The bench's tools on this project, with the defaults a user gets: `omniport-bench-server stdio` or `omniport-bench-server http PORT`.

// What is served depends on the environment here.
#![allow(clippy::disallowed_methods)]

use omniport::api::{Context, NoArguments, Server};
use omniport::error::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

#[derive(Deserialize, JsonSchema)]
struct Echo {
    text: String,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema matters")]
struct Search {
    /// What to look for.
    query: String,
    #[serde(default)]
    limit: Option<i64>,
    #[serde(default)]
    exact: bool,
}

fn server() -> Server {
    let server = Server::new("bench")
        .tool("add", "Adds two numbers.", |Add { a, b }: Add, _cx: Context| async move { Ok(a + b) })
        .tool("echo", "Gives the text back.", |Echo { text }: Echo, _cx: Context| async move { Ok(text) })
        .tool("big", "A text of 1 MB.", |_: NoArguments, _cx: Context| async move {
            Ok("The quick brown fox says \"hello\", then jumps over the lazy dog.\n".repeat(15_625))
        });
    if std::env::var_os("MANY").is_none() {
        return server;
    }
    (0..1000).fold(server, |server, number| {
        let (name, description) = (format!("tool_{number:04}"), format!("Searches collection {number}."));
        server.tool(&name, &description, |_: Search, _cx: Context| async move { Ok("found") })
    })
}

async fn serve() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["stdio"] => server().serve_stdio().await,
        ["http", port] => server().serve_http(format!("127.0.0.1:{port}")).await,
        _ => Err(Error::definition("omniport-bench-server stdio | omniport-bench-server http PORT")),
    }
}

fn main() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.map_err(|error| Error::internal(error.to_string()))?.block_on(serve())
}
