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
