import OmniportBoundary

/// A failure with every fact that the engine knew.
public struct OmniportError: Error, Sendable {
    /// What kind of failure it is; see `Kind`.
    public let kind: Kind
    /// The JSON-RPC code.
    public let code: Int
    /// What failed, in words.
    public let message: String
    /// Whether the same request may succeed later.
    public let retry: Bool
    /// Named facts: `status`, `exit`, `stderr`, `limit`, `tool`.
    public let context: [String: String]

    /// The kinds of failure, by the engine's words.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}
