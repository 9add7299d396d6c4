//! Tools that ask the client's user or model one question: forms with defaults and choices, a sample.

use omniport::api::{Context, Elicited, NoArguments, Server, Text, ToolError};
use omniport::types::{
    CreateMessageRequestParams, CreateMessageResult, Role, SamplingMessage, SamplingMessageContentBlock, TextContent,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::to_raw_value;

#[derive(Deserialize, JsonSchema)]
struct Message {
    message: String,
}

#[derive(Deserialize, JsonSchema)]
struct Prompt {
    prompt: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct User {
    username: String,
    email: String,
}

/// Adds the tools.
pub fn add(server: Server) -> Server {
    server
        .tool(
            "test_elicitation",
            "Asks the user for a name and an address.",
            |asked: Message, cx: Context| async move {
                Ok(Text(format!("User response: {}", outcome(&cx.elicit::<User>(&asked.message).await?)?)))
            },
        )
        .tool("test_elicitation_sep1034_defaults", "Asks with a default for each kind of member.", defaults)
        .tool("test_elicitation_sep1330_enums", "Asks with every kind of choice.", choices)
        .tool("test_sampling", "Asks the client's model.", |asked: Prompt, cx: Context| async move {
            Ok(Text(format!("LLM response: {}", text_of(&cx.sample(question(&asked.prompt, 100)).await?))))
        })
        .tool(
            "test_missing_capability",
            "Needs a model, and fails for a client that did not declare one.",
            |_: NoArguments, cx: Context| async move { Ok(Text(text_of(&cx.sample(question("Hello", 1)).await?))) },
        )
}

/// A question to the client's model.
pub fn question(text: &str, max_tokens: i64) -> CreateMessageRequestParams {
    let block = SamplingMessageContentBlock::from(TextContent::new(text));
    CreateMessageRequestParams::new(max_tokens, vec![SamplingMessage::new(block, Role::User)])
}

/// The text of the model's answer.
pub fn text_of(answer: &CreateMessageResult) -> String {
    let texts = answer.content.as_slice().iter().filter_map(|block| match block {
        SamplingMessageContentBlock::Text(text) => Some(text.text.as_str()),
        _ => None,
    });
    texts.collect()
}

fn outcome<T: Serialize>(answer: &Elicited<T>) -> Result<String, ToolError> {
    Ok(match answer {
        Elicited::Accept(content) => format!("action=accept, content={}", serde_json::to_string(content)?),
        Elicited::Decline => "action=decline, content={}".to_owned(),
        Elicited::Cancel => "action=cancel, content={}".to_owned(),
    })
}

async fn defaults(_: NoArguments, cx: Context) -> Result<Text<String>, ToolError> {
    let form = to_raw_value(&json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "User name", "default": "John Doe"},
            "age": {"type": "integer", "description": "User age", "default": 30},
            "score": {"type": "number", "description": "User score", "default": 95.5},
            "status": {
                "type": "string",
                "description": "User status",
                "enum": ["active", "inactive", "pending"],
                "default": "active",
            },
            "verified": {"type": "boolean", "description": "Verification status", "default": true},
        },
        "required": [],
    }))?;
    let answer = cx.elicit_form("Please review and update the form fields with defaults", &form).await?;
    Ok(Text(format!("Elicitation completed: {}", outcome(&answer)?)))
}

async fn choices(_: NoArguments, cx: Context) -> Result<Text<String>, ToolError> {
    let form = to_raw_value(&json!({
        "type": "object",
        "properties": {
            "untitledSingle": {"type": "string", "description": "One option", "enum": ["option1", "option2", "option3"]},
            "titledSingle": {
                "type": "string",
                "description": "One option with titles",
                "oneOf": [
                    {"const": "value1", "title": "First Option"},
                    {"const": "value2", "title": "Second Option"},
                    {"const": "value3", "title": "Third Option"},
                ],
            },
            "legacyEnum": {
                "type": "string",
                "description": "One option, titles the old way",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": {
                "type": "array",
                "description": "Several options",
                "minItems": 1,
                "maxItems": 3,
                "items": {"type": "string", "enum": ["option1", "option2", "option3"]},
            },
            "titledMulti": {
                "type": "array",
                "description": "Several options with titles",
                "minItems": 1,
                "maxItems": 3,
                "items": {
                    "anyOf": [
                        {"const": "value1", "title": "First Choice"},
                        {"const": "value2", "title": "Second Choice"},
                        {"const": "value3", "title": "Third Choice"},
                    ],
                },
            },
        },
        "required": [],
    }))?;
    let answer = cx.elicit_form("Please select options from the enum fields", &form).await?;
    Ok(Text(format!("Elicitation completed: {}", outcome(&answer)?)))
}
