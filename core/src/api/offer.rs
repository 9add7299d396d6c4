//! One thing that a server offers: what is published of it, and who handles it.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::content::{IntoCompletion, IntoContents, IntoPrompt};
use super::context::Context;
use super::error::ToolError;
use super::handler::{self, Handler};
use super::request::Variables;
use super::result::IntoToolResult;
use super::spec::{PromptSpec, ResourceSpec, TemplateSpec, ToolSpec, json};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::registry::completion::Reference;
use crate::registry::prompt::Prompt;
use crate::registry::resource::{Resource, ResourceTemplate};
use crate::registry::tool::Tool;
use crate::registry::{Catalog, Entry, Kind, Slot};

/// A tool, resource, template, prompt or completion with its handler, ready to be offered: by a [`Server`](super::Server) from the
/// start, or by an [`App`](super::App) while it runs. A library of tools is a function that returns some of these.
pub struct Offer {
    pub(super) what: What,
    pub(super) handler: Handler,
}

pub(super) enum What {
    Tool(ToolSpec),
    Resource(ResourceSpec),
    Template(TemplateSpec),
    Prompt(Result<PromptSpec>),
    Completion { reference: Reference, argument: Box<str> },
}

impl Offer {
    /// A tool whose schemas come from the types of its handler; see [`Server::tool`](super::Server::tool).
    #[cfg(feature = "schemars")]
    pub fn tool<A, R, F, Fut>(spec: ToolSpec, handler: F) -> Self
    where
        A: DeserializeOwned + schemars::JsonSchema,
        R: IntoToolResult,
        F: Fn(A, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, ToolError>> + Send + 'static,
    {
        let handler = handler::tool(&spec.definition.name, handler);
        Self { what: What::Tool(typed::<A, R>(spec)), handler }
    }

    /// A tool whose handler blocks; see [`Server::blocking_tool`](super::Server::blocking_tool).
    #[cfg(feature = "schemars")]
    pub fn blocking_tool<A, R, F>(spec: ToolSpec, handler: F) -> Self
    where
        A: DeserializeOwned + schemars::JsonSchema + Send + 'static,
        R: IntoToolResult,
        F: Fn(A, Context) -> Result<R, ToolError> + Send + Sync + 'static,
    {
        let handler = handler::blocking_tool(&spec.definition.name, handler);
        Self { what: What::Tool(typed::<A, R>(spec)), handler }
    }

    /// A tool whose argument schema is made by hand; see [`Server::raw_tool`](super::Server::raw_tool).
    pub fn raw_tool<A, R, F, Fut>(mut spec: ToolSpec, input_schema: Value, handler: F) -> Self
    where
        A: DeserializeOwned,
        R: IntoToolResult,
        F: Fn(A, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, ToolError>> + Send + 'static,
    {
        let handler = handler::tool(&spec.definition.name, handler);
        spec.input = Some(input_schema);
        Self { what: What::Tool(spec), handler }
    }

    /// A resource of one URI. The handler gets the URI.
    pub fn resource<R, F, Fut>(spec: ResourceSpec, handler: F) -> Self
    where
        R: IntoContents,
        F: Fn(String, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, ToolError>> + Send + 'static,
    {
        let handler = handler::resource(spec.definition.mime_type.as_deref(), handler);
        Self { what: What::Resource(spec), handler }
    }

    /// A family of resources. The handler gets what the URI has in the places of the template's variables.
    pub fn template<R, F, Fut>(spec: TemplateSpec, handler: F) -> Self
    where
        R: IntoContents,
        F: Fn(Variables, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, ToolError>> + Send + 'static,
    {
        let handler = handler::template(spec.definition.mime_type.as_deref(), handler);
        Self { what: What::Template(spec), handler }
    }

    /// A prompt whose arguments are the members of the handler's type; see [`Server::prompt`](super::Server::prompt).
    #[cfg(feature = "schemars")]
    pub fn prompt<A, R, F, Fut>(spec: PromptSpec, handler: F) -> Self
    where
        A: DeserializeOwned + schemars::JsonSchema,
        R: IntoPrompt,
        F: Fn(A, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, ToolError>> + Send + 'static,
    {
        let handler = handler::prompt(&spec.definition.name, handler);
        let arguments = super::schema::prompt_arguments::<A>(&spec.definition.name);
        Self { what: What::Prompt(arguments.map(|arguments| spec.derived(arguments))), handler }
    }

    /// A prompt whose arguments are those of its definition.
    pub fn raw_prompt<R, F, Fut>(spec: PromptSpec, handler: F) -> Self
    where
        R: IntoPrompt,
        F: Fn(BTreeMap<String, String>, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, ToolError>> + Send + 'static,
    {
        let handler = handler::prompt(&spec.definition.name, handler);
        Self { what: What::Prompt(Ok(spec)), handler }
    }

    /// Suggestions for an argument of a prompt or a variable of a template; see [`Server::completion`](super::Server::completion).
    pub fn completion<R, F, Fut>(reference: Reference, argument: &str, handler: F) -> Self
    where
        R: IntoCompletion,
        F: Fn(String, BTreeMap<String, String>, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, ToolError>> + Send + 'static,
    {
        let handler = handler::completion(handler);
        Self { what: What::Completion { reference, argument: argument.into() }, handler }
    }
}

#[cfg(feature = "schemars")]
fn typed<A: schemars::JsonSchema, R: IntoToolResult>(mut spec: ToolSpec) -> ToolSpec {
    spec.input = Some(super::schema::input::<A>());
    spec.output = spec.output.or_else(R::output_schema);
    spec
}

/// A checked definition, ready for the catalog.
pub(super) enum Item {
    Tool(Box<Tool>),
    Resource(Resource),
    Template(ResourceTemplate),
    Prompt(Prompt),
    Completion { reference: Reference, argument: Box<str>, slot: Slot },
}

impl What {
    /// Checks the definition. The error names what it is of.
    pub fn check(self, slot: Slot, limits: &Limits) -> Result<Item> {
        let unwritable = |error: serde_json::Error| Error::definition(format!("a definition is no JSON: {error}"));
        Ok(match self {
            Self::Tool(spec) => {
                Item::Tool(Box::new(Tool::new(&spec.json().map_err(unwritable)?, slot, spec.options, limits)?))
            }
            Self::Resource(spec) => {
                Item::Resource(Resource::new(&json(&spec.definition).map_err(unwritable)?, slot, spec.hint)?)
            }
            Self::Template(spec) => {
                let definition = json(&spec.definition).map_err(unwritable)?;
                Item::Template(ResourceTemplate::new(&definition, slot, spec.hint, &spec.unsafe_variables)?)
            }
            Self::Prompt(spec) => Item::Prompt(Prompt::new(&json(&spec?.definition).map_err(unwritable)?, slot)?),
            Self::Completion { reference, argument } => Item::Completion { reference, argument, slot },
        })
    }
}

impl Item {
    /// The list it appears in.
    pub fn kind(&self) -> Option<Kind> {
        match self {
            Self::Tool(_) => Some(Kind::Tools),
            Self::Resource(_) => Some(Kind::Resources),
            Self::Template(_) => Some(Kind::Templates),
            Self::Prompt(_) => Some(Kind::Prompts),
            Self::Completion { .. } => None,
        }
    }

    /// What it is found by in its list.
    pub fn key(&self) -> &str {
        match self {
            Self::Tool(tool) => tool.key(),
            Self::Resource(resource) => resource.key(),
            Self::Template(template) => template.key(),
            Self::Prompt(prompt) => prompt.key(),
            Self::Completion { argument, .. } => argument,
        }
    }

    /// The handler of what it takes the place of.
    pub fn replaces(&self, catalog: &Catalog) -> Option<Slot> {
        match self {
            Self::Completion { reference, argument, .. } => catalog.completions.get(reference, argument),
            _ => slot_of(catalog, self.kind()?, self.key()),
        }
    }

    /// Puts it into the catalog.
    pub fn put(self, catalog: &mut Catalog) {
        match self {
            Self::Tool(tool) => catalog.tools.put(*tool),
            Self::Resource(resource) => catalog.resources.put(resource),
            Self::Template(template) => catalog.templates.put(template),
            Self::Prompt(prompt) => catalog.prompts.put(prompt),
            Self::Completion { reference, argument, slot } => catalog.completions.put(reference, &argument, slot),
        }
    }
}

/// Who handles something that is offered.
pub(super) fn slot_of(catalog: &Catalog, kind: Kind, key: &str) -> Option<Slot> {
    match kind {
        Kind::Tools => catalog.tools.get(key).map(|tool| tool.slot),
        Kind::Resources => catalog.resources.get(key).map(|resource| resource.slot),
        Kind::Templates => catalog.templates.get(key).map(|template| template.slot),
        Kind::Prompts => catalog.prompts.get(key).map(|prompt| prompt.slot),
    }
}
