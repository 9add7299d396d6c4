import Foundation

@testable import Omniport

/// A web server that answers as a test wants, right or wrong. Each connection has a thread, and serves one request after the other.
final class Web: Sendable {
    struct Request: Sendable {
        let method: String
        let headers: [String: String]
        let body: JSONValue
    }

    /// Writes the answer, whole or not; what is returned says whether the connection stays.
    typealias Answer = @Sendable (Request, Int32) -> Bool

    let port: Int
    private let socket: Int32

    init(_ answer: @escaping Answer) throws {
        #if canImport(Darwin)
            let kind = SOCK_STREAM
        #else
            let kind = Int32(SOCK_STREAM.rawValue)
        #endif
        let listening = Foundation.socket(AF_INET, kind, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listening, $0, size) == 0 && listen(listening, 16) == 0 && getsockname(listening, $0, &size) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRINUSE) }
        (socket, port) = (listening, Int(UInt16(bigEndian: address.sin_port)))
        Thread.detachNewThread {
            while true {
                let connection = accept(listening, nil, nil)
                if connection < 0 { return }
                Thread.detachNewThread {
                    while let request = Self.read(connection), answer(request, connection) {}
                    close(connection)
                }
            }
        }
    }

    deinit {
        shutdown(socket, Int32(SHUT_RDWR))
        close(socket)
    }

    var url: String { "http://127.0.0.1:\(port)/mcp" }

    // MARK: Answers

    static func write(_ text: String, to connection: Int32) {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { send(connection, $0.baseAddress, $0.count, noSignal) }
            if count <= 0 { return }
            sent += count
        }
    }

    static func give(_ status: Int, _ type: String, _ body: String, more: String = "", to connection: Int32) {
        write("HTTP/1.1 \(status) X\r\ncontent-type: \(type)\r\ncontent-length: \(body.utf8.count)\r\n\(more)\r\n\(body)", to: connection)
    }

    #if canImport(Darwin)
        private static let noSignal: Int32 = 0
    #else
        private static let noSignal = Int32(MSG_NOSIGNAL)
    #endif

    private static func read(_ connection: Int32) -> Request? {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        func more() -> Bool {
            let count = recv(connection, &part, part.count, 0)
            if count > 0 { bytes += part[..<count] }
            return count > 0
        }
        while true {
            if let end = String(decoding: bytes, as: UTF8.self).range(of: "\r\n\r\n") {
                let text = String(decoding: bytes, as: UTF8.self)
                let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
                let headers = lines.dropFirst().map { line -> (String, String) in
                    let (name, value) = (line.prefix { $0 != ":" }, line.drop { $0 != ":" }.dropFirst())
                    return (name.lowercased(), value.trimmingCharacters(in: .whitespaces))
                }
                let named = Dictionary(headers) { _, last in last }
                let start = text[..<end.upperBound].utf8.count
                while bytes.count < start + (Int(named["content-length"] ?? "") ?? 0) { if !more() { return nil } }
                let body = (try? JSONValue(parsing: String(decoding: bytes[start...], as: UTF8.self))) ?? .null
                return Request(method: String(lines[0].prefix { $0 != " " }), headers: named, body: body)
            }
            if !more() { return nil }
        }
    }
}

extension Web {
    /// An endpoint of the legacy era whose calls of tools and listings are answered by `answer`.
    static func legacy(_ answer: @escaping @Sendable (_ name: String, Request, Int32) -> Bool) throws -> Web {
        try Web { request, connection in
            guard request.method == "POST" else {
                give(request.method == "GET" ? 405 : 200, "text/plain", "", to: connection)
                return true
            }
            switch request.body["method"]?.stringValue {
            case "initialize":
                let info: JSONValue = ["name": "odd", "version": "0"]
                let said: JSONValue = ["protocolVersion": "2025-06-18", "capabilities": ["tools": [:]], "serverInfo": info]
                give(200, "application/json", reply(request, said), more: "mcp-session-id: s\r\n", to: connection)
                return true
            case let method? where request.body["id"] != nil:
                return answer(request.body["params"]?["name"]?.stringValue ?? method, request, connection)
            default:
                give(202, "text/plain", "", to: connection)
                return true
            }
        }
    }

    static func reply(_ request: Request, _ result: JSONValue) -> String {
        let message: JSONValue = ["jsonrpc": "2.0", "id": request.body["id"] ?? .null, "result": result]
        return "\(message)"
    }

    static func result(_ request: Request, _ text: String, to connection: Int32) -> Bool {
        give(200, "application/json", reply(request, ["content": [["type": "text", "text": .string(text)]]]), to: connection)
        return true
    }
}
