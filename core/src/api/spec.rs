//! What is published of a tool, resource, template or prompt, and what guards it.

use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use crate::registry::listing::CacheHint;
use crate::registry::tool::{Rate, ToolOptions};
use crate::types;

/// Setters of the members that all definitions have.
macro_rules! common {
    ($spec:ident) => {
        impl $spec {
            /// Sets the name for people.
            pub fn title(mut self, title: impl Into<String>) -> Self {
                self.definition.title = Some(title.into());
                self
            }

            /// Sets what it is for.
            pub fn description(mut self, description: impl Into<String>) -> Self {
                self.definition.description = Some(description.into());
                self
            }

            /// Sets its icons.
            pub fn icons(mut self, icons: impl IntoIterator<Item = types::Icon>) -> Self {
                self.definition.icons = Some(icons.into_iter().collect());
                self
            }

            /// Sets its `_meta`.
            pub fn meta(mut self, meta: types::MetaObject) -> Self {
                self.definition.meta = Some(meta);
                self
            }
        }
    };
}

/// A tool. See <https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool>.
#[derive(Clone, Debug)]
pub struct ToolSpec {
    pub(super) definition: types::Tool,
    /// Schemas may be any JSON, and stay as they were written.
    pub(super) input: Option<Value>,
    pub(super) output: Option<Value>,
    pub(super) options: ToolOptions,
}

common!(ToolSpec);

impl ToolSpec {
    /// A tool of that name.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            definition: types::Tool::new(types::JSONObject::new(), name),
            input: None,
            output: None,
            options: ToolOptions::default(),
        }
    }

    /// Sets the hints about what it does: whether it only reads, destroys, may be repeated.
    pub fn annotations(mut self, annotations: types::ToolAnnotations) -> Self {
        self.definition.annotations = Some(annotations);
        self
    }

    /// Says that it changes nothing.
    pub fn read_only(mut self) -> Self {
        self.definition.annotations.get_or_insert_default().read_only_hint = Some(true);
        self
    }

    /// Sets the schema of its structured content, in place of the one that the handler's result type has.
    pub fn output_schema(mut self, schema: Value) -> Self {
        self.output = Some(schema);
        self
    }

    /// Sets how long a call may take; the time while the client is asked does not count in the modern era.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.options.timeout = Some(timeout);
        self
    }

    /// Sets how often it may be called.
    pub fn rate(mut self, rate: Rate) -> Self {
        self.options.rate = Some(rate);
        self
    }

    /// Sets how many calls may run at once; more are refused.
    pub fn concurrency(mut self, calls: usize) -> Self {
        self.options.concurrency = Some(calls);
        self
    }

    /// Refuses a repeated retry with the same answers, for a tool that must not run twice.
    pub fn once(mut self) -> Self {
        self.options.once = true;
        self
    }

    pub(super) fn json(&self) -> serde_json::Result<String> {
        let mut definition = serde_json::to_value(&self.definition)?;
        if let Value::Object(members) = &mut definition {
            members.remove("inputSchema");
            members.extend(self.input.clone().map(|schema| ("inputSchema".to_owned(), schema)));
            members.extend(self.output.clone().map(|schema| ("outputSchema".to_owned(), schema)));
        }
        serde_json::to_string(&definition)
    }
}

/// A resource of one URI. See <https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource>.
#[derive(Clone, Debug)]
pub struct ResourceSpec {
    pub(super) definition: types::Resource,
    pub(super) hint: Option<CacheHint>,
}

/// A family of resources. See <https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource-templates>.
#[derive(Clone, Debug)]
pub struct TemplateSpec {
    pub(super) definition: types::ResourceTemplate,
    pub(super) hint: Option<CacheHint>,
    pub(super) unsafe_variables: Vec<String>,
}

/// Setters that resources and templates share.
macro_rules! readable {
    ($spec:ident) => {
        impl $spec {
            /// Sets the media type of its content.
            pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
                self.definition.mime_type = Some(mime_type.into());
                self
            }

            /// Sets for whom it is and how much it matters.
            pub fn annotations(mut self, annotations: types::Annotations) -> Self {
                self.definition.annotations = Some(annotations);
                self
            }

            /// Sets how long and for whom its content may be kept.
            pub fn cache(mut self, hint: CacheHint) -> Self {
                self.hint = Some(hint);
                self
            }
        }
    };
}

common!(ResourceSpec);
common!(TemplateSpec);
readable!(ResourceSpec);
readable!(TemplateSpec);

impl ResourceSpec {
    /// The resource at that URI.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self { definition: types::Resource::new(name, uri), hint: None }
    }

    /// Sets the length of its content in bytes.
    pub fn size(mut self, bytes: i64) -> Self {
        self.definition.size = Some(bytes);
        self
    }
}

impl TemplateSpec {
    /// The resources whose URIs match that RFC 6570 template.
    pub fn new(uri_template: impl Into<String>, name: impl Into<String>) -> Self {
        Self { definition: types::ResourceTemplate::new(name, uri_template), hint: None, unsafe_variables: Vec::new() }
    }

    /// Lets a variable hold `..`, absolute paths and the like: only for one that is no path.
    pub fn allow_unsafe(mut self, variable: impl Into<String>) -> Self {
        self.unsafe_variables.push(variable.into());
        self
    }
}

/// A prompt. See <https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#prompt>.
#[derive(Clone, Debug)]
pub struct PromptSpec {
    pub(super) definition: types::Prompt,
}

common!(PromptSpec);

impl PromptSpec {
    /// A prompt of that name.
    pub fn new(name: impl Into<String>) -> Self {
        Self { definition: types::Prompt::new(name) }
    }

    /// Adds an argument, or says more about one that the handler's type has.
    pub fn argument(mut self, name: impl Into<String>, description: impl Into<String>, required: bool) -> Self {
        let mut argument = types::PromptArgument::new(name);
        argument.description = Some(description.into());
        argument.required = Some(required);
        self.definition.arguments.get_or_insert_default().push(argument);
        self
    }

    /// Adds the arguments that the handler's type has and the definition not yet.
    #[cfg(feature = "schemars")]
    pub(super) fn derived(mut self, arguments: Vec<types::PromptArgument>) -> Self {
        let known = self.definition.arguments.get_or_insert_default();
        for argument in arguments {
            if known.iter().all(|known| known.name != argument.name) {
                known.push(argument);
            }
        }
        self
    }
}

/// A definition as JSON text.
pub(super) fn json(definition: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string(definition)
}
