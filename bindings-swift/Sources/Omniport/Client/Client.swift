import Foundation

/// A client of a server.
///
/// ```swift
/// try await withClient("https://host/mcp") { client in
///     let result = try await client.callTool("add", ["a": 1, "b": 2])
///     print(result.content)
/// }
/// ```
///
/// The first call connects, unless ``connect()`` did. A client may be shared by tasks, and is opened again by ``connect()`` after it was
/// closed. One that nobody refers to any more is closed.
///
/// When the task of a call is cancelled, the call throws `CancellationError` at once, and the server is told.
///
/// Every call throws ``OmniportError``: ``OmniportError/remote(_:)`` with the code of an error that the server answered; ``OmniportError/timeout(_:)`` without an answer in time;
/// ``OmniportError/closed(_:)`` when the connection or the server process ended; ``OmniportError/io(_:)`` when it cannot be reached or started;
/// ``OmniportError/limit(_:)`` for an answer beyond a named limit.
public final class Client: Sendable {
    let life: Life

    /// A client of a server; nothing is connected yet.
    public init(_ target: ClientTarget, options: ClientOptions = ClientOptions(), handlers: ClientHandlers = ClientHandlers()) {
        life = Life(target: target, options: options, handlers: handlers)
    }

    /// A client of a server that is reached by HTTP.
    public convenience init(_ url: URL, options: ClientOptions = ClientOptions(), handlers: ClientHandlers = ClientHandlers()) {
        self.init(.url(url), options: options, handlers: handlers)
    }

    /// A client of a server that is reached by HTTP; the text is its URL.
    public convenience init(_ url: String, options: ClientOptions = ClientOptions(), handlers: ClientHandlers = ClientHandlers()) {
        self.init(.url(url), options: options, handlers: handlers)
    }

    /// Opens the connection, also of a client that is suspended.
    ///
    /// - Throws: what kept it from being made, with every fact; ``OmniportError/definition(_:)`` for a target or an option that cannot be.
    public func connect() async throws { try await life.connect() }

    /// Closes the connection; what still waits fails with ``OmniportError/closed(_:)``. Returns when nothing is left: the server process has
    /// exited, the session is deleted. Twice is once.
    public func close() async { await life.close() }

    /// Closes the connection of an app that goes to the background, without an end of the client.
    ///
    /// Calls under way fail with ``OmniportError/closed(_:)``, which says that it can be retried. Calls made from now on wait until
    /// ``resume()``, or ``connect()``; they open nothing on their own, and a time limit of theirs begins when they are sent. Iterations over
    /// changes and what ``subscribe(_:options:)`` asked for are renewed then.
    public func suspend() async { await life.suspend() }

    /// Makes the connection of a suspended client anew. Iterations over changes are told ``Change/Kind/missed``. Of one that is not suspended
    /// it does nothing.
    ///
    /// - Throws: what kept the connection from being made; the next call tries again.
    public func resume() async throws { try await life.resume() }

    /// Tells the server that the roots are different now.
    public func rootsChanged() async throws {
        let native = try await life.live().native
        try guarded { try native.rootsChanged() }
    }

    /// The changes of these lists and of the resources `uris`, to iterate over.
    public func changes(tools: Bool = true, resources: Bool = true, prompts: Bool = true, uris: some Sequence<String> = []) -> Changes {
        let wanted: [(Change.Kind, Bool)] = [(.tools, tools), (.resources, resources), (.prompts, prompts)]
        return Changes(life: life, kinds: Set(wanted.filter(\.1).map(\.0)), uris: Set(uris))
    }

    // MARK: What is known of the server

    private var said: Said { life.connection?.said ?? Said() }

    /// Name and version of the server, as it says itself; nil before it was connected to.
    public var serverInfo: Implementation? { said.server }

    /// What the server can do.
    public var serverCapabilities: ServerCapabilities? { said.capabilities }

    /// The revision that is spoken; given as ``ClientOptions/known`` to the next client of this server, it saves asking.
    public var protocolVersion: String? { said.version }

    /// What the server says about its use.
    public var instructions: String? { said.instructions }

    /// How the connection is.
    public var state: ClientState { life.state }

    /// Why it is recovering or failed.
    public var cause: String? { life.connection?.cause }
}

/// Makes a client, connects it, and closes it when `body` is through, also when that throws or its task is cancelled.
public func withClient<Result: Sendable>(
    _ target: ClientTarget, options: ClientOptions = ClientOptions(), handlers: ClientHandlers = ClientHandlers(),
    isolation: isolated (any Actor)? = #isolation, _ body: (Client) async throws -> Result
) async throws -> Result {
    let client = Client(target, options: options, handlers: handlers)
    do {
        try await client.connect()
        let result = try await body(client)
        await client.close()
        return result
    } catch {
        await client.close()
        throw error
    }
}
