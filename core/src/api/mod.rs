//! Servers in Rust: describe what there is, and serve it. Clients are in [`client`].
//!
//! ```no_run
//! use omniport::api::{Context, Server};
//!
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! struct Add {
//!     a: i64,
//!     b: i64,
//! }
//!
//! #[tokio::main]
//! async fn main() -> omniport::error::Result<()> {
//!     Server::new("demo")
//!         .tool("add", "Add two numbers.", |add: Add, _cx: Context| async move { Ok(add.a + add.b) })
//!         .serve_stdio()
//!         .await
//! }
//! ```
//!
//! A handler is an async closure. What it returns becomes a result ([`IntoToolResult`], [`IntoContents`], [`IntoPrompt`]), what it fails
//! with becomes an error that its reader can use ([`ToolError`]), and through its [`Context`] it reports progress and asks its client,
//! the same for clients of every revision of the protocol.
//!
//! A handler that asks may be run again: where its client answers to another replica, or after a restart, the run starts over and
//! every question it asked before is answered from the sealed state of the call. Put what must not happen twice into
//! [`Context::step`].

mod app;
mod ask;
mod attach;
pub mod client;
mod content;
mod context;
mod error;
mod handler;
mod hooks;
mod offer;
mod register;
mod request;
mod result;
mod runner;
mod runtime;
#[cfg(feature = "schemars")]
mod schema;
mod serve;
mod server;
mod spec;

pub use app::{App, Changes};
pub use ask::Elicited;
pub use content::{IntoCompletion, IntoContents, IntoPrompt, ResourceContent, assistant, user};
pub use context::Context;
pub use error::ToolError;
pub use offer::Offer;
pub use request::{AuditRecord, Headers, Principal, RequestInfo, Variables};
pub use result::{IntoToolResult, Json, NoArguments, Text};
pub use serve::HttpConfig;
pub use server::Server;
pub use spec::{PromptSpec, ResourceSpec, TemplateSpec, ToolSpec};

pub use crate::engine::CacheHints;
pub use crate::io::http_server::HttpServer;
pub use crate::io::service::McpService;
pub use crate::limits::Limits;
pub use crate::model::Level;
pub use crate::protocol::http::origin::Cors;
pub use crate::registry::Kind;
pub use crate::registry::completion::Reference;
pub use crate::registry::listing::CacheHint;
pub use crate::registry::tool::Rate;
