import Foundation
internal import OmniportBoundary

/// What a server is served by.
public enum Transport: Sendable {
    /// Standard input and output. Whatever else writes to stdout (`print`) goes to stderr.
    case stdio
    /// HTTP: `.http(port: 8000)`.
    case http(HTTPOptions)

    /// HTTP, at this address.
    public static func http(port: Int = 8000, host: String = "127.0.0.1", path: String = "/mcp") -> Self {
        .http(HTTPOptions(port: port, host: host, path: path))
    }
}

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

/// A server that listens. It goes on when this is dropped.
public final class Listening: Sendable {
    /// Where clients connect: "http://127.0.0.1:8000/mcp".
    public let url: String
    /// "127.0.0.1:8000".
    public let address: String
    private let pump: Pump

    init(address: String, path: String, pump: Pump) {
        self.address = address
        self.pump = pump
        // A server that listens on all addresses is at the loopback one, too.
        let port = address.split(separator: ":").last ?? ""
        let isAnywhere = address.hasPrefix("0.0.0.0:") || address.hasPrefix("[::]:")
        url = isAnywhere ? "http://\(address.hasPrefix("[") ? "[::1]" : "127.0.0.1"):\(port)\(path)" : "http://\(address)\(path)"
    }

    /// The port that it listens at, also where any free one was asked for.
    public var port: Int { address.split(separator: ":").last.flatMap { Int($0) } ?? 0 }

    /// Waits until everything is over.
    public var closed: Void { get async { await pump.ended.wait() } }

    /// Ends all transports of the server; running calls may take `grace` more (nil: the server's limit). Returns when everything is over.
    public func close(grace: Duration? = nil) async {
        pump.close(grace)
        await closed
    }
}

extension Server {
    /// Serves until the client goes, the task is cancelled, or SIGINT or SIGTERM comes; then running calls may take `grace` more (nil: the
    /// server's limit). A second signal ends the process at once.
    ///
    /// - Throws: ``OmniportError/definition(_:)`` for what could not be registered, ``OmniportError/io(_:)`` when it cannot listen.
    public func run(_ transport: Transport = .stdio, grace: Duration? = nil) async throws {
        let pump = try registry.pump()
        switch transport {
        case .stdio: try serve(pump) { try $0.serveStdio() }
        case .http(let options):
            let text = try options.text()
            let address = try serve(pump) { try $0.serveHttp(options: text) }
            say("\(name) listens at \(Listening(address: address, path: options.path, pump: pump).url)")
        }
        let signals = StopSignals { pump.close(grace) }
        defer { signals.restore() }
        await withTaskCancellationHandler {
            await pump.ended.wait()
        } onCancel: {
            pump.close(grace)
        }
    }

    /// Listens for HTTP, and returns when clients can connect.
    ///
    /// - Throws: as ``run(_:grace:)``.
    public func listen(port: Int = 8000, host: String = "127.0.0.1", path: String = "/mcp") async throws -> Listening {
        try await listen(HTTPOptions(port: port, host: host, path: path))
    }

    /// Listens for HTTP, and returns when clients can connect.
    public func listen(_ options: HTTPOptions) async throws -> Listening {
        let pump = try registry.pump()
        let text = try options.text()
        let address = try serve(pump) { try $0.serveHttp(options: text) }
        return Listening(address: address, path: options.path, pump: pump)
    }

    /// Stops serving: no new calls, running ones may take `grace` more. Returns when everything is over.
    public func stop(grace: Duration? = nil) async {
        guard let pump = registry.existing else { return }
        pump.close(grace)
        await pump.ended.wait()
    }

    private func serve<T>(_ pump: Pump, _ begin: (Engine) throws -> T) throws -> T {
        let begun = try guarded { try begin(pump.engine) }
        pump.serves()
        return begun
    }
}
