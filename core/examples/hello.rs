//! A server on stdin and stdout with one tool.

use omniport::api::{Context, Server};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

#[tokio::main]
async fn main() -> omniport::error::Result<()> {
    let app = Server::new("demo");
    let app = app.tool("add", "Add two numbers.", |add: Add, _cx: Context| async move { Ok(add.a + add.b) });
    app.serve_stdio().await
}
