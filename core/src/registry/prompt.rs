//! A prompt as it was registered.
//! See <https://modelcontextprotocol.io/specification/2026-07-28/server/prompts>.

use serde::Deserialize;

use super::Slot;
use super::shelf::Entry;
use super::tool::{named, object, one_line};
use crate::error::{Error, Result};
use crate::model::Era;
use crate::wire::raw;

/// A registered prompt.
pub struct Prompt {
    name: Box<str>,
    definition: Box<str>,
    pub slot: Slot,
    pub arguments: Vec<PromptArgument>,
}

/// One of its arguments; prompts take strings only.
#[derive(Debug, Deserialize)]
pub struct PromptArgument {
    pub name: Box<str>,
    #[serde(default)]
    pub required: bool,
}

impl Prompt {
    /// Reads a definition; it needs `name`.
    pub fn new(definition: &str, slot: Slot) -> Result<Self> {
        let definition = object(definition, "prompt")?;
        let name = named(definition, "name", "prompt")?;
        let arguments = match raw::get(definition, "arguments")? {
            None => Vec::new(),
            Some(text) => serde_json::from_str(text.get())
                .map_err(|error| Error::definition(format!("prompt `{name}`: `arguments`: {error}")))?,
        };
        Ok(Self { definition: one_line(definition.get().as_bytes().to_vec())?, name, slot, arguments })
    }

    /// The arguments that a call leaves out though they are required.
    pub fn missing<'a>(&'a self, has: impl Fn(&str) -> bool + 'a) -> impl Iterator<Item = &'a str> {
        self.arguments
            .iter()
            .filter(move |argument| argument.required && !has(&argument.name))
            .map(|argument| &*argument.name)
    }
}

impl Entry for Prompt {
    fn key(&self) -> &str {
        &self.name
    }

    fn definition(&self, _: Era) -> &str {
        &self.definition
    }
}
