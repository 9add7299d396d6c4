/// How many calls may be made in a time.
public struct Rate: Sendable, Hashable {
    /// Whose calls are counted together.
    public enum Scope: String, Sendable, Hashable {
        /// Those of each principal by themselves; callers without one count as one.
        case principal
        /// All of them.
        case all
    }

    /// How many.
    public var calls: Int
    /// In which time.
    public var per: Duration
    /// Without one, the calls of each principal are counted by themselves.
    public var scope: Scope?

    /// So many calls in a time.
    public init(_ calls: Int, per: Duration, by scope: Scope? = nil) {
        self.calls = calls
        self.per = per
        self.scope = scope
    }

    var json: JSONValue {
        var members: JSONObject = ["calls": JSONValue(calls), "per": .double(per.seconds)]
        members.set("by", scope?.rawValue)
        return .object(members)
    }
}
