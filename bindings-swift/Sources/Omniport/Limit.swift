/// A named limit. Every one is on by default, and an error that it causes names it.
///
/// ```swift
/// Server(name: "demo", options: .init(limits: [.messageBytes: 1_000_000, .keepAlive: 30]))
/// ```
///
/// Values are counts or bytes; those of times are seconds.
public struct Limit: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// The engine's word for it: `message_bytes`.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(stringLiteral name: String) { self.init(rawValue: name) }

    // MARK: Of servers, most of them of clients as well

    /// Bytes of one message: a line, a request body, an event. Usually 4 MiB; of clients 64 MiB.
    public static let messageBytes: Limit = "message_bytes"
    /// Nesting of arrays and objects in one message. Usually 128.
    public static let jsonDepth: Limit = "json_depth"
    /// Bytes of a request id, a progress token or a cursor. Usually 1 KiB.
    public static let tokenBytes: Limit = "token_bytes"
    /// Bytes of a resource URI. Usually 8 KiB.
    public static let uriBytes: Limit = "uri_bytes"
    /// Requests of one connection, or of one principal, that run at once. Usually 1024.
    public static let inFlight: Limit = "in_flight"
    /// Handlers that wait for an answer of their client. Usually 1024.
    public static let parked: Limit = "parked"
    /// Seconds that a handler waits for an answer before it is cancelled, and replayed when the answer comes. Usually 120.
    public static let parkedFor: Limit = "parked_for"
    /// Seconds that the state of a question is good for. Usually 900.
    public static let requestStateFor: Limit = "request_state_for"
    /// Legacy sessions that are held at once. Usually 10,000.
    public static let sessions: Limit = "sessions"
    /// Legacy sessions that are held at once for one principal. Usually 10,000.
    public static let sessionsPerPrincipal: Limit = "sessions_per_principal"
    /// Seconds after which a session that nobody uses ends. Usually 1800.
    public static let sessionIdle: Limit = "session_idle"
    /// Subscriptions of one connection, and resources of one subscription. Usually 1024.
    public static let subscriptions: Limit = "subscriptions"
    /// Bytes that wait for one slow reader. Usually 8 MiB; of clients 256 MiB.
    public static let queuedBytes: Limit = "queued_bytes"
    /// Events of a stream that can be sent again. Usually 256.
    public static let replayEvents: Limit = "replay_events"
    /// Bytes of one schema. Usually 1 MiB.
    public static let schemaBytes: Limit = "schema_bytes"
    /// Nesting of one schema. Usually 64.
    public static let schemaDepth: Limit = "schema_depth"
    /// Sub-schemas of one schema after its references are followed. Usually 100,000.
    public static let schemaCost: Limit = "schema_cost"
    /// Bytes of all headers of one request. Usually 64 KiB.
    public static let headerBytes: Limit = "header_bytes"
    /// Seconds between two signs of life on a stream. Usually 15.
    public static let keepAlive: Limit = "keep_alive"
    /// Seconds that a client has for the answer to a question. Usually 600.
    public static let inputFor: Limit = "input_for"
    /// Seconds that running calls may go on after a stop. Usually 5.
    public static let shutdownGrace: Limit = "shutdown_grace"

    // MARK: Of clients

    /// Seconds that a client waits for an answer; progress starts them anew. The same as ``ClientOptions/timeout``. Usually 60.
    public static let callFor: Limit = "call_for"
    /// Seconds that a client waits for an answer in all. The same as ``ClientOptions/totalTimeout``. Usually 3600.
    public static let callTotal: Limit = "call_total"
    /// Seconds that a client tries to connect, the start of a server process included. Usually 60.
    public static let connectFor: Limit = "connect_for"
    /// Seconds that a server may be silent about the modern era before the handshake is tried, too. Usually 5.
    public static let probeFor: Limit = "probe_for"
    /// How often one call may ask for input before it fails. Usually 16.
    public static let inputRounds: Limit = "input_rounds"
    /// Pages that a client follows to list everything. Usually 1000.
    public static let listPages: Limit = "list_pages"
    /// Items of all pages of one listing. Usually 100,000.
    public static let listItems: Limit = "list_items"
    /// Bytes of all pages of one listing. Usually 64 MiB.
    public static let listBytes: Limit = "list_bytes"
    /// Seconds that a server process has to exit after each step: its input closed, SIGTERM. Usually 2.
    public static let childExit: Limit = "child_exit"
    /// How often in a row a client may fail to make its connection anew before it gives up. Usually 5.
    public static let recoverTries: Limit = "recover_tries"
    /// Seconds before the first attempt to recover; each further one waits twice as long. Usually 0.25.
    public static let recoverWait: Limit = "recover_wait"
    /// Seconds between two attempts to recover, at most. Usually 30.
    public static let recoverWaitMax: Limit = "recover_wait_max"
    /// Seconds that a connection may be silent, while somebody waits, before the server is asked whether it is there; 0 never asks. Usually 30.
    public static let pingEvery: Limit = "ping_every"
    /// Seconds that the answer to such a question may take before the connection counts as dead. Usually 15.
    public static let pingFor: Limit = "ping_for"
    /// Seconds that a client tries to open one network connection. Usually 10.
    public static let dialFor: Limit = "dial_for"
    /// Redirects within the origin of the server that one request follows. Usually 5.
    public static let redirects: Limit = "redirects"
    /// Bytes of cached answers of one client; 0 caches nothing. Usually 16 MiB.
    public static let cacheBytes: Limit = "cache_bytes"
    /// Seconds that changes of a list are gathered before the list is read again. Usually 0.05.
    public static let refreshAfter: Limit = "refresh_after"
    /// Log, progress and change events that wait for slow handlers before further ones are dropped and counted. Usually 10,000.
    public static let hostEvents: Limit = "host_events"
}
