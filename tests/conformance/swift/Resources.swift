import Omniport

private let words = ["paris", "park", "party", "test", "testing"]

/// Resources and a template, with suggestions for its variable.
func addResources(to app: Server) {
    app.resource(
        "test://static-text", options: .init(title: "Static text", description: "A text.", mimeType: "text/plain"),
        content: "This is the content of the static text resource.")
    app.resource(
        "test://static-binary", options: .init(title: "Static binary", description: "A picture.", mimeType: "image/png"), content: pixel)
    app.resource(
        "test://watched-resource",
        options: .init(title: "Watched resource", description: "A text to subscribe to.", mimeType: "text/plain"),
        content: "Watched resource content")
    struct Variables: Decodable { let id: String }
    app.resourceTemplate(
        "test://template/{id}/data",
        options: .init(title: "Template", description: "Data about the id in the URI.", mimeType: "application/json")
    ) { (variables: Variables) in
        ["id": .string(variables.id), "templateTest": true, "data": .string("Data for ID: \(variables.id)")] as JSONObject
    }
    app.completion(of: .template("test://template/{id}/data"), argument: "id") { start, _, _ in words.filter { $0.hasPrefix(start) } }
}

/// Prompts, with suggestions for an argument.
func addPrompts(to app: Server) {
    app.prompt("test_simple_prompt", "A prompt without arguments.") { "This is a simple prompt for testing." }

    struct Arguments: Decodable, SchemaDescribing {
        let arg1: String
        let arg2: String
        static let schemaOverrides: [SchemaOverride] = [.describe("arg1", "First test argument"), .describe("arg2", "Second test argument")]
    }
    app.prompt("test_prompt_with_arguments", "A prompt with arguments.") { (args: Arguments) in
        "Prompt with arguments: arg1='\(args.arg1)', arg2='\(args.arg2)'"
    }
    app.completion(of: .prompt("test_prompt_with_arguments"), argument: "arg1") { start, _, _ in words.filter { $0.hasPrefix(start) } }

    struct Embedding: Decodable, SchemaDescribing {
        let resourceUri: String
        static let schemaOverrides: [SchemaOverride] = [.describe("resourceUri", "URI of the resource to embed")]
    }
    app.prompt("test_prompt_with_embedded_resource", "A prompt that holds a resource.") { (args: Embedding) in
        [
            Content.embedded(.text("Embedded resource content for testing.", uri: args.resourceUri)),
            .text("Please process the embedded resource above."),
        ]
    }
    app.prompt("test_prompt_with_image", "A prompt that holds an image.") {
        [Content.image(pixel, mimeType: "image/png"), .text("Please analyze the image above.")]
    }
}
