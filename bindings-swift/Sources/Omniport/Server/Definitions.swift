/// What is registered, as the protocol's definitions and the handlers that run them.
enum Definitions {
    // MARK: Tools

    static func tool<A: Decodable, R: Encodable>(
        _ name: String, _ description: String?, _ options: Server.ToolOptions, _: A.Type,
        _ call: @escaping @Sendable (A, Context) async throws -> R
    ) throws -> Definition {
        let subject = "tool `\(name)`"
        let output = options.outputSchema ?? Results.schema(of: R.self, for: subject)
        let isStructured = output != nil && output != false
        let definition = try toolDefinition(name, description, options, A.self, output: isStructured ? output : nil, subject)
        let encode = Results.encoder(R.self, isStructured: isStructured)
        let handler = Handler(subject: subject) { text, cx in
            let result = try await call(try ArgumentError.catching { try JSON.decode(A.self, from: text) }, cx)
            return try Results.Unwritable.catching { try encode(result) }
        }
        return Definition(what: .tool, name: name, definition: definition, options: options.engineOptions, handler: handler)
    }

    private static func toolDefinition(
        _ name: String, _ description: String?, _ options: Server.ToolOptions, _ arguments: any Decodable.Type, output: JSONValue?,
        _ subject: String
    ) throws -> JSONObject {
        var input = try options.inputSchema ?? argumentSchema(arguments, subject)
        if options.strict, case .object(var members) = input, members["additionalProperties"] == nil {
            members["additionalProperties"] = false
            input = .object(members)
        }
        var definition: JSONObject = ["name": .string(name)]
        definition.set("title", options.title)
        definition.set("description", description)
        definition["inputSchema"] = input
        definition.set("outputSchema", output)
        definition.set("annotations", encoding: options.annotations)
        definition.set("icons", encoding: options.icons)
        definition.set("_meta", options.meta.map { .object($0) })
        return definition
    }

    /// Arguments are the members of an object; any members, for a type that says nothing of them.
    private static func argumentSchema(_ type: any Decodable.Type, _ subject: String) throws -> JSONValue {
        let schema = try SchemaFinder.schema(of: type, for: subject)
        if schema == [:] { return ["type": "object"] }
        guard schema["type"] == "object" else {
            throw OmniportError.definition(.init("\(subject): the arguments are the members of a structure, and `\(type)` is none"))
        }
        return schema
    }

    // MARK: Resources

    static func resource<R: Encodable>(
        _ uri: String, _ options: Server.ResourceOptions, _ read: @escaping @Sendable (Context) async throws -> R
    ) -> Definition {
        let handler = Handler(subject: "resource `\(uri)`") { _, cx in
            try Results.contents(try await read(cx), uri: cx.uri, mimeType: options.mimeType)
        }
        return Definition(
            what: .resource, name: uri, definition: options.definition("uri", uri), options: options.engineOptions, handler: handler)
    }

    static func template<V: Decodable, R: Encodable>(
        _ uri: String, _ options: Server.ResourceOptions, _: V.Type, _ read: @escaping @Sendable (V, Context) async throws -> R
    ) throws -> Definition {
        let subject = "template `\(uri)`"
        let schema = try SchemaFinder.schema(of: V.self, for: subject)
        let handler = Handler(subject: subject) { text, cx in
            let variables = try JSONValue(parsing: text)["variables"]?.objectValue ?? [:]
            let given = try parameters { try JSON.decode(V.self, from: Texts.typed(variables, by: schema)) }
            return try Results.contents(try await read(given, cx), uri: cx.uri, mimeType: options.mimeType)
        }
        var definition = Definition(
            what: .template, name: uri, definition: options.definition("uriTemplate", uri), options: options.engineOptions,
            handler: handler)
        if let members = schema["properties"]?.objectValue {
            let required = schema["required"]?.arrayValue?.compactMap(\.stringValue) ?? []
            definition.variables = .init(known: Set(members.keys), required: Set(required))
        }
        return definition
    }

    // MARK: Prompts and completions

    static func prompt<A: Decodable>(
        _ name: String, _ description: String?, _ options: Server.PromptOptions, _: A.Type,
        _ make: @escaping @Sendable (A, Context) async throws -> some PromptContent
    ) throws -> Definition {
        let subject = "prompt `\(name)`"
        let schema = try SchemaFinder.schema(of: A.self, for: subject)
        let arguments = options.arguments ?? promptArguments(schema)
        if let twice = arguments.first(where: { one in arguments.count { $0.name == one.name } > 1 }) {
            throw OmniportError.definition(.init("\(subject): two arguments are named `\(twice.name)`"))
        }
        var definition: JSONObject = ["name": .string(name)]
        definition.set("title", options.title)
        definition.set("description", description)
        if !arguments.isEmpty { definition.set("arguments", encoding: arguments) }
        definition.set("icons", encoding: options.icons)
        definition.set("_meta", options.meta.map { .object($0) })
        let handler = Handler(subject: subject) { text, cx in
            let texts = try JSONValue(parsing: text).objectValue ?? [:]
            let given = try parameters { try JSON.decode(A.self, from: Texts.typed(texts, by: schema)) }
            return try Results.messages(try await make(given, cx), description: description)
        }
        return Definition(what: .prompt, name: name, definition: definition, options: [:], handler: handler)
    }

    private static func promptArguments(_ schema: JSONValue) -> [PromptArgument] {
        let required = Set(schema["required"]?.arrayValue?.compactMap(\.stringValue) ?? [])
        return (schema["properties"]?.objectValue ?? [:]).map { name, member in
            PromptArgument(
                name: name, description: member["description"]?.stringValue, required: required.contains(name) ? true : nil,
                title: member["title"]?.stringValue)
        }
    }

    static func completion(
        _ reference: CompletionReference, _ argument: String,
        _ suggest: @escaping @Sendable (String, [String: String], Context) async throws -> Suggestions
    ) -> CompletionDefinition {
        let handler = Handler(subject: "completion of `\(reference.name)`, `\(argument)`") { text, cx in
            let asked = try JSONValue(parsing: text)
            let others = asked["arguments"]?.objectValue?.compactMap { name, value in value.stringValue.map { (name, $0) } } ?? []
            return try JSON.encode(
                try await suggest(asked["value"]?.stringValue ?? "", Dictionary(others) { _, last in last }, cx))
        }
        return CompletionDefinition(reference: reference, argument: argument, handler: handler)
    }

    /// What does not decode is the caller's fault, and no model reads it.
    private static func parameters<T>(_ decode: () throws -> T) throws -> T {
        do {
            return try ArgumentError.catching(decode)
        } catch let error as ArgumentError {
            throw OmniportError.invalidParams(.init(error.message))
        }
    }
}

/// For handlers that take no arguments.
struct NoArguments: Codable, Sendable {
    init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: AnyKey.self) }
}
