import Foundation

extension Server {
    /// Registers a resource; a URI that exists is replaced.
    ///
    /// The content is a text, `Data`, ``ResourceContents`` or a list of them, or other data, which becomes JSON. Throw
    /// ``OmniportError/notFound(_:)`` when there is nothing.
    ///
    /// See [Resources](https://modelcontextprotocol.io/specification/2026-07-28/server/resources).
    public func resource<Body: Encodable & Sendable>(
        _ uri: String, _ description: String? = nil, options: ResourceOptions = .init(),
        _ handler: @escaping @Sendable (Context) async throws -> Body
    ) {
        registry.add("resource `\(uri)`") { Definitions.resource(uri, options.described(description), handler) }
    }

    /// A resource whose handler needs no ``Context``.
    public func resource<Body: Encodable & Sendable>(
        _ uri: String, _ description: String? = nil, options: ResourceOptions = .init(),
        _ handler: @escaping @Sendable () async throws -> Body
    ) {
        resource(uri, description, options: options) { (_: Context) in try await handler() }
    }

    /// A resource of fixed content.
    public func resource(
        _ uri: String, _ description: String? = nil, options: ResourceOptions = .init(), content: some Encodable & Sendable
    ) {
        resource(uri, description, options: options) { (_: Context) in content }
    }

    /// Registers a template (RFC 6570): `db://tables/{table}/schema`.
    ///
    /// The variables are the members of a `Decodable` structure (their texts are read as the types of its members), or a ``JSONObject`` or
    /// dictionary of whatever variables there are.
    ///
    /// See [Resource templates](https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource-templates).
    public func resourceTemplate<Variables: Decodable & Sendable, Body: Encodable & Sendable>(
        _ uri: String, _ description: String? = nil, options: ResourceOptions = .init(),
        _ handler: @escaping @Sendable (Variables, Context) async throws -> Body
    ) {
        registry.add("template `\(uri)`") { try Definitions.template(uri, options.described(description), Variables.self, handler) }
    }

    /// A template whose handler needs no ``Context``.
    public func resourceTemplate<Variables: Decodable & Sendable, Body: Encodable & Sendable>(
        _ uri: String, _ description: String? = nil, options: ResourceOptions = .init(),
        _ handler: @escaping @Sendable (Variables) async throws -> Body
    ) {
        resourceTemplate(uri, description, options: options) { (variables: Variables, _) in try await handler(variables) }
    }
}

extension Server.ResourceOptions {
    /// With a description that was given apart.
    fileprivate func described(_ description: String?) -> Self {
        var options = self
        if let description { options.description = description }
        return options
    }
}
