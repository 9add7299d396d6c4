import Foundation

extension Client {
    // MARK: Tools

    /// Calls a tool. A tool's own failure is a result with `isError`; what the tool asks on the way is answered by the handlers of the client.
    ///
    /// See [Calling tools](https://modelcontextprotocol.io/specification/2026-07-28/server/tools#calling-tools).
    public func callTool(_ name: String, _ arguments: JSONValue = [:], options: CallOptions? = nil) async throws -> CallToolResult {
        try Lenient.read(of: await ask("call_tool", ["name": .string(name), "arguments": arguments], options))
    }

    /// Calls a tool with the members of a value as its arguments.
    public func callTool(
        _ name: String, arguments: some Encodable & Sendable, options: CallOptions? = nil
    ) async throws -> CallToolResult {
        try await callTool(name, JSONValue(encoding: arguments), options: options)
    }

    /// Calls a tool, and gives its structured result as a value: `callTool("add", ["a": 1, "b": 2], as: Int.self)`.
    ///
    /// A tool whose output is no object says `{"result": value}`, which stands for the value. Of a result without structured content the text is
    /// taken: as it is for a `String`, as JSON for other types.
    ///
    /// - Throws: ``ToolError`` with the texts of a result that says `isError`; ``OmniportError/invalidRequest(_:)`` with the result as `data` when
    ///   it is no such value.
    public func callTool<Output: Decodable & Sendable>(
        _ name: String, _ arguments: JSONValue = [:], as _: Output.Type, options: CallOptions? = nil
    ) async throws -> Output {
        try await callTool(name, arguments, options: options).output(as: Output.self)
    }

    /// Calls a tool with the members of a value as its arguments, and gives its structured result as a value.
    public func callTool<Output: Decodable & Sendable>(
        _ name: String, arguments: some Encodable & Sendable, as _: Output.Type, options: CallOptions? = nil
    ) async throws -> Output {
        try await callTool(name, JSONValue(encoding: arguments), options: options).output(as: Output.self)
    }

    /// All tools.
    public func listTools(options: CallOptions? = nil) async throws -> [Tool] { try await all(.tools, options) }

    /// One page of tools; its `nextCursor` names the next one.
    public func listToolsPage(cursor: String? = nil, options: CallOptions? = nil) async throws -> ListToolsResult {
        try Lenient.read(from: await page(.tools, cursor, options))
    }

    /// The tools, to iterate over.
    public var tools: Listing<Tool> { listing(.tools) }

    // MARK: Resources

    /// All resources.
    public func listResources(options: CallOptions? = nil) async throws -> [Resource] { try await all(.resources, options) }

    /// One page of resources.
    public func listResourcesPage(cursor: String? = nil, options: CallOptions? = nil) async throws -> ListResourcesResult {
        try Lenient.read(from: await page(.resources, cursor, options))
    }

    /// The resources, to iterate over.
    public var resources: Listing<Resource> { listing(.resources) }

    /// All resource templates.
    public func listResourceTemplates(options: CallOptions? = nil) async throws -> [ResourceTemplate] {
        try await all(.templates, options)
    }

    /// One page of resource templates.
    public func listResourceTemplatesPage(
        cursor: String? = nil, options: CallOptions? = nil
    ) async throws -> ListResourceTemplatesResult {
        try Lenient.read(from: await page(.templates, cursor, options))
    }

    /// The resource templates, to iterate over.
    public var resourceTemplates: Listing<ResourceTemplate> { listing(.templates) }

    /// Reads a resource; one resource may have several contents.
    ///
    /// - Throws: ``OmniportError/remote(_:)`` when the server has no such resource.
    ///
    /// See [Reading resources](https://modelcontextprotocol.io/specification/2026-07-28/server/resources#reading-resources).
    public func readResource(_ uri: String, options: CallOptions? = nil) async throws -> ReadResourceResult {
        try Lenient.read(of: await ask("read_resource", ["uri": .string(uri)], options))
    }

    /// Changes of the resource reach the handler `change` until ``unsubscribe(_:options:)``.
    public func subscribe(_ uri: String, options: CallOptions? = nil) async throws {
        _ = try await ask("subscribe", ["uri": .string(uri)], options)
        life.remember(uri, isWanted: true)
    }

    /// Takes ``subscribe(_:options:)`` back.
    public func unsubscribe(_ uri: String, options: CallOptions? = nil) async throws {
        life.remember(uri, isWanted: false)
        _ = try await ask("unsubscribe", ["uri": .string(uri)], options)
    }

    // MARK: Prompts

    /// All prompts.
    public func listPrompts(options: CallOptions? = nil) async throws -> [Prompt] { try await all(.prompts, options) }

    /// One page of prompts.
    public func listPromptsPage(cursor: String? = nil, options: CallOptions? = nil) async throws -> ListPromptsResult {
        try Lenient.read(from: await page(.prompts, cursor, options))
    }

    /// The prompts, to iterate over.
    public var prompts: Listing<Prompt> { listing(.prompts) }

    /// Gets a prompt; its arguments are texts.
    ///
    /// See [Getting a prompt](https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#getting-a-prompt).
    public func getPrompt(
        _ name: String, _ arguments: [String: String] = [:], options: CallOptions? = nil
    ) async throws -> GetPromptResult {
        let params: JSONObject = ["name": .string(name), "arguments": .object(JSONObject(arguments.map { ($0, .string($1)) }))]
        return try Lenient.read(of: await ask("get_prompt", params, options))
    }

    // MARK: Others

    /// Suggestions for an argument of a prompt or a variable of a template, whose beginning is `value`; `others` are the arguments that
    /// are filled in already.
    ///
    /// See [Completion](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion).
    public func complete(
        _ reference: CompletionReference, argument: String, value: String, others: [String: String] = [:], options: CallOptions? = nil
    ) async throws -> CompleteResultCompletion {
        let params: JSONObject = [
            "reference": reference.json, "argument": .string(argument), "value": .string(value),
            "arguments": .object(JSONObject(others.map { ($0, .string($1)) })),
        ]
        return try Lenient.read(CompleteResult.self, of: await ask("complete", params, options)).completion
    }

    /// Asks whether the server is there.
    public func ping(options: CallOptions? = nil) async throws { _ = try await ask("ping", [:], options) }

    /// The least severe level of log messages that the server sends. To a modern server it is told with each request.
    ///
    /// See [Logging](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging).
    public func setLogLevel(_ level: LoggingLevel, options: CallOptions? = nil) async throws {
        _ = try await ask("set_log_level", ["level": .string(level.rawValue)], options)
    }

    /// Any request by the engine's name for it ("call_tool", "list_templates"); its answer as it came, with every member.
    public func request(_ what: String, _ params: JSONObject = [:], options: CallOptions? = nil) async throws -> JSONValue {
        try JSONValue(parsing: await ask(what, params, options).text)
    }

    // MARK: How it is asked

    private func ask(_ what: String, _ params: JSONObject, _ options: CallOptions?) async throws -> Answer {
        try await life.ask(Request(what, params, options))
    }

    private func all<Item>(_ list: List<Item>, _ options: CallOptions?) async throws -> [Item] {
        try list.items(JSONValue(parsing: await ask(list.what, [:], options).text))
    }

    private func page<Item>(_ list: List<Item>, _ cursor: String?, _ options: CallOptions?) async throws -> JSONValue {
        try list.readable(await life.page(list, cursor, options))
    }

    private func listing<Item>(_ list: List<Item>) -> Listing<Item> {
        Listing { [life] cursor in
            let page = try await life.page(list, cursor, nil)
            return (try list.items(page), page["nextCursor"]?.stringValue)
        }
    }
}

extension Life {
    /// Sends a request and waits for its answer. Nothing is sent when the task is cancelled already.
    func ask(_ request: Request) async throws -> Answer {
        try Task.checkCancellation()
        let connection = try await live()
        let answer: Answer
        do {
            answer = try await connection.answer(connection.start(request))
        } catch OmniportError.closed(let facts) {
            // Of a connection that could not be made: why, and when nothing is left of it, so that the next call begins a new one.
            try await connection.opened.pass()
            throw OmniportError.closed(facts)
        }
        // Of the call that connected: whoever has its answer may ask what the server said of itself.
        if !connection.opened.isOpen { try? await connection.opened.pass() }
        return answer
    }

    fileprivate func page<Item>(_ list: List<Item>, _ cursor: String?, _ options: CallOptions?) async throws -> JSONValue {
        let params: JSONObject = cursor.map { ["cursor": .string($0)] } ?? [:]
        return try JSONValue(parsing: await ask(Request(list.what, params, options, manner: .onePage)).text)
    }
}

extension CallToolResult {
    /// All texts of the content, one per line.
    public var text: String {
        let texts = content.compactMap { block in
            if case .text(let content) = block { content.text } else { nil }
        }
        return texts.joined(separator: "\n")
    }

    /// The structured result as a value; see ``Client/callTool(_:_:as:options:)``.
    public func output<Output: Decodable>(as _: Output.Type = Output.self) throws -> Output {
        if isError == true { throw ToolError(text) }
        do {
            return try value()
        } catch {
            let why = "the result of the tool is no `\(Output.self)`: \(Omniport.text(of: error))"
            throw OmniportError.invalidRequest(.init(why, data: structuredContent ?? .string(text)))
        }
    }

    private func value<Output: Decodable>() throws -> Output {
        guard let structured = structuredContent else {
            if let text = text as? Output { return text }
            return try JSON.decode(Output.self, from: text)
        }
        if let value = try? structured.decode(Output.self) { return value }
        // As the core wraps it (`schema/wrap.rs`, S12).
        guard let inner = structured["result"], structured.objectValue?.count == 1 else { return try structured.decode(Output.self) }
        return try inner.decode(Output.self)
    }
}
