import Foundation

/// What a client is told about itself.
public struct ClientOptions: Sendable {
    /// Which era of the protocol is spoken; automatic: the server is asked.
    public enum Era: String, Sendable {
        /// What the server speaks; the modern one where it speaks both.
        case automatic = "auto"
        /// The revisions before 2026-07-28, with a handshake.
        case legacy
        /// The revision 2026-07-28 and later, without one.
        case modern
    }

    /// How the client calls itself.
    public var name = "omniport"
    /// Its version.
    public var version = "0"
    /// HTTP headers of every request.
    public var headers: [String: String] = [:]
    /// Which era is spoken.
    public var era: Era = .automatic
    /// The revision that this server spoke the last time, `client.protocolVersion` then: it saves asking.
    public var known: String?
    /// How long each request waits for its answer; each progress starts it anew.
    public var timeout: Duration?
    /// How long each request waits in all.
    public var totalTimeout: Duration?
    /// Limits that are not the usual ones; times in seconds.
    public var limits: [Limit: Double] = [:]
    /// Whether a lost connection is made anew.
    public var recover = true
    /// Whether results are held against the output schemas of their tools.
    public var checkOutput = true
    /// How connections are secured.
    public var tls = TLS()
    /// The URL of a proxy; "env" for the usual variables, "off" for none.
    public var proxy: String?
    /// Whether cookies are kept.
    public var cookies: Bool?
    /// The path of a Unix socket to connect to.
    public var socket: String?
    /// Capabilities declared besides those that follow from the handlers, for who answers by hand.
    public var capabilities: JSONObject = [:]

    /// How connections by HTTPS are secured.
    public struct TLS: Sendable {
        /// Whether certificates are verified; they are, unless this is false.
        public var verify: Bool?
        /// A file of certificates to trust besides the system's.
        public var caFile: String?
        /// The files of a client certificate and its key.
        public var certificate: (file: String, key: String)?

        public init(verify: Bool? = nil, caFile: String? = nil, certificate: (file: String, key: String)? = nil) {
            self.verify = verify
            self.caFile = caFile
            self.certificate = certificate
        }
    }

    public init(
        name: String = "omniport", version: String = "0", headers: [String: String] = [:], era: Era = .automatic, known: String? = nil,
        timeout: Duration? = nil, totalTimeout: Duration? = nil, limits: [Limit: Double] = [:], recover: Bool = true,
        checkOutput: Bool = true, tls: TLS = TLS(), proxy: String? = nil, cookies: Bool? = nil, socket: String? = nil,
        capabilities: JSONObject = [:]
    ) {
        self.name = name
        self.version = version
        self.headers = headers
        self.era = era
        self.known = known
        self.timeout = timeout
        self.totalTimeout = totalTimeout
        self.limits = limits
        self.recover = recover
        self.checkOutput = checkOutput
        self.tls = tls
        self.proxy = proxy
        self.cookies = cookies
        self.socket = socket
        self.capabilities = capabilities
    }
}

// MARK: - The words of the boundary

extension ClientOptions {
    /// What the boundary's client is made with.
    func text(for handlers: ClientHandlers) throws -> String {
        var bounds = JSONObject(limits.map { ($0.rawValue, .double($1)) })
        if let timeout { bounds["call_for"] = try seconds("timeout", timeout) }
        if let totalTimeout { bounds["call_total"] = try seconds("totalTimeout", totalTimeout) }
        var options: JSONObject = [
            "name": .string(name), "version": .string(version), "answers": handlers.answers, "listens": handlers.listens,
            "limits": .object(bounds), "era": .string(era.rawValue), "recover": .bool(recover), "check_output": .bool(checkOutput),
            "watch_changes": .bool(handlers.change != nil),
        ]
        if let known { options["known"] = .string(known) }
        if !capabilities.isEmpty { options["capabilities"] = .object(capabilities) }
        return try JSONValue.object(options).text()
    }

    /// How servers are reached by HTTP.
    var http: JSONObject {
        var http: JSONObject = [:]
        if !headers.isEmpty { http["headers"] = .object(JSONObject(headers.map { ($0, .string($1)) })) }
        http["verify"] = tls.verify.map { .bool($0) }
        http["ca_file"] = tls.caFile.map { .string($0) }
        http["client_cert"] = tls.certificate.map { .string($0.file) }
        http["client_key"] = tls.certificate.map { .string($0.key) }
        http["proxy"] = proxy.map { .string($0) }
        http["cookies"] = cookies.map { .bool($0) }
        http["socket"] = socket.map { .string($0) }
        return http
    }
}
