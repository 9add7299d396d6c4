@preconcurrency import Foundation  // `stdout`
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

    /// The port that it listens on, also where any free one was asked for.
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
        case .stdio:
            try serve(pump) { try $0.serveStdio() }
            // What `print` writes goes to stderr now, and is read there while the program runs: by whole lines, as on a terminal.
            setvbuf(stdout, nil, Int32(_IOLBF), 0)
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
