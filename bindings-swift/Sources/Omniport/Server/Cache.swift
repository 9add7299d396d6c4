/// How long a client may keep an answer, and for whom.
///
/// See [Caching](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching).
public struct Cache: Sendable, Hashable {
    /// Who may be given a kept answer.
    public enum Scope: String, Sendable, Hashable {
        /// Everybody: it holds nothing of one caller.
        case `public`
        /// The caller who got it.
        case `private`
    }

    /// Lists and answers that can be kept.
    public enum Subject: String, Sendable, Hashable {
        /// The list of tools.
        case tools
        /// The list of resources.
        case resources
        /// The list of templates.
        case templates
        /// The list of prompts.
        case prompts
        /// What the server says about itself.
        case discover
        /// The contents of resources that say nothing themselves.
        case read
    }

    /// For how long.
    public var ttl: Duration
    /// For whom.
    public var scope: Scope

    /// An answer that is good for a time.
    public init(ttl: Duration, scope: Scope = .private) {
        self.ttl = ttl
        self.scope = scope
    }

    var json: JSONValue { ["ttl_ms": JSONValue(ttl.milliseconds), "scope": .string(scope.rawValue)] }
}
