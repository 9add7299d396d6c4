import Foundation

/// As much of Vapor 4 and NIO as the documents use, with the signatures that they have there.

struct HTTPMethod: Sendable {
    let rawValue: String
    static let GET = Self(rawValue: "GET"), POST = Self(rawValue: "POST"), DELETE = Self(rawValue: "DELETE")
}

struct HTTPHeaders: Sequence, Sendable {
    private let all: [(name: String, value: String)]
    init(_ elements: [(String, String)]) { all = elements.map { (name: $0, value: $1) } }
    func makeIterator() -> IndexingIterator<[(name: String, value: String)]> { all.makeIterator() }
}

struct ByteBuffer: Sendable {
    let readableBytesView: [UInt8]
    init(bytes: some Sequence<UInt8>) { readableBytesView = Array(bytes) }
}

struct URI: Sendable { let path: String, query: String? }

protocol Authenticatable: Sendable {}

struct User: Authenticatable { let name: String }

struct Request: Sendable {
    struct Body: Sendable { let data: ByteBuffer? }
    struct Authentication: Sendable {
        func get<A: Authenticatable>(_: A.Type) -> A? { nil }
    }
    let method: HTTPMethod, url: URI, headers: HTTPHeaders, body: Body, auth: Authentication
}

struct HTTPStatus: Sendable { init(statusCode: Int) {} }

struct Response: Sendable {
    struct Body: Sendable {
        init(managedAsyncStream: @escaping @Sendable (any AsyncBodyStreamWriter) async throws -> Void) {}
    }
    init(status: HTTPStatus, headers: HTTPHeaders, body: Body) {}
}

protocol AsyncBodyStreamWriter { func writeBuffer(_ buffer: ByteBuffer) async throws }

final class Application {
    struct HTTP { let server: Server }
    struct Server { let configuration: Configuration }
    struct Configuration { let hostname: String }

    let http = HTTP(server: Server(configuration: Configuration(hostname: "127.0.0.1")))

    enum Collection { case collect(maxSize: String) }
    func on(_ method: HTTPMethod, _ path: String, body: Collection, use: @escaping @Sendable (Request) async throws -> Response) {}
}
