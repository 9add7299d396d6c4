/// How far a call is.
public struct CallProgress: Codable, Hashable, Sendable {
    /// How far it is; it grows.
    public var progress: Double
    /// How far it will be, where that is known.
    public var total: Double?
    /// What is being done, for people.
    public var message: String?

    /// One step of progress, as a handler gets it.
    public init(progress: Double, total: Double? = nil, message: String? = nil) {
        self.progress = progress
        self.total = total
        self.message = message
    }
}

/// A log message of a server.
public struct LogMessage: Codable, Hashable, Sendable {
    /// How urgent it is.
    public var level: LoggingLevel
    /// Which part of the server says it.
    public var logger: String?
    /// What it says: any JSON.
    public var data: JSONValue

    /// A message, as a handler gets it.
    public init(level: LoggingLevel, logger: String? = nil, data: JSONValue) {
        self.level = level
        self.logger = logger
        self.data = data
    }
}

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

/// One request as the boundary takes it.
struct Request: Sendable {
    /// How the engine is to treat it.
    enum Manner: String {
        case onePage = "one_page"
        case byHand = "by_hand"
    }

    let what: String
    let params: String
    let options: String?
    let handlers: CallHandlers?

    init(_ what: String, _ params: JSONObject, _ given: CallOptions? = nil, manner: Manner? = nil) throws {
        self.what = what
        guard given != nil || manner != nil else {
            self.params = try JSONValue.object(params).text()
            options = nil
            handlers = nil
            return
        }
        let given = given ?? CallOptions()
        var params = params
        if !given.meta.isEmpty { params["_meta"] = .object(given.meta) }
        self.params = try JSONValue.object(params).text()
        options = try JSONValue.object(Self.options(given, manner)).text()
        let hears = given.onProgress != nil || given.onLog != nil
        handlers = hears ? CallHandlers(progress: given.onProgress, log: given.onLog, lane: Lane()) : nil
    }

    private static func options(_ given: CallOptions, _ manner: Manner?) throws -> JSONObject {
        var options: JSONObject = [:]
        if let manner { options[manner.rawValue] = true }
        if let timeout = given.timeout { options["timeout"] = try seconds("timeout", timeout) }
        if let total = given.totalTimeout { options["total_timeout"] = try seconds("totalTimeout", total) }
        if !given.headers.isEmpty { options["headers"] = .object(JSONObject(given.headers.map { ($0, .string($1)) })) }
        if let safe = given.safe { options["safe"] = .bool(safe) }
        if given.fresh { options["fresh"] = true }
        var listens: JSONObject = [:]
        if given.onProgress != nil { listens["progress"] = true }
        if given.onLog != nil { listens["log"] = true }
        if !listens.isEmpty { options["listens"] = .object(listens) }
        return options
    }
}

/// A time as the boundary has it.
///
/// - Throws: ``OmniportError/definition(_:)`` for one that is not positive.
func seconds(_ name: String, _ duration: Duration) throws -> JSONValue {
    guard duration.seconds > 0 else { throw OmniportError.definition("`\(name)` must be a positive time, got \(duration)") }
    return .double(duration.seconds)
}
