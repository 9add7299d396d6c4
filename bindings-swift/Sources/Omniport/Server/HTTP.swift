import Foundation
internal import OmniportBoundary

/// A request that a web server of the program hands to ``Server/handle(_:)``.
public struct HTTPRequest: Sendable {
    /// "GET", "POST", "DELETE" or any other.
    public var method: String
    /// Below where the server is mounted, without the query.
    public var path: String
    /// What follows the question mark; empty without one.
    public var query: String
    /// In the order in which they came; a name may be there several times.
    public var headers: [(name: String, value: String)]
    /// The whole body.
    public var body: Data
    /// Who is calling, for a web server that authenticates by itself.
    public var principal: Principal?
    /// The address that the web server is bound to, where it is known: "127.0.0.1". With a loopback one only loopback names are taken as the
    /// host, so that no page can have a name of its own point here (DNS rebinding). Give the public address where a proxy on the same machine
    /// passes the public host on.
    public var boundTo: String?
    /// Where the program mounted the server, if `path` is below it: "/api".
    public var mount: String

    /// A request. Its headers have to name the host: HTTP/2 servers may keep it apart, as the authority.
    public init(
        method: String, path: String = "/mcp", query: String = "", headers: [(name: String, value: String)] = [], body: Data = Data(),
        principal: Principal? = nil, boundTo: String? = nil, mount: String = ""
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.principal = principal
        self.boundTo = boundTo
        self.mount = mount
    }

    func head() throws -> String {
        var head: JSONObject = ["method": .string(method), "path": .string(path), "query": .string(query)]
        head["headers"] = .array(headers.map { [.string($0.name), .string($0.value)] })
        head.set("principal", encoding: principal)
        head.set("server", boundTo)
        if !mount.isEmpty { head["root_path"] = .string(mount) }
        return try JSONValue.object(head).text()
    }
}

/// The answer, whose body comes piece by piece.
public struct HTTPResponse: Sendable {
    /// The status code.
    public let status: Int
    /// All headers, names as they are to be sent.
    public let headers: [(name: String, value: String)]
    /// Read by one reader, once. A reader that goes away, or is cancelled, cancels the request.
    public let body: HTTPBody

    /// The value of a header, by its name in any case.
    public func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
}

/// The body of an answer. The engine is told what was read, and so notices a reader that is slow.
public struct HTTPBody: AsyncSequence, Sendable {
    public typealias Element = Data
    private let reader: HTTPReader

    init(_ reader: HTTPReader) { self.reader = reader }

    public struct AsyncIterator: AsyncIteratorProtocol {
        let reader: HTTPReader

        public mutating func next() async -> Data? { await reader.next() }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: reader) }

    /// The whole body, for an answer that is no endless stream.
    public func collect() async -> Data {
        var whole = Data()
        for await part in self { whole.append(part) }
        return whole
    }
}

/// Holds the answer for its reader; when nobody holds the reader any more, the request is cancelled.
final class HTTPReader: Sendable {
    private let sink: HTTPSink
    private let pump: Pump
    /// Lives as long as somebody reads.
    private let server: Server

    init(_ sink: HTTPSink, _ pump: Pump, _ server: Server) {
        self.sink = sink
        self.pump = pump
        self.server = server
    }

    deinit { pump.drop(sink.token) }

    func next() async -> Data? {
        do {
            return try await sink.next()
        } catch {
            pump.drop(sink.token)
            return nil
        }
    }

    func head() async throws -> String { try await sink.head.value() }
}

/// Takes the answer to one request as the engine gives it.
final class HTTPSink: Sendable {
    static let headPart: UInt32 = 0
    static let bodyPart: UInt32 = 1
    static let end: UInt32 = 2

    let token: UInt64
    /// JSON text.
    let head = Waiter<String>()
    private let engine: Engine
    private let state = Locked(State())

    private struct State {
        var parts: [Data] = []
        var isOver = false
        var readers: [Waiter<Void>] = []
    }

    init(engine: Engine, token: UInt64) {
        self.engine = engine
        self.token = token
    }

    func put(part: UInt32, _ text: String) {
        if part == Self.headPart { return head.settle(.success(text)) }
        let readers = state.with { state in
            if part == Self.end { state.isOver = true } else { state.parts.append(Data(text.utf8)) }
            defer { state.readers = [] }
            return state.readers
        }
        for reader in readers { reader.settle(.success(())) }
    }

    /// The server has stopped: what has not come will not come.
    func abort() {
        head.settle(.failure(OmniportError.closed("The server has stopped")))
        put(part: Self.end, "")
    }

    func next() async throws -> Data? {
        while true {
            let (part, waiter) = state.with { state -> (Data?, Waiter<Void>?) in
                if !state.parts.isEmpty { return (state.parts.removeFirst(), nil) }
                if state.isOver { return (nil, nil) }
                let waiter = Waiter<Void>()
                state.readers.append(waiter)
                return (nil, waiter)
            }
            if let part {
                engine.sentHttp(token: token, bytes: UInt32(clamping: part.count))
                return part
            }
            guard let waiter else { return nil }
            try await waiter.value()
        }
    }
}

extension Server {
    /// Answers a request of a web server of the program: Vapor, Hummingbird, NIO. The program passes the status, the headers and the pieces of
    /// the body on as they come.
    ///
    /// - Throws: ``OmniportError/definition(_:)`` for what could not be registered; `CancellationError` when the task is cancelled, and with it
    ///   the request.
    public func handle(_ request: HTTPRequest) async throws -> HTTPResponse {
        var pump = try registry.pump()
        let sink: HTTPSink
        do {
            let head = try request.head()
            while true {
                if let begun = try pump.handle(head, request.body) {
                    sink = begun
                    break
                }
                // It was stopped meanwhile; what comes after that is answered anew.
                await Task.yield()
                pump = try registry.pump()
            }
        } catch let error as OmniportError {
            // A head that no HTTP has: another server would have refused it before.
            return HTTPResponse(status: 400, headers: [("content-type", "text/plain; charset=utf-8")], body: body(error.message, pump))
        }
        let reader = HTTPReader(sink, pump, self)
        let head = try JSONValue(parsing: try await reader.head())
        let headers = head["headers"]?.arrayValue?.map { (name: $0[0]?.stringValue ?? "", value: $0[1]?.stringValue ?? "") } ?? []
        return HTTPResponse(status: head["status"]?.intValue ?? 500, headers: headers, body: HTTPBody(reader))
    }

    /// A body that is there already.
    private func body(_ text: String, _ pump: Pump) -> HTTPBody {
        let sink = HTTPSink(engine: pump.engine, token: 0)
        sink.put(part: HTTPSink.bodyPart, text)
        sink.put(part: HTTPSink.end, "")
        return HTTPBody(HTTPReader(sink, pump, self))
    }
}
