//! A server on a port whose tool asks its user, whatever revision the user's client speaks.

use omniport::api::{Context, Elicited, NoArguments, Server};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Order {
    dish: String,
}

#[tokio::main]
async fn main() -> omniport::error::Result<()> {
    let order = |_: NoArguments, cx: Context| async move {
        let Elicited::Accept(order) = cx.elicit::<Order>("What would you like?").await? else { return Ok(None) };
        Ok(Some(format!("One {}, coming up.", order.dish)))
    };
    Server::new("kitchen").tool("order", "Takes an order.", order).serve_http("127.0.0.1:8000").await
}
