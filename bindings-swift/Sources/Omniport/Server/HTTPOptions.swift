/// Where and how a server listens.
public struct HTTPOptions: Sendable, Hashable {
    /// 0: any that is free.
    public var port: Int
    /// The address to listen at. One that is no loopback address needs ``allowedHosts`` or ``allowAnyHost``.
    public var host: String
    /// The path of the endpoint.
    public var path: String
    /// The path of the event streams of the revision 2024-11-05; nil: "/sse".
    public var ssePath: String?
    /// The path of the messages of that revision; nil: "/messages/".
    public var messagePath: String?
    /// Names that requests may be addressed to; loopback names without them.
    public var allowedHosts: [String]
    /// Origins of pages that may send requests besides those of the server's own host.
    public var allowedOrigins: [String]
    /// Answers requests to whatever name, for a server behind a proxy that checks it.
    public var allowAnyHost: Bool
    /// Origins whose pages may call the server.
    public var corsOrigins: [String]
    /// Answers as JSON where no stream is needed.
    public var jsonOnly: Bool
    /// Threads of the engine that serve connections; nil: as many as it finds useful.
    public var threads: Int?

    public init(
        port: Int = 8000, host: String = "127.0.0.1", path: String = "/mcp", ssePath: String? = nil, messagePath: String? = nil,
        allowedHosts: [String] = [], allowedOrigins: [String] = [], allowAnyHost: Bool = false, corsOrigins: [String] = [],
        jsonOnly: Bool = false, threads: Int? = nil
    ) {
        self.port = port
        self.host = host
        self.path = path
        self.ssePath = ssePath
        self.messagePath = messagePath
        self.allowedHosts = allowedHosts
        self.allowedOrigins = allowedOrigins
        self.allowAnyHost = allowAnyHost
        self.corsOrigins = corsOrigins
        self.jsonOnly = jsonOnly
        self.threads = threads
    }

    /// - Throws: ``OmniportError/definition(_:)`` for a path that no URL has.
    func text() throws -> String {
        for path in [path, ssePath, messagePath].compactMap(\.self) where !path.hasPrefix("/") {
            throw OmniportError.definition(.init("the path `\(path)` does not begin with a slash"))
        }
        return try JSONValue.object(json).text()
    }

    private var json: JSONObject {
        var json: JSONObject = ["host": .string(host), "port": JSONValue(port), "path": .string(path)]
        json.set("sse_path", ssePath)
        json.set("message_path", messagePath)
        if !allowedHosts.isEmpty { json.set("allowed_hosts", texts: allowedHosts) }
        if !allowedOrigins.isEmpty { json.set("allowed_origins", texts: allowedOrigins) }
        if allowAnyHost { json["allow_any_host"] = true }
        if !corsOrigins.isEmpty { json["cors"] = ["origins": .array(corsOrigins.map { .string($0) })] }
        if jsonOnly { json["json_only"] = true }
        json.set("threads", threads)
        return json
    }
}
