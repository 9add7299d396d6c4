//! A client of the test, and what it was told.

use std::sync::{Arc, Mutex};

use omniport::engine::client::{
    AskKind, CallOptions, Change, ClientHost, ClientOptions, ClientState, Operation, Token,
};
use omniport::error::{Error, Result};
use omniport::io::client::ClientConnection;
use omniport::io::client_http::connect_url;
use omniport::io::clock;
use omniport::io::http_options::HttpOptions;
use omniport::model::Level;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// What the client tells.
#[derive(Debug)]
pub enum Told {
    Result(Token, Result<Box<RawValue>>),
    Progress,
}

struct Host {
    told: UnboundedSender<Told>,
    reports: Arc<Mutex<Vec<(Level, String)>>>,
}

impl ClientHost for Host {
    fn result(&self, token: Token, result: Result<Box<RawValue>>) {
        let _ = self.told.send(Told::Result(token, result));
    }

    fn progress(&self, _: Token, _: Box<RawValue>) {
        let _ = self.told.send(Told::Progress);
    }

    fn report(&self, level: Level, text: String) {
        self.reports.lock().unwrap().push((level, text));
    }

    fn log(&self, _: Option<Token>, _: Box<RawValue>) {}
    fn change(&self, _: Change) {}
    fn ask(&self, _: u64, _: AskKind, _: Box<RawValue>) {}
    fn withdrawn(&self, _: u64) {}
    fn state(&self, _: ClientState) {}
    fn closed(&self, _: Error) {}
}

/// A connected client.
pub struct Session {
    pub connection: ClientConnection,
    pub told: UnboundedReceiver<Told>,
    pub reports: Arc<Mutex<Vec<(Level, String)>>>,
}

/// Options of a client that makes one attempt.
pub fn options() -> ClientOptions {
    let mut options = ClientOptions::new("test", "1");
    options.recover = false;
    options
}

pub async fn open(url: &str, http: &HttpOptions) -> Result<Session> {
    open_with(url, http, options()).await
}

pub async fn open_with(url: &str, http: &HttpOptions, options: ClientOptions) -> Result<Session> {
    let (sender, told) = unbounded_channel();
    let reports = Arc::<Mutex<Vec<_>>>::default();
    let host = Arc::new(Host { told: sender, reports: Arc::clone(&reports) });
    let connection = connect_url(&Handle::current(), options, url, http, host);
    let opened = connection.opened;
    let mut session = Session { connection, told, reports };
    session.result(opened).await.map(|_| session)
}

impl Session {
    pub fn start(&self, tool: &str) -> Token {
        let params = format!(r#"{{"name":"{tool}"}}"#);
        self.connection.engine.start(Operation::CallTool, &params, CallOptions::default(), clock::now())
    }

    /// The text that a tool answers with.
    pub async fn call(&mut self, tool: &str) -> Result<String> {
        let token = self.start(tool);
        let result = self.result(token).await?;
        let result: Value = serde_json::from_str(result.get()).unwrap();
        Ok(result["content"][0]["text"].as_str().unwrap().to_owned())
    }

    pub async fn result(&mut self, token: Token) -> Result<Box<RawValue>> {
        loop {
            match self.told.recv().await.expect("the client is there") {
                Told::Result(other, result) if other == token => return result,
                _ => {}
            }
        }
    }
}
