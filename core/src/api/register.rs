//! What a server offers from the start: one method per kind of thing, each a short form of an [`Offer`].

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::content::{IntoCompletion, IntoContents, IntoPrompt};
use super::context::Context;
use super::error::ToolError;
use super::offer::Offer;
use super::request::Variables;
use super::result::IntoToolResult;
use super::server::Server;
use super::spec::{PromptSpec, ResourceSpec, TemplateSpec, ToolSpec};
use crate::registry::completion::Reference;

impl Server {
    /// Offers something that was made before.
    pub fn offer(mut self, offer: Offer) -> Self {
        self.offers.push(offer);
        self
    }

    /// Offers several things, such as those of a library.
    pub fn offers(mut self, offers: impl IntoIterator<Item = Offer>) -> Self {
        self.offers.extend(offers);
        self
    }

    /// Offers a tool. Its argument schema is that of `A`, its output schema that of `R` (see [`IntoToolResult`]); a tool without
    /// arguments takes [`NoArguments`](super::NoArguments).
    ///
    /// The handler's future is polled where its request arrived, and a handler that is ready at once costs no task and no channel.
    /// So it must not block: a long computation or blocking IO belongs into [`Server::blocking_tool`].
    ///
    /// ```
    /// use omniport::api::{Context, Server};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Add { a: i64, b: i64 }
    ///
    /// let app = Server::new("demo").tool("add", "Add two numbers.", |add: Add, _cx: Context| async move { Ok(add.a + add.b) });
    /// # app.build().unwrap();
    /// ```
    #[cfg(feature = "schemars")]
    pub fn tool<A, R, F, Fut>(self, name: &str, description: &str, handler: F) -> Self
    where
        A: DeserializeOwned + schemars::JsonSchema,
        R: IntoToolResult,
        F: Fn(A, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, ToolError>> + Send + 'static,
    {
        self.tool_with(ToolSpec::new(name).description(description), handler)
    }

    /// [`Server::tool`] with a title, hints, limits and so on.
    #[cfg(feature = "schemars")]
    pub fn tool_with<A, R, F, Fut>(self, spec: ToolSpec, handler: F) -> Self
    where
        A: DeserializeOwned + schemars::JsonSchema,
        R: IntoToolResult,
        F: Fn(A, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, ToolError>> + Send + 'static,
    {
        self.offer(Offer::tool(spec, handler))
    }

    /// Offers a tool whose handler blocks. It runs on a thread of Tokio's blocking pool; when its call is over before it is, it
    /// goes on unless it looks at [`Context::is_cancelled`] now and then.
    #[cfg(feature = "schemars")]
    pub fn blocking_tool<A, R, F>(self, name: &str, description: &str, handler: F) -> Self
    where
        A: DeserializeOwned + schemars::JsonSchema + Send + 'static,
        R: IntoToolResult,
        F: Fn(A, Context) -> Result<R, ToolError> + Send + Sync + 'static,
    {
        self.offer(Offer::blocking_tool(ToolSpec::new(name).description(description), handler))
    }

    /// Offers a tool whose argument schema is made by hand. `A` is whatever reads the arguments: a struct, `serde_json::Value`, or
    /// `Box<serde_json::value::RawValue>` for the text itself. An output schema is the definition's.
    pub fn raw_tool<A, R, F, Fut>(self, spec: ToolSpec, input_schema: Value, handler: F) -> Self
    where
        A: DeserializeOwned,
        R: IntoToolResult,
        F: Fn(A, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, ToolError>> + Send + 'static,
    {
        self.offer(Offer::raw_tool(spec, input_schema, handler))
    }

    /// Offers a resource of one URI. The handler gets the URI and gives text, bytes, or something else that is [`IntoContents`].
    pub fn resource<R, F, Fut>(self, uri: &str, name: &str, handler: F) -> Self
    where
        R: IntoContents,
        F: Fn(String, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, ToolError>> + Send + 'static,
    {
        self.resource_with(ResourceSpec::new(uri, name), handler)
    }

    /// [`Server::resource`] with a media type, a title and so on.
    pub fn resource_with<R, F, Fut>(self, spec: ResourceSpec, handler: F) -> Self
    where
        R: IntoContents,
        F: Fn(String, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, ToolError>> + Send + 'static,
    {
        self.offer(Offer::resource(spec, handler))
    }

    /// Offers the resources whose URIs match an RFC 6570 template.
    ///
    /// ```
    /// use omniport::api::{Server, ToolError};
    ///
    /// let app = Server::new("demo").template("db://{table}/schema", "schema", |variables, _cx| async move {
    ///     match variables.get("table") {
    ///         Some("users") => Ok("id integer, name text"),
    ///         _ => Err(ToolError::not_found()),
    ///     }
    /// });
    /// # app.build().unwrap();
    /// ```
    pub fn template<R, F, Fut>(self, uri_template: &str, name: &str, handler: F) -> Self
    where
        R: IntoContents,
        F: Fn(Variables, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, ToolError>> + Send + 'static,
    {
        self.template_with(TemplateSpec::new(uri_template, name), handler)
    }

    /// [`Server::template`] with a media type, a title and so on.
    pub fn template_with<R, F, Fut>(self, spec: TemplateSpec, handler: F) -> Self
    where
        R: IntoContents,
        F: Fn(Variables, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, ToolError>> + Send + 'static,
    {
        self.offer(Offer::template(spec, handler))
    }

    /// Offers a prompt. Its arguments are the members of `A`, which are texts or optional texts; their docs are what clients show.
    ///
    /// ```
    /// use omniport::api::Server;
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Greet {
    ///     /// Who is greeted.
    ///     name: String,
    /// }
    ///
    /// let app = Server::new("demo").prompt("greet", "Greets someone.", |greet: Greet, _cx| async move {
    ///     Ok(format!("Say hello to {}.", greet.name))
    /// });
    /// # app.build().unwrap();
    /// ```
    #[cfg(feature = "schemars")]
    pub fn prompt<A, R, F, Fut>(self, name: &str, description: &str, handler: F) -> Self
    where
        A: DeserializeOwned + schemars::JsonSchema,
        R: IntoPrompt,
        F: Fn(A, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, ToolError>> + Send + 'static,
    {
        self.prompt_with(PromptSpec::new(name).description(description), handler)
    }

    /// [`Server::prompt`] with a title and so on.
    #[cfg(feature = "schemars")]
    pub fn prompt_with<A, R, F, Fut>(self, spec: PromptSpec, handler: F) -> Self
    where
        A: DeserializeOwned + schemars::JsonSchema,
        R: IntoPrompt,
        F: Fn(A, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, ToolError>> + Send + 'static,
    {
        self.offer(Offer::prompt(spec, handler))
    }

    /// Offers a prompt whose arguments are those of its definition; the handler gets them by name.
    pub fn raw_prompt<R, F, Fut>(self, spec: PromptSpec, handler: F) -> Self
    where
        R: IntoPrompt,
        F: Fn(BTreeMap<String, String>, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, ToolError>> + Send + 'static,
    {
        self.offer(Offer::raw_prompt(spec, handler))
    }

    /// Suggests values for an argument of a prompt or a variable of a template. The handler gets what was typed so far and the other
    /// arguments that are set already.
    ///
    /// ```
    /// use omniport::api::{Reference, Server};
    ///
    /// let app = Server::new("demo").completion(Reference::Prompt("greet".into()), "name", |typed, _others, _cx| async move {
    ///     Ok(["Ada", "Alan"].into_iter().filter(|name| name.starts_with(&typed)).collect::<Vec<_>>())
    /// });
    /// # app.build().unwrap();
    /// ```
    pub fn completion<R, F, Fut>(self, reference: Reference, argument: &str, handler: F) -> Self
    where
        R: IntoCompletion,
        F: Fn(String, BTreeMap<String, String>, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, ToolError>> + Send + 'static,
    {
        self.offer(Offer::completion(reference, argument, handler))
    }
}
