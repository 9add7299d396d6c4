//! Resources, a template, prompts, and completions for their arguments.

use std::collections::BTreeMap;

use omniport::api::{
    Context, Json, NoArguments, Reference, ResourceSpec, Server, TemplateSpec, ToolError, Variables, user,
};
use omniport::types::{BlobResourceContents, ImageContent, PromptMessage, ReadResourceResult, Role};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::content::{PNG, embedded};

const TEMPLATE: &str = "test://template/{id}/data";
const WORDS: [&str; 5] = ["paris", "park", "party", "test", "testing"];

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// First test argument
    arg1: String,
    /// Second test argument
    arg2: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Embed {
    /// URI of the resource to embed
    resource_uri: String,
}

/// Adds all of them.
pub fn add(server: Server) -> Server {
    server
        .resource_with(ResourceSpec::new("test://static-text", "static_text").mime_type("text/plain"), |_, _| async {
            Ok("This is the content of the static text resource.")
        })
        .resource_with(ResourceSpec::new("test://static-binary", "static_binary").mime_type("image/png"), binary)
        .resource_with(
            ResourceSpec::new("test://watched-resource", "watched_resource").mime_type("text/plain"),
            |_, _| async { Ok("Watched resource content") },
        )
        .template_with(
            TemplateSpec::new(TEMPLATE, "template").mime_type("application/json"),
            |variables: Variables, _| async move {
                let id = variables.get("id").unwrap_or_default();
                Ok(Json(json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")})))
            },
        )
        .prompt("test_simple_prompt", "A prompt without arguments.", |_: NoArguments, _| async {
            Ok("This is a simple prompt for testing.")
        })
        .prompt("test_prompt_with_arguments", "A prompt with arguments.", |given: Arguments, _| async move {
            Ok(format!("Prompt with arguments: arg1='{}', arg2='{}'", given.arg1, given.arg2))
        })
        .prompt("test_prompt_with_embedded_resource", "A prompt that holds a resource.", |given: Embed, _| async move {
            let resource = embedded(&given.resource_uri, "text/plain", "Embedded resource content for testing.");
            Ok([PromptMessage::new(resource, Role::User), user("Please process the embedded resource above.")])
        })
        .prompt("test_prompt_with_image", "A prompt that holds an image.", |_: NoArguments, _| async {
            let image = ImageContent::new(PNG, "image/png");
            Ok([PromptMessage::new(image, Role::User), user("Please analyze the image above.")])
        })
        .completion(Reference::Prompt("test_prompt_with_arguments".into()), "arg1", words)
        .completion(Reference::Template(TEMPLATE.into()), "id", words)
}

async fn binary(uri: String, _: Context) -> Result<ReadResourceResult, ToolError> {
    let mut contents = BlobResourceContents::new(PNG, uri);
    contents.mime_type = Some("image/png".to_owned());
    Ok(ReadResourceResult::new(vec![contents.into()]))
}

async fn words(typed: String, _: BTreeMap<String, String>, _: Context) -> Result<Vec<&'static str>, ToolError> {
    Ok(WORDS.into_iter().filter(|word| word.starts_with(&typed)).collect())
}
