//! What a server offers: tools, resources, templates and prompts as an immutable snapshot.

pub mod template;
