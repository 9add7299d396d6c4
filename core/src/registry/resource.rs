//! Resources and resource templates as they were registered.
//! See <https://modelcontextprotocol.io/specification/2026-07-28/server/resources>.

use super::Slot;
use super::listing::CacheHint;
use super::shelf::Entry;
use super::template::Template;
use super::tool::{named, object, one_line};
use crate::error::{Error, Result};
use crate::model::Era;

/// A resource with a fixed URI.
pub struct Resource {
    uri: Box<str>,
    definition: Box<str>,
    pub slot: Slot,
    /// How long its content may be kept, where it differs from the server's.
    pub hint: Option<CacheHint>,
}

impl Resource {
    /// Reads a definition; it needs `uri` and `name`.
    pub fn new(definition: &str, slot: Slot, hint: Option<CacheHint>) -> Result<Self> {
        let definition = object(definition, "resource")?;
        let uri = named(definition, "uri", "resource")?;
        named(definition, "name", "resource").map_err(|error| at(&uri, &error))?;
        Ok(Self { uri, definition: one_line(definition.get().as_bytes().to_vec())?, slot, hint })
    }
}

impl Entry for Resource {
    fn key(&self) -> &str {
        &self.uri
    }

    fn definition(&self, _: Era) -> &str {
        &self.definition
    }
}

/// A family of resources whose URIs follow an RFC 6570 template.
pub struct ResourceTemplate {
    text: Box<str>,
    definition: Box<str>,
    pub template: Template,
    pub slot: Slot,
    pub hint: Option<CacheHint>,
}

impl ResourceTemplate {
    /// Reads a definition; it needs `uriTemplate` and `name`. Values of `unsafe_variables` may hold `..`, absolute paths and the like (N64).
    pub fn new(definition: &str, slot: Slot, hint: Option<CacheHint>, unsafe_variables: &[String]) -> Result<Self> {
        let definition = object(definition, "resource template")?;
        let text = named(definition, "uriTemplate", "resource template")?;
        named(definition, "name", "resource template").map_err(|error| at(&text, &error))?;
        let template = Template::parse(&text).and_then(|template| template.allow_unsafe(unsafe_variables));
        let template = template.map_err(|error| at(&text, &error))?;
        Ok(Self { template, definition: one_line(definition.get().as_bytes().to_vec())?, text, slot, hint })
    }
}

impl Entry for ResourceTemplate {
    fn key(&self) -> &str {
        &self.text
    }

    fn definition(&self, _: Era) -> &str {
        &self.definition
    }
}

fn at(uri: &str, error: &Error) -> Error {
    Error::definition(format!("resource `{uri}`: {}", error.message()))
}
