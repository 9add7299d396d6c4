/// What one call wants to have different from its client.
public struct CallOptions: Sendable {
    /// How long to wait for the answer; each progress starts it anew.
    public var timeout: Duration?
    /// How long to wait in all, whatever progress there is.
    public var totalTimeout: Duration?
    /// HTTP headers of this call, besides those of the client; the same name replaces.
    public var headers: [String: String]
    /// Whether it may be sent again when the connection was lost before the answer. Without it reads may, and tools that say that they only
    /// read or are idempotent.
    public var safe: Bool?
    /// Asks the server although a cached answer would do.
    public var fresh: Bool
    /// Members of `_meta`.
    public var meta: JSONObject
    /// Gets the progress of this call instead of the client's handler. The call returns after it ran.
    public var onProgress: (@Sendable (CallProgress) async -> Void)?
    /// Gets the log messages that the server sends for this call, where it says for which call they are.
    public var onLog: (@Sendable (LogMessage) async -> Void)?

    public init(
        timeout: Duration? = nil, totalTimeout: Duration? = nil, headers: [String: String] = [:], safe: Bool? = nil, fresh: Bool = false,
        meta: JSONObject = [:], onProgress: (@Sendable (CallProgress) async -> Void)? = nil,
        onLog: (@Sendable (LogMessage) async -> Void)? = nil
    ) {
        self.timeout = timeout
        self.totalTimeout = totalTimeout
        self.headers = headers
        self.safe = safe
        self.fresh = fresh
        self.meta = meta
        self.onProgress = onProgress
        self.onLog = onLog
    }
}
