//! Clients as users write them, of servers as users write them, in memory and in both eras.

mod callbacks;
mod calls;
mod endings;
mod telling;

use omniport::api::client::{Builder, Client, EraChoice, Version};
use omniport::api::{App, Server};

/// One setting for each era.
const ERAS: [EraChoice; 2] = [EraChoice::Legacy(Version::V2025_11_25), EraChoice::Modern];

fn is_modern(client: &Client) -> bool {
    client.server().protocol_version == Version::NEWEST.as_str()
}

/// A client of each era, set up the same way.
async fn clients(app: &App, set_up: impl Fn(Builder) -> Builder) -> [Client; 2] {
    let [legacy, modern] = ERAS.map(|era| set_up(Client::builder(app).era(era)).connect());
    [legacy.await.unwrap(), modern.await.unwrap()]
}

async fn plain(app: &App) -> [Client; 2] {
    clients(app, |builder| builder).await
}

fn server() -> Server {
    Server::new("demo").version("1.2.3").instructions("Be kind.")
}
