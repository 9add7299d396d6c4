//! What a client can do, in this project's own words, and what that is in each era.

use crate::model::{Era, Method};

/// One thing to do. The words are those of the API in every language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation {
    /// All tools, or one page of them.
    ListTools,
    /// Calls a tool.
    CallTool,
    /// All resources, or one page of them.
    ListResources,
    /// All resource templates, or one page of them.
    ListTemplates,
    /// Reads a resource.
    ReadResource,
    /// All prompts, or one page of them.
    ListPrompts,
    /// Gets a prompt.
    GetPrompt,
    /// What an argument of a prompt or a template may become.
    Complete,
    /// Asks whether the server is there.
    Ping,
    /// Sets the least severe level of log messages.
    SetLogLevel,
    /// Asks to be told of one resource.
    Subscribe,
    /// Takes [`Operation::Subscribe`] back.
    Unsubscribe,
    /// Asks to be told what a filter names, until it is cancelled.
    Listen,
}

/// How an operation is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    /// A request whose result is the answer.
    Request(Method),
    /// A request whose result says only that it worked.
    Empty(Method),
    /// The level that later requests carry.
    KeepLevel,
    /// A subscription to one resource, open until it is taken back.
    OpenOne,
    /// The end of such a subscription.
    CloseOne,
    /// A subscription to what the parameters name.
    Open,
    /// Changes are told anyway.
    Nothing,
}

impl Operation {
    const WORDS: [(&'static str, Self); 13] = [
        ("list_tools", Self::ListTools),
        ("call_tool", Self::CallTool),
        ("list_resources", Self::ListResources),
        ("list_templates", Self::ListTemplates),
        ("read_resource", Self::ReadResource),
        ("list_prompts", Self::ListPrompts),
        ("get_prompt", Self::GetPrompt),
        ("complete", Self::Complete),
        ("ping", Self::Ping),
        ("set_log_level", Self::SetLogLevel),
        ("subscribe", Self::Subscribe),
        ("unsubscribe", Self::Unsubscribe),
        ("listen", Self::Listen),
    ];

    /// The operation of that word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(known, _)| *known == word).map(|(_, operation)| *operation)
    }

    /// Its word.
    pub fn as_str(self) -> &'static str {
        Self::WORDS.iter().find(|(_, operation)| *operation == self).map_or("", |(word, _)| word)
    }

    /// The member of its result that holds the items; none for what lists nothing.
    pub fn items_member(self) -> Option<&'static str> {
        match self {
            Self::ListTools => Some("tools"),
            Self::ListResources => Some("resources"),
            Self::ListTemplates => Some("resourceTemplates"),
            Self::ListPrompts => Some("prompts"),
            _ => None,
        }
    }

    pub(super) fn plan(self, era: Era) -> Plan {
        let modern = era == Era::Modern;
        match self {
            Self::ListTools => Plan::Request(Method::ListTools),
            Self::CallTool => Plan::Request(Method::CallTool),
            Self::ListResources => Plan::Request(Method::ListResources),
            Self::ListTemplates => Plan::Request(Method::ListTemplates),
            Self::ReadResource => Plan::Request(Method::ReadResource),
            Self::ListPrompts => Plan::Request(Method::ListPrompts),
            Self::GetPrompt => Plan::Request(Method::GetPrompt),
            Self::Complete => Plan::Request(Method::Complete),
            // Stateless servers have no ping; what they all answer tells as much.
            Self::Ping if modern => Plan::Empty(Method::Discover),
            Self::Ping => Plan::Empty(Method::Ping),
            Self::SetLogLevel if modern => Plan::KeepLevel,
            Self::SetLogLevel => Plan::Empty(Method::SetLevel),
            Self::Subscribe if modern => Plan::OpenOne,
            Self::Subscribe => Plan::Empty(Method::Subscribe),
            Self::Unsubscribe if modern => Plan::CloseOne,
            Self::Unsubscribe => Plan::Empty(Method::Unsubscribe),
            Self::Listen if modern => Plan::Open,
            Self::Listen => Plan::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_operations_agree() {
        for (word, operation) in Operation::WORDS {
            assert_eq!(Operation::parse(word), Some(operation));
            assert_eq!(operation.as_str(), word);
        }
        assert_eq!(Operation::parse("tools/list"), None);
    }
}
