/// A failure with every fact its reader may need: one case per kind, the same kinds as in every language of Omniport.
///
/// Thrown in a handler it becomes a protocol error: the caller gets `code`, `message` and `data`, and a model sees nothing. Throw
/// ``ToolError`` for a text that the model should read and act on.
///
/// ```swift
/// throw OmniportError.notFound("there is no table books")
/// ```
public enum OmniportError: Error, Hashable, Sendable {
    /// The text is not JSON.
    case parse(Facts)
    /// JSON, but no message of the protocol.
    case invalidRequest(Facts)
    /// The peer has no such method, or did not declare the capability it belongs to.
    case methodNotFound(Facts)
    /// The parameters of a known method are wrong.
    case invalidParams(Facts)
    /// There is no such tool, resource or prompt. Throw it in a resource handler for a URI that names nothing.
    case notFound(Facts)
    /// The server failed for a reason that is not the caller's.
    case internalError(Facts)
    /// An HTTP header and the body disagree, or a required header is missing.
    case headerMismatch(Facts)
    /// The client did not declare the capability that the question or request needs.
    case missingCapability(Facts)
    /// The peer does not speak the revision of the protocol that was asked for.
    case unsupportedVersion(Facts)
    /// A named limit was reached; `context["limit"]` is its name.
    case limit(Facts)
    /// The call ran out of time.
    case timeout(Facts)
    /// The peer took the request back. A call whose own task is cancelled throws `CancellationError` instead.
    case cancelled(Facts)
    /// The connection ended before the answer.
    case closed(Facts)
    /// Refused before the protocol looked at it: host, origin, credentials.
    case refused(Facts)
    /// A tool, resource, prompt, handler or setting cannot be as it is written.
    case definition(Facts)
    /// Reading, writing, connecting or starting a process failed.
    case io(Facts)
    /// The peer answered with an error: at a client, any error of its server. ``OmniportError/Facts/code`` says which.
    case remote(Facts)
}

extension OmniportError {
    /// What is known of a failure. A text alone will do: `OmniportError.notFound("no such page")`.
    public struct Facts: Hashable, Sendable {
        /// What failed, in words.
        public var message: String
        /// The JSON-RPC code; nil: that of the kind.
        public var code: Int?
        /// The `data` member of the JSON-RPC error.
        public var data: JSONValue?
        /// Whether the same request may succeed later.
        public var retry: Bool
        /// Named facts: `status`, `exit`, `stderr`, `limit`, `tool`.
        public var context: [String: String]

        public init(
            _ message: String, code: Int? = nil, data: JSONValue? = nil, retry: Bool = false, context: [String: String] = [:]
        ) {
            self.message = message
            self.code = code
            self.data = data
            self.retry = retry
            self.context = context
        }
    }

    /// The facts, whatever the kind.
    public var facts: Facts { parts.facts }
    /// What failed, in words.
    public var message: String { facts.message }
    /// The JSON-RPC code; nil: that of the kind.
    public var code: Int? { facts.code }
    /// The `data` member of the JSON-RPC error.
    public var data: JSONValue? { facts.data }
    /// Whether the same request may succeed later.
    public var retry: Bool { facts.retry }
    /// Named facts: `status`, `exit`, `stderr`, `limit`, `tool`.
    public var context: [String: String] { facts.context }
}

extension OmniportError.Facts: ExpressibleByStringInterpolation {
    public init(stringLiteral message: String) { self.init(message) }
}

extension OmniportError: CustomStringConvertible {
    /// The kind, the message and the named facts, in the order of their names.
    public var description: String {
        let facts = context.sorted { $0.key < $1.key }.map { " [\($0.key): \($0.value)]" }.joined()
        return "\(kind): \(message)\(facts)"
    }
}

// MARK: - The words of the engine

extension OmniportError {
    /// The engine's word for the kind, as it crosses the boundary.
    var kind: String { parts.kind }

    private var parts: (kind: String, facts: Facts) {
        switch self {
        case .parse(let facts): ("parse", facts)
        case .invalidRequest(let facts): ("invalid_request", facts)
        case .methodNotFound(let facts): ("method_not_found", facts)
        case .invalidParams(let facts): ("invalid_params", facts)
        case .notFound(let facts): ("not_found", facts)
        case .internalError(let facts): ("internal", facts)
        case .headerMismatch(let facts): ("header_mismatch", facts)
        case .missingCapability(let facts): ("missing_capability", facts)
        case .unsupportedVersion(let facts): ("unsupported_version", facts)
        case .limit(let facts): ("limit", facts)
        case .timeout(let facts): ("timeout", facts)
        case .cancelled(let facts): ("cancelled", facts)
        case .closed(let facts): ("closed", facts)
        case .refused(let facts): ("refused", facts)
        case .definition(let facts): ("definition", facts)
        case .io(let facts): ("io", facts)
        case .remote(let facts): ("remote", facts)
        }
    }

    /// The error of that kind. A kind that this version does not know is `remote`.
    init(kind: String, _ facts: Facts) {
        switch kind {
        case "parse": self = .parse(facts)
        case "invalid_request": self = .invalidRequest(facts)
        case "method_not_found": self = .methodNotFound(facts)
        case "invalid_params": self = .invalidParams(facts)
        case "not_found": self = .notFound(facts)
        case "internal": self = .internalError(facts)
        case "header_mismatch": self = .headerMismatch(facts)
        case "missing_capability": self = .missingCapability(facts)
        case "unsupported_version": self = .unsupportedVersion(facts)
        case "limit": self = .limit(facts)
        case "timeout": self = .timeout(facts)
        case "cancelled": self = .cancelled(facts)
        case "closed": self = .closed(facts)
        case "refused": self = .refused(facts)
        case "definition": self = .definition(facts)
        case "io": self = .io(facts)
        default: self = .remote(facts)
        }
    }
}
