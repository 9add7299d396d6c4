internal import OmniportBoundary

/// An MCP server: what it offers, and how it is served.
///
/// ```swift
/// struct Add: Decodable { let a: Int, b: Int }
///
/// let app = Server(name: "demo")
/// app.tool("add", "Add two numbers.") { (args: Add) in args.a + args.b }
/// try await app.run(.stdio)
/// ```
///
/// Things can be registered and removed while it serves; connected clients are told. What cannot be registered as it is written is kept in
/// ``problems``, and thrown by whatever serves the server.
public final class Server: Sendable {
    /// How the server calls itself.
    public let name: String
    let registry: Registry

    /// A server that offers nothing yet.
    ///
    /// - Parameters:
    ///   - name: how it calls itself.
    ///   - version: its version.
    ///   - options: what else can be said of it.
    ///   - auth: says who is calling; without it everybody is let in.
    ///   - visible: what a caller may see and use; without it everything.
    ///   - audit: gets one record for each call, without arguments.
    ///   - onEvent: hears what clients tell.
    public init(
        name: String, version: String = "0", options: Options = .init(), auth: Authenticate? = nil, visible: Visible? = nil,
        audit: (@Sendable (AuditRecord) async -> Void)? = nil, onEvent: (@Sendable (ServerEvent) async -> Void)? = nil
    ) {
        self.name = name
        var json = options.json(name: name, version: version)
        var fixed: [Kind: Handler] = [:]
        if let auth { (json["auth"], fixed[.authenticate]) = (true, Hooks.authentication(auth)) }
        if let visible { (json["visibility"], fixed[.visible]) = (true, Hooks.visibility(visible)) }
        if audit != nil { json["audit"] = true }
        registry = Registry(options: json, fixed: fixed, onEvent: onEvent.map(Hooks.events), onAudit: audit.map(Hooks.audit))
    }

    deinit { registry.abandon() }

    /// What could not be registered, with the reasons.
    public var problems: [OmniportError] { registry.problems }

    /// Whether there was such a tool.
    @discardableResult public func removeTool(_ name: String) -> Bool { registry.remove([.tool], name) }

    /// Takes a resource or template away; whether there was one.
    @discardableResult public func removeResource(_ uri: String) -> Bool { registry.remove([.resource, .template], uri) }

    /// Whether there was such a prompt.
    @discardableResult public func removePrompt(_ name: String) -> Bool { registry.remove([.prompt], name) }

    /// Tells the subscribers of `uri` that it has changed.
    public func resourceUpdated(_ uri: String) {
        guard let pump = registry.existing else { return }
        pump.engine.resourceUpdated(uri: uri)
        pump.asked()
    }

    /// The engine at work, for clients in the same process.
    ///
    /// - Throws: what could not be registered.
    func engineAtWork() throws -> Engine {
        let pump = try registry.pump()
        pump.start()
        return pump.engine
    }
}
