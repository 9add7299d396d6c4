import Foundation
import Omniport

/// A web server that is not Omniport's, and hands requests to the server: HTTP/1.1 on sockets, each connection on a thread of its own.
final class WebServer: Sendable {
    /// "127.0.0.1:54321".
    let address: String
    private let app: Server
    private let listener: Int32

    init(for app: Server) throws {
        self.app = app
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = inet_addr(Self.host)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listens = withUnsafeMutablePointer(to: &place) { place in
            place.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                bind(listener, place, size) == 0 && listen(listener, 64) == 0 && getsockname(listener, place, &size) == 0
            }
        }
        guard listens else { throw OmniportError.io("the web server cannot listen") }
        self.listener = listener
        address = "\(Self.host):\(UInt16(bigEndian: place.sin_port))"
    }

    static let host = "127.0.0.1"

    /// Does not return.
    func serve() async {
        let (peers, accepted) = AsyncStream.makeStream(of: Int32.self)
        Thread.detachNewThread { [listener] in
            while true { accepted.yield(accept(listener, nil, nil)) }
        }
        for await peer in peers {
            Thread.detachNewThread { [app] in Connection(peer, app).serve() }
        }
    }
}

/// One connection, whose requests are answered one after the other; of its own thread.
private final class Connection {
    private let peer: Peer
    private let app: Server
    private var received: [UInt8] = []

    init(_ descriptor: Int32, _ app: Server) {
        peer = Peer(descriptor: descriptor)
        self.app = app
    }

    func serve() {
        var answer: Answer?
        while let arrived = next() {
            answer?.wait()
            answer = Answer(to: arrived, from: app, for: peer)
        }
        answer?.cancel()  // the client has gone
        answer?.wait()
        close(peer.descriptor)
    }

    /// The next request; nil when the client has gone, or writes no HTTP.
    private func next() -> Arrived? {
        while true {
            if let end = received.firstRange(of: Array("\r\n\r\n".utf8)) {
                // Header values are bytes.
                let head = String(String.UnicodeScalarView(received[..<end.lowerBound].map { UnicodeScalar($0) }))
                received.removeSubrange(..<end.upperBound)
                return arrived(head.components(separatedBy: "\r\n"))
            }
            guard receive() else { return nil }
        }
    }

    private static let mostOfABody = 16 << 20

    private func arrived(_ lines: [String]) -> Arrived? {
        let words = lines[0].split(separator: " ").map(String.init)
        guard words.count == 3 else { return nil }
        var headers = lines.dropFirst().map { line in
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            return (name: line[..<colon].lowercased(), value: line[colon...].dropFirst().trimmingCharacters(in: .whitespaces))
        }
        let length = headers.first { $0.name == "content-length" }.flatMap { Int($0.value) } ?? 0
        guard length <= Self.mostOfABody else { return .refused(413) }
        while received.count < length {
            guard receive() else { return nil }
        }
        let body = Data(received.prefix(length))
        received.removeFirst(length)

        let (target, authority) = Self.parts(of: words[1])
        // Two that differ are both handed on, and the engine refuses them.
        if let authority, !headers.contains(where: { $0.name == "host" && $0.value == authority }) { headers.append(("host", authority)) }
        let mount = headers.first { $0.name == "vectors-mount" }?.value ?? ""
        headers.removeAll { $0.name == "vectors-mount" }
        let (path, query) = (target.prefix { $0 != "?" }, target.drop { $0 != "?" }.dropFirst())
        guard ["/mcp", "/sse", "/messages"].contains(path.hasSuffix("/") ? String(path.dropLast()) : String(path)) else { return .refused(404) }
        var request = HTTPRequest(method: words[0], path: String(path), query: String(query), headers: headers, body: body)
        request.mount = mount
        request.boundTo = WebServer.host
        return .request(request)
    }

    /// The path with its query, and the authority of `http://authority/path`.
    private static func parts(of target: String) -> (String, String?) {
        guard target.hasPrefix("http://") else { return (target, nil) }
        let rest = target.dropFirst("http://".count)
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        return (String(rest[slash...]), String(rest[..<slash]))
    }

    private func receive() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(peer.descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        received.append(contentsOf: buffer[..<count])
        return true
    }
}

private enum Arrived: Sendable {
    case request(HTTPRequest)
    /// The web server answers itself, with that status.
    case refused(Int)
}

/// An answer on its way; the thread of the connection hears meanwhile whether the client goes.
private struct Answer {
    private let task: Task<Void, Never>
    private let done = DispatchSemaphore(value: 0)

    init(to arrived: Arrived, from app: Server, for peer: Peer) {
        task = Task { [done] in
            switch arrived {
            case .request(let request): await Self.pass(request, app, peer)
            case .refused(let status): peer.begin(status, [])
                peer.end()
            }
            done.signal()
        }
    }

    func cancel() { task.cancel() }
    func wait() { done.wait() }

    private static func pass(_ request: HTTPRequest, _ app: Server, _ peer: Peer) async {
        guard let response = try? await app.handle(request) else { return }  // cancelled
        peer.begin(response.status, response.headers)
        for await part in response.body { peer.write(part) }
        if !Task.isCancelled { peer.end() }
    }
}

/// Where answers are written to, in chunks.
private struct Peer: Sendable {
    let descriptor: Int32

    func begin(_ status: Int, _ headers: [(name: String, value: String)]) {
        var head = "HTTP/1.1 \(status) \r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        send(Data("\(head)transfer-encoding: chunked\r\n\r\n".utf8))
    }

    func write(_ part: Data) {
        if !part.isEmpty { send(Data("\(String(part.count, radix: 16))\r\n".utf8) + part + Data("\r\n".utf8)) }
    }

    func end() { send(Data("0\r\n\r\n".utf8)) }

    /// What a client that has gone does not read is nobody's.
    private func send(_ data: Data) {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
