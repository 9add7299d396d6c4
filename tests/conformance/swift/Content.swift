import Foundation
import Omniport

/// A picture of one red pixel.
let pixel = data("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==")
/// A sound of one silent sample.
private let silence = data("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=")

private func data(_ base64: String) -> Data { Data(base64Encoded: base64) ?? Data() }

/// Tools by what they return or take: each kind of content, an error, a schema with all keywords, header parameters.
func addContent(to app: Server) {
    app.tool("test_simple_text", "Returns a text.") { "This is a simple text response for testing." }
    app.tool("test_image_content", "Returns an image.") { Content.image(pixel, mimeType: "image/png") }
    app.tool("test_audio_content", "Returns a sound.") { Content.audio(silence, mimeType: "audio/wav") }
    app.tool("test_embedded_resource", "Returns a resource inside the result.") {
        Content.embedded(.text("This is an embedded resource content.", uri: "test://embedded-resource"))
    }
    app.tool("test_multiple_content_types", "Returns a text, an image and a resource.") {
        [
            Content.text("Multiple content types test:"), .image(pixel, mimeType: "image/png"),
            .embedded(.text(#"{"test":"data","value":123}"#, uri: "test://mixed-content-resource", mimeType: "application/json")),
        ]
    }
    app.tool("test_error_handling", "Always fails.") { () -> String in
        throw ToolError("This tool intentionally returns an error for testing")
    }
    app.tool(
        "json_schema_2020_12_tool", "Takes a contact, which has a phone number or an e-mail address.", options: .init(inputSchema: contact)
    ) { (contact: JSONObject) in
        let name = contact["name"]?.stringValue ?? "Somebody"
        return "\(name) can be reached at \((contact["phone"] ?? contact["email"])?.stringValue ?? "no place")"
    }
    app.tool("test_header_parameters", "Takes parameters that HTTP clients repeat as headers.") { (args: WithHeaders) in
        "\(args.region), priority \(args.priority ?? 0)\(args.urgent == true ? ", urgent" : "")"
    }
}

private struct WithHeaders: Decodable, SchemaDescribing {
    let region: String
    let priority: Int?
    let urgent: Bool?

    static let schemaOverrides: [SchemaOverride] = [
        .keyword("region", "x-mcp-header", "Region"), .keyword("priority", "x-mcp-header", "Priority"),
        .keyword("urgent", "x-mcp-header", "Urgent"),
    ]
}

private let contact: JSONValue = [
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": [
        "address": [
            "$anchor": "addressDef", "type": "object", "properties": ["street": ["type": "string"], "city": ["type": "string"]],
        ]
    ],
    "properties": [
        "name": ["type": "string"],
        "address": ["$ref": "#/$defs/address"],
        "contactMethod": ["type": "string", "enum": ["phone", "email"]],
        "phone": ["type": "string"],
        "email": ["type": "string"],
    ],
    "allOf": [["anyOf": [["required": ["phone"]], ["required": ["email"]]]]],
    "if": ["properties": ["contactMethod": ["const": "phone"]], "required": ["contactMethod"]],
    "then": ["required": ["phone"]],
    "else": ["required": ["email"]],
    "additionalProperties": false,
]
