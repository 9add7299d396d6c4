/// What changed at the server.
public struct Change: Codable, Hashable, Sendable {
    /// What can change.
    public enum Kind: String, Codable, Sendable {
        /// The list of tools.
        case tools
        /// The list of resources or templates.
        case resources
        /// The list of prompts.
        case prompts
        /// One resource, whose URI is ``Change/uri``.
        case resource
        /// The connection was made anew, and anything may have changed.
        case missed
        /// The server ended a subscription.
        case ended
    }

    /// What changed.
    public var kind: Kind
    /// The resource.
    public var uri: String?
    /// Names of tools that are new, when the tools were listed before.
    public var added: [String]?
    /// Names of tools that are gone.
    public var removed: [String]?
    /// Names of tools whose description or schemas are different.
    public var changed: [String]?

    /// A change, as an iteration gives it.
    public init(kind: Kind, uri: String? = nil, added: [String]? = nil, removed: [String]? = nil, changed: [String]? = nil) {
        self.kind = kind
        self.uri = uri
        self.added = added
        self.removed = removed
        self.changed = changed
    }

    /// Two changes of one list as one: what was added and removed again is neither.
    func followed(by then: Change) -> Change {
        guard added != nil || then.added != nil else { return then }
        func names(_ names: [String]?) -> Set<String> { Set(names ?? []) }
        let isNew = names(added).subtracting(names(then.removed)).union(names(then.added).subtracting(names(removed)))
        let isGone = names(removed).subtracting(names(then.added)).union(names(then.removed).subtracting(names(added)))
        let again = names(removed).intersection(names(then.added))
        let isChanged = names(changed).union(names(then.changed)).union(again).subtracting(names(then.removed)).subtracting(isNew)
        return Change(kind: kind, uri: uri, added: isNew.sorted(), removed: isGone.sorted(), changed: isChanged.sorted())
    }
}

/// The changes of a server from the first step of the iteration on.
///
/// Each iteration is a subscription of its own, which ends with it. Changes that nobody took yet are gathered: of each list and each resource
/// one waits at most. The iteration ends when the client is closed by its user or the server ends the subscription; it throws
/// ``OmniportError/closed(_:)`` when the connection was lost for good. It goes on when the client is suspended and resumed.
public struct Changes: AsyncSequence, Sendable {
    public typealias Element = Change

    let life: Life
    let kinds: Set<Change.Kind>
    let uris: Set<String>

    public func makeAsyncIterator() -> Iterator { Iterator(feed: Feed(life: life, kinds: kinds, uris: uris)) }

    /// One iteration, and its subscription.
    public struct Iterator: AsyncIteratorProtocol {
        let feed: Feed

        /// The next change; nil when there will be none, and `CancellationError` when the task is cancelled.
        public mutating func next() async throws -> Change? { try await feed.next() }
    }
}
