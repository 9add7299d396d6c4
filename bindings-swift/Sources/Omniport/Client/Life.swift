/// The life of a client: opened by its first use, suspended and resumed, closed by its user, and opened anew after that (Y25).
final class Life: Sendable {
    /// The iterations over changes.
    let feeds = Feeds()
    private let target: ClientTarget
    private let options: ClientOptions
    private let handlers: ClientHandlers
    private let condition = Locked(Condition())

    private struct Condition {
        var connection: Connection?
        var isClosed = false
        /// Opens when a suspended client is resumed, or closed.
        var suspension: Latch?
        /// What `subscribe` asked for: a connection that is made anew does not know of it.
        var subscribed: Set<String> = []
    }

    init(target: ClientTarget, options: ClientOptions, handlers: ClientHandlers) {
        self.target = target
        self.options = options
        self.handlers = handlers
    }

    deinit {
        connection?.abandon()
    }

    /// The connection, the last one when it is over.
    var connection: Connection? { condition.with { $0.connection } }

    var state: ClientState {
        let (connection, isSuspended) = condition.with { ($0.connection, $0.suspension != nil) }
        return isSuspended ? .suspended : connection?.state ?? .closed
    }

    /// Opens the connection if there is none; whoever comes meanwhile waits for the same.
    func connect() async throws {
        try await resume()
        let connection = try condition.with { condition in
            condition.isClosed = false
            if let connection = condition.connection, !connection.isOver { return connection }
            return try open(&condition)
        }
        try await connection.opened.pass()
    }

    /// The connection that requests are sent on, opened if it never was. One that was lost for good is not: its user must know. Of a client
    /// that is suspended, when it is resumed.
    func live() async throws -> Connection {
        while true {
            let (connection, suspension) = try condition.with { condition in
                if condition.isClosed { throw OmniportError.closed("the client was closed: connect() opens it again") }
                if let suspension = condition.suspension { return (Connection?.none, Latch?.some(suspension)) }
                if let connection = condition.connection, !connection.isEnding { return (connection, nil) }
                return (try open(&condition), nil)
            }
            if let connection { return connection }
            try await suspension?.pass()
        }
    }

    /// Closes the connection; what still waits fails. Twice is once.
    func close() async {
        let (connection, suspension) = condition.with { condition in
            condition.isClosed = true
            condition.subscribed = []
            defer { condition.suspension = nil }
            return (condition.connection, condition.suspension)
        }
        suspension?.open()
        if suspension != nil { feeds.end(nil) }
        await connection?.close(.closed)
    }

    // MARK: Suspension

    /// Closes the connection for a while; see ``Client/suspend()``.
    func suspend() async {
        let connection: Connection? = condition.with { condition in
            guard !condition.isClosed, condition.suspension == nil else { return nil }
            condition.suspension = Latch()
            return condition.connection
        }
        await connection?.close(.suspended)
    }

    /// Makes the connection of a suspended client anew, with all that was subscribed to.
    func resume() async throws {
        guard let suspended = condition.with({ $0.suspension == nil ? nil : $0.connection }) else {
            condition.with { condition in
                defer { condition.suspension = nil }
                return condition.suspension
            }?.open()
            return
        }
        await suspended.close(.suspended)  // it may still be on its way
        let (opened, suspension) = condition.with { condition in
            guard let suspension = condition.suspension else { return (Result<Connection, any Error>?.none, Latch?.none) }
            // Also when it fails: whoever waits is to try again, and not to wait for somebody who resumes once more.
            condition.suspension = nil
            return (Result { try open(&condition) }, suspension)
        }
        suspension?.open()
        guard let connection = try opened?.get() else { return }
        try await connection.opened.pass()
        await renew(on: connection)
    }

    private func renew(on connection: Connection) async {
        feeds.renew(on: connection)
        for uri in condition.with({ $0.subscribed }) {
            do {
                _ = try await connection.answer(try connection.start(Request("subscribe", ["uri": .string(uri)])))
            } catch {
                log(.warning, "the subscription to \(uri) could not be renewed: \(text(of: error))")
            }
        }
    }

    /// What `subscribe` and `unsubscribe` asked for.
    func remember(_ uri: String, isWanted: Bool) {
        condition.with { condition in
            if isWanted { condition.subscribed.insert(uri) } else { condition.subscribed.remove(uri) }
        }
    }

    private func open(_ condition: inout Condition) throws -> Connection {
        let connection = try Connection(target: target, options: options, handlers: handlers, feeds: feeds)
        condition.connection = connection
        try connection.open()
        return connection
    }
}
