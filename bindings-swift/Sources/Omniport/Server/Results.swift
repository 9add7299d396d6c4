import Foundation

/// What handlers returned, as the text that the engine completes a call with.
enum Results {
    /// A result that JSON cannot say is a fault of the handler, which the model reads of.
    struct Unwritable: LocalizedError {
        let errorDescription: String?

        static func catching(_ encode: () throws -> String) throws -> String {
            do {
                return try encode()
            } catch let error as OmniportError {
                throw Unwritable(errorDescription: "The result cannot be written: \(error.message)")
            }
        }
    }

    /// Makes the result text of a tool; with a schema plain data is structured, without one only objects are.
    static func encoder<R: Encodable>(_: R.Type, isStructured: Bool) -> @Sendable (R) throws -> String {
        if isWhole(R.self) { return whole }
        if !isStructured { return loose }
        // Most tools that compute: no encoder is needed for them. It is the closure that is cast, once, and not what each call returns.
        let integer: @Sendable (Int) throws -> String = { structured(String($0)) }
        let boolean: @Sendable (Bool) throws -> String = { structured($0 ? "true" : "false") }
        return integer as? @Sendable (R) throws -> String ?? boolean as? @Sendable (R) throws -> String ?? { structured(try JSON.encode($0)) }
    }

    private static func structured(_ text: String) -> String { "{\"structuredContent\":" + text + "}" }

    static let empty = #"{"content":[]}"#

    /// Results and blocks that say themselves what they are.
    private static func isWhole(_ type: Any.Type) -> Bool {
        let types: [Any.Type] = [ToolResult.self, CallToolResult.self, Content.self, [Content].self]
        return types.contains { $0 == type }
    }

    private static func whole(_ value: some Encodable) throws -> String {
        switch value {
        case let block as Content: try JSON.encode(ToolResult([block]))
        case let blocks as [Content]: try JSON.encode(ToolResult(blocks))
        default: try JSON.encode(value)
        }
    }

    private static func text(_ text: String) throws -> String {
        "{\"content\":[{\"type\":\"text\",\"text\":\(try JSONValue.string(text).text())}]}"
    }

    private static func loose(_ value: some Encodable) throws -> String {
        if let text = value as? String { return try Self.text(text) }
        switch try JSON.value(of: value) {
        case .null: return empty
        case .string(let text): return try Self.text(text)
        case .object(let members): return "{\"structuredContent\":\(try JSONValue.object(members).text())}"
        case let other: return try text(try other.text())
        }
    }

    /// The schema of what a result's type promises; nil where it promises no data, or none that has a schema.
    static func schema<R: Encodable>(of type: R.Type, for subject: String) -> JSONValue? {
        let withoutData: [Any.Type] = [String.self, JSONValue.self, JSONObject.self]
        guard !isWhole(type), !withoutData.contains(where: { $0 == type }), let type = type as? any Decodable.Type else { return nil }
        return try? SchemaFinder.schema(of: type, for: subject)
    }

    /// The `contents` of a resource: text, bytes, JSON of other data, or contents that say themselves what they are.
    static func contents(_ value: some Encodable, uri: String, mimeType: String?) throws -> String {
        let contents: [ResourceContents]
        switch value {
        case let text as String: contents = [.text(text, uri: uri, mimeType: mimeType ?? "text/plain")]
        case let data as Data: contents = [.data(data, uri: uri, mimeType: mimeType ?? "application/octet-stream")]
        case let one as ResourceContents: contents = [one]
        // By its type: to a cast, an empty list of whatever is one of these.
        case let several as [ResourceContents] where type(of: value) == [ResourceContents].self: contents = several
        case let result as ReadResourceResult: return try JSON.encode(result)
        default: contents = [.text(try JSON.encode(value), uri: uri, mimeType: mimeType ?? "application/json")]
        }
        return "{\"contents\":\(try JSON.encode(contents))}"
    }

    /// The result of a prompt.
    static func messages(_ content: some PromptContent, description: String?) throws -> String {
        var result = JSONObject()
        result.set("description", description)
        result.set("messages", encoding: content.messages)
        return try JSONValue.object(result).text()
    }
}

/// Arguments of prompts and variables of templates, which are always texts, as values of the types that a schema wants.
enum Texts {
    static func typed(_ given: JSONObject, by schema: JSONValue) -> JSONValue {
        let (members, others) = (schema["properties"], schema["additionalProperties"])
        return .object(JSONObject(given.map { ($0.key, typed($0.value, by: members?[$0.key] ?? others)) }))
    }

    /// A text that stands for no value of the type stays, and is refused by the decoder.
    private static func typed(_ value: JSONValue, by member: JSONValue?) -> JSONValue {
        guard let text = value.stringValue else { return value }
        let kinds = (member?["anyOf"]?.arrayValue ?? [member ?? [:]]).compactMap { $0["type"]?.stringValue }
        if kinds.isEmpty || kinds.contains("string") { return value }
        guard let parsed = try? JSONValue(parsing: text) else { return kinds.contains("array") ? [value] : value }
        return parsed
    }
}
