extension Server {
    /// Registers a prompt; a name that exists is replaced.
    ///
    /// The arguments are the members of a `Decodable` structure, always written as texts by clients, and read as the types of its members. The
    /// prompt is a text, ``Content``, a ``Message``, or a list of them.
    ///
    /// See [Prompts](https://modelcontextprotocol.io/specification/2026-07-28/server/prompts).
    public func prompt<Arguments: Decodable & Sendable>(
        _ name: String, _ description: String? = nil, options: PromptOptions = .init(),
        _ handler: @escaping @Sendable (Arguments, Context) async throws -> some PromptContent
    ) {
        registry.add("prompt `\(name)`") { try Definitions.prompt(name, description, options, Arguments.self, handler) }
    }

    /// A prompt whose handler needs no ``Context``.
    public func prompt<Arguments: Decodable & Sendable>(
        _ name: String, _ description: String? = nil, options: PromptOptions = .init(),
        _ handler: @escaping @Sendable (Arguments) async throws -> some PromptContent
    ) {
        prompt(name, description, options: options) { (arguments: Arguments, _) in try await handler(arguments) }
    }

    /// A prompt without arguments.
    public func prompt(
        _ name: String, _ description: String? = nil, options: PromptOptions = .init(),
        _ handler: @escaping @Sendable (Context) async throws -> some PromptContent
    ) {
        prompt(name, description, options: options) { (_: NoArguments, cx) in try await handler(cx) }
    }

    /// A prompt without arguments whose handler needs no ``Context``.
    public func prompt(
        _ name: String, _ description: String? = nil, options: PromptOptions = .init(),
        _ handler: @escaping @Sendable () async throws -> some PromptContent
    ) {
        prompt(name, description, options: options) { (_: NoArguments, _) in try await handler() }
    }

    /// Registers suggestions for an argument of a prompt or a variable of a template. The handler gets the text typed so far and the other
    /// arguments.
    ///
    /// See [Completion](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion).
    public func completion(
        of reference: CompletionReference, argument: String,
        _ handler: @escaping @Sendable (_ value: String, _ others: [String: String], Context) async throws -> [String]
    ) {
        registry.add(Definitions.completion(reference, argument) { Suggestions(try await handler($0, $1, $2)) })
    }

    /// Suggestions of which there are more than are said.
    public func completion(
        of reference: CompletionReference, argument: String,
        _ handler: @escaping @Sendable (_ value: String, _ others: [String: String], Context) async throws -> Suggestions
    ) {
        registry.add(Definitions.completion(reference, argument, handler))
    }
}
