/// The iterations of one client.
final class Feeds: Sendable {
    private struct Reference {
        weak var feed: Feed?
    }

    private let references = Locked<[Reference]>([])

    var all: [Feed] {
        references.with { references in
            references.removeAll { $0.feed == nil }
            return references.compactMap(\.feed)
        }
    }

    func add(_ feed: Feed) { references.with { $0.append(Reference(feed: feed)) } }

    func put(_ change: Change, token: UInt64) {
        for feed in all { feed.put(change, token: token) }
    }

    func end(_ error: OmniportError?) {
        for feed in all { feed.end(error) }
    }

    /// A suspended client has a connection again.
    func renew(on connection: Connection) {
        for feed in all { feed.renew(on: connection) }
    }
}

/// One iteration over changes.
final class Feed: Sendable {
    private let life: Life
    private let kinds: Set<Change.Kind>
    private let uris: Set<String>
    private let state = Locked(State())

    private struct State {
        var hasBegun = false
        var connection: Connection?
        var token: UInt64 = 0
        /// What nobody took yet, in the order in which it came.
        var changes: [Change] = []
        var bell = Latch()
        var end: Result<Void, any Error>?
    }

    init(life: Life, kinds: Set<Change.Kind>, uris: Set<String>) {
        self.life = life
        self.kinds = kinds
        self.uris = uris
    }

    deinit {
        unsubscribe()
    }

    func next() async throws -> Change? {
        if state.with({ state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }) {
            life.feeds.add(self)
            do { try subscribe(on: await life.live()) } catch { end(error) }
        }
        while true {
            let (change, end, bell): (Change?, Result<Void, any Error>?, Latch) = state.with { state in
                if !state.changes.isEmpty { return (state.changes.removeFirst(), nil, state.bell) }
                if state.end == nil, state.bell.isOpen { state.bell = Latch() }
                return (nil, state.end, state.bell)
            }
            if let change { return change }
            if let end {
                try end.get()
                return nil
            }
            try await bell.pass()
        }
    }

    /// Whether the server was asked to tell of changes.
    var hasSubscribed: Bool { state.with { $0.connection != nil } }

    /// Something changed.
    func put(_ change: Change, token: UInt64) {
        if change.kind == .ended {
            if state.with({ $0.token == token }) { end(nil) }
            return
        }
        let bell: Latch? = state.with { state in
            guard state.end == nil, wants(change, token, state.token) else { return nil }
            if let place = state.changes.firstIndex(where: { $0.kind == change.kind && $0.uri == change.uri }) {
                state.changes[place] = state.changes[place].followed(by: change)
            } else {
                state.changes.append(change)
            }
            return state.bell
        }
        bell?.open()
    }

    private func wants(_ change: Change, _ token: UInt64, _ own: UInt64) -> Bool {
        switch change.kind {
        case .resource: change.uri.map(uris.contains) ?? false
        case .missed: token == 0 || token == own
        default: kinds.contains(change.kind)
        }
    }

    /// Nothing will follow.
    func end(_ error: (any Error)?) {
        unsubscribe()
        let bell: Latch? = state.with { state in
            guard state.end == nil else { return nil }
            state.end = error.map { .failure($0) } ?? .success(())
            state.connection = nil
            return state.bell
        }
        bell?.open()
    }

    func renew(on connection: Connection) {
        guard state.with({ $0.end == nil && $0.connection != nil }) else { return }
        do {
            try subscribe(on: connection)
            put(Change(kind: .missed), token: 0)
        } catch { end(error) }
    }

    private func subscribe(on connection: Connection) throws {
        var wanted: JSONObject = ["uris": .array(uris.sorted().map { .string($0) })]
        for kind in kinds { wanted[kind.rawValue] = true }
        let token = try connection.start(Request("listen", wanted))
        state.with { ($0.connection, $0.token) = (connection, token) }
        Task.detached { [weak self] in
            do {
                _ = try await connection.answer(token)
            } catch {
                guard let self, !connection.isEnding, self.state.with({ $0.token == token }) else { return }
                self.end(error)
            }
        }
    }

    private func unsubscribe() {
        let (connection, token) = state.with { state in
            defer { state.connection = nil }
            return (state.connection, state.token)
        }
        if let connection, !connection.isEnding { connection.native.cancel(token: token, reason: "nobody listens any more") }
    }
}
