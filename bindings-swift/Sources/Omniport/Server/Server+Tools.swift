extension Server {
    /// Registers a tool; a name that exists is replaced.
    ///
    /// The arguments are the members of a `Decodable` structure, whose JSON Schema is found by running its decoder (see
    /// ``SchemaDescribing``), or a ``JSONObject``. What the handler returns: a `String` is text for the model; a structure, number or list is
    /// structured data with a schema; ``Content``, a list of it and ``ToolResult`` say themselves what they are. Throw ``ToolError`` for a
    /// failure that the model should read, ``OmniportError`` for an error of the protocol.
    ///
    /// The task of the handler is cancelled when the caller takes the request back.
    ///
    /// The description is for the model: what the tool does, when to use it.
    ///
    /// See [Tools](https://modelcontextprotocol.io/specification/2026-07-28/server/tools).
    public func tool<Arguments: Decodable & Sendable, Result: Encodable & Sendable>(
        _ name: String, _ description: String? = nil, options: ToolOptions = .init(),
        _ handler: @escaping @Sendable (Arguments, Context) async throws -> Result
    ) {
        registry.add("tool `\(name)`") { try Definitions.tool(name, description, options, Arguments.self, handler) }
    }

    /// A tool whose handler needs no ``Context``.
    public func tool<Arguments: Decodable & Sendable, Result: Encodable & Sendable>(
        _ name: String, _ description: String? = nil, options: ToolOptions = .init(),
        _ handler: @escaping @Sendable (Arguments) async throws -> Result
    ) {
        tool(name, description, options: options) { (arguments: Arguments, _) in try await handler(arguments) }
    }

    /// A tool without arguments.
    public func tool<Result: Encodable & Sendable>(
        _ name: String, _ description: String? = nil, options: ToolOptions = .init(),
        _ handler: @escaping @Sendable (Context) async throws -> Result
    ) {
        tool(name, description, options: options) { (_: NoArguments, cx) in try await handler(cx) }
    }

    /// A tool without arguments whose handler needs no ``Context``.
    public func tool<Result: Encodable & Sendable>(
        _ name: String, _ description: String? = nil, options: ToolOptions = .init(),
        _ handler: @escaping @Sendable () async throws -> Result
    ) {
        tool(name, description, options: options) { (_: NoArguments, _) in try await handler() }
    }

    /// A tool without a result.
    public func tool<Arguments: Decodable & Sendable>(
        _ name: String, _ description: String? = nil, options: ToolOptions = .init(),
        _ handler: @escaping @Sendable (Arguments, Context) async throws -> Void
    ) {
        tool(name, description, options: options) { (arguments: Arguments, cx) in
            try await handler(arguments, cx)
            return ToolResult()
        }
    }

    /// A tool without a result whose handler needs no ``Context``.
    public func tool<Arguments: Decodable & Sendable>(
        _ name: String, _ description: String? = nil, options: ToolOptions = .init(),
        _ handler: @escaping @Sendable (Arguments) async throws -> Void
    ) {
        tool(name, description, options: options) { (arguments: Arguments, _) in
            try await handler(arguments)
            return ToolResult()
        }
    }

    /// A tool without arguments and result.
    public func tool(
        _ name: String, _ description: String? = nil, options: ToolOptions = .init(),
        _ handler: @escaping @Sendable (Context) async throws -> Void
    ) {
        tool(name, description, options: options) { (_: NoArguments, cx) in
            try await handler(cx)
            return ToolResult()
        }
    }

    /// A tool without arguments and result whose handler needs no ``Context``.
    public func tool(
        _ name: String, _ description: String? = nil, options: ToolOptions = .init(), _ handler: @escaping @Sendable () async throws -> Void
    ) {
        tool(name, description, options: options) { (_: NoArguments, _) in
            try await handler()
            return ToolResult()
        }
    }
}
