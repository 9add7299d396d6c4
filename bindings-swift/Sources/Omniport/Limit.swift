/// A named limit. Every one is on by default, and an error that it causes names it.
///
/// ```swift
/// Server("demo", options: .init(limits: [.messageBytes: 1 << 20, .keepAlive: 30]))
/// ```
///
/// Values are counts or bytes; those of times are seconds.
public struct Limit: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// The engine's word for it: `message_bytes`.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(stringLiteral name: String) { self.init(rawValue: name) }

    /// Bytes of one message: a line, a request body, an event.
    public static let messageBytes: Limit = "message_bytes"
    /// Nesting of arrays and objects in one message.
    public static let jsonDepth: Limit = "json_depth"
    /// Bytes of a request id, a progress token or a cursor.
    public static let tokenBytes: Limit = "token_bytes"
    /// Bytes of a resource URI.
    public static let uriBytes: Limit = "uri_bytes"
    /// Requests of one connection, or of one principal, that run at once.
    public static let inFlight: Limit = "in_flight"
    /// Handlers that wait for an answer of their client.
    public static let parked: Limit = "parked"
    /// Seconds that a handler waits for an answer before it is cancelled, and replayed when the answer comes.
    public static let parkedFor: Limit = "parked_for"
    /// Seconds that the state of a question is good for.
    public static let requestStateFor: Limit = "request_state_for"
    /// Legacy sessions that are held at once.
    public static let sessions: Limit = "sessions"
    /// Legacy sessions that are held at once for one principal.
    public static let sessionsPerPrincipal: Limit = "sessions_per_principal"
    /// Seconds after which a session that nobody uses ends.
    public static let sessionIdle: Limit = "session_idle"
    /// Subscriptions of one connection, and resources of one subscription.
    public static let subscriptions: Limit = "subscriptions"
    /// Bytes that wait for one slow reader.
    public static let queuedBytes: Limit = "queued_bytes"
    /// Events of a stream that can be sent again.
    public static let replayEvents: Limit = "replay_events"
    /// Bytes of one schema.
    public static let schemaBytes: Limit = "schema_bytes"
    /// Nesting of one schema.
    public static let schemaDepth: Limit = "schema_depth"
    /// Sub-schemas of one schema after its references are followed.
    public static let schemaCost: Limit = "schema_cost"
    /// Bytes of all headers of one request.
    public static let headerBytes: Limit = "header_bytes"
    /// Seconds between two signs of life on a stream.
    public static let keepAlive: Limit = "keep_alive"
    /// Seconds that a client has for the answer to a question.
    public static let inputFor: Limit = "input_for"
    /// Seconds that running calls may go on after a stop.
    public static let shutdownGrace: Limit = "shutdown_grace"
}
