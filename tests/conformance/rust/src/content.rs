//! Tools by what they return or take: each kind of content, an error, a schema with all keywords, header parameters.

use omniport::api::{Context, NoArguments, Server, Text, ToolError, ToolSpec};
use omniport::types::{
    AudioContent, CallToolResult, EmbeddedResource, ImageContent, TextContent, TextResourceContents,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// A picture of one red pixel.
pub const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// A sound of one silent sample.
const WAV: &str = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

#[derive(Deserialize, JsonSchema)]
struct Routed {
    #[schemars(extend("x-mcp-header" = "Region"))]
    region: String,
    #[serde(default)]
    #[schemars(extend("x-mcp-header" = "Priority"))]
    priority: i32,
    #[serde(default)]
    #[schemars(extend("x-mcp-header" = "Urgent"))]
    urgent: bool,
}

#[derive(Deserialize)]
struct Contact {
    name: Option<String>,
    phone: Option<String>,
    email: Option<String>,
}

/// Adds the tools.
pub fn add(server: Server) -> Server {
    server
        .tool("test_simple_text", "Returns a text.", |_: NoArguments, _| async {
            Ok(Text("This is a simple text response for testing."))
        })
        .tool("test_image_content", "Returns an image.", |_: NoArguments, _| async {
            Ok(ImageContent::new(PNG, "image/png"))
        })
        .tool("test_audio_content", "Returns a sound.", |_: NoArguments, _| async {
            Ok(AudioContent::new(WAV, "audio/wav"))
        })
        .tool("test_embedded_resource", "Returns a resource inside the result.", |_: NoArguments, _| async {
            Ok(embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."))
        })
        .tool("test_multiple_content_types", "Returns a text, an image and a resource.", multiple)
        .tool("test_error_handling", "Always fails.", |_: NoArguments, _| async {
            Err::<(), _>(ToolError::new("This tool intentionally returns an error for testing"))
        })
        .raw_tool(
            ToolSpec::new("json_schema_2020_12_tool")
                .description("Takes a contact, which has a phone number or an e-mail address."),
            contact_schema(),
            |contact: Contact, _| async move {
                let name = contact.name.unwrap_or_else(|| "Somebody".to_owned());
                let way = contact.phone.or(contact.email).unwrap_or_default();
                Ok(Text(format!("{name} can be reached at {way}")))
            },
        )
        .tool(
            "test_header_parameters",
            "Takes parameters that HTTP clients repeat as headers, where proxies can see them.",
            |routed: Routed, _| async move {
                let urgent = if routed.urgent { ", urgent" } else { "" };
                Ok(Text(format!("{}, priority {}{urgent}", routed.region, routed.priority)))
            },
        )
}

async fn multiple(_: NoArguments, _: Context) -> Result<CallToolResult, ToolError> {
    Ok(CallToolResult::new(vec![
        TextContent::new("Multiple content types test:").into(),
        ImageContent::new(PNG, "image/png").into(),
        embedded("test://mixed-content-resource", "application/json", r#"{"test":"data","value":123}"#).into(),
    ]))
}

/// A resource inside a result or a message.
pub fn embedded(uri: &str, mime_type: &str, text: &str) -> EmbeddedResource {
    let mut contents = TextResourceContents::new(text, uri);
    contents.mime_type = Some(mime_type.to_owned());
    EmbeddedResource::new(contents)
}

fn contact_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            },
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false,
    })
}
