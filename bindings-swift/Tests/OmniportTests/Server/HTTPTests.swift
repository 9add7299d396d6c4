import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
import Testing

@testable import Omniport

private let headers: [(name: String, value: String)] = [
    ("host", "localhost"), ("content-type", "application/json"), ("accept", "application/json, text/event-stream"),
]

private func post(_ what: JSONValue, _ more: [(name: String, value: String)] = []) throws -> HTTPRequest {
    HTTPRequest(method: "POST", headers: headers + more, body: Data(try what.text().utf8))
}

private func call(_ tool: String, _ arguments: JSONValue = [:], meta: JSONObject = [:]) throws -> HTTPRequest {
    var own: JSONObject = [
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": [:],
        "io.modelcontextprotocol/clientInfo": ["name": "raw", "version": "1"],
    ]
    for (name, value) in meta { own[name] = value }
    let message: JSONValue = [
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": ["name": .string(tool), "arguments": arguments, "_meta": .object(own)],
    ]
    return try post(message, [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", tool)])
}

@Suite(.timeLimit(.minutes(5))) struct HTTPTests {
    @Test func aForeignWebServerIsAnswered() async throws {
        struct Add: Decodable { let a: Int, b: Int }
        let app = Server(name: "demo")
        app.tool("add") { (args: Add, cx) in "\(args.a + args.b) \(cx.headers["x-own"] ?? "") \(cx.principal?.subject ?? "")" }
        var request = try call("add", ["a": 1, "b": 2])
        request.headers.append(("X-Own", "mine"))
        request.principal = Principal("ada")
        let response = try await app.handle(request)
        #expect(response.status == 200)
        let body = String(decoding: await response.body.collect(), as: UTF8.self)
        #expect(body.contains("3 mine ada"))
        #expect(try await app.handle(HTTPRequest(method: "PUT", headers: headers)).status == 405)
        // A page whose own name was made to point here.
        request.headers[0].value = "evil.example"
        #expect(try await app.handle(request).status == 200)
        request.boundTo = "127.0.0.1"
        #expect(try await app.handle(request).status == 403)
        await app.stop()
    }

    // H12: behind a prefix the address that an HTTP+SSE stream tells holds it.
    @Test func aForeignWebServerMayMountIt() async throws {
        let app = Server(name: "demo")
        let stream = HTTPRequest(method: "GET", path: "/sse", headers: [("host", "localhost"), ("accept", "text/event-stream")], mount: "/api")
        var parts = try await app.handle(stream).body.makeAsyncIterator()
        #expect(String(decoding: try #require(await parts.next()), as: UTF8.self).contains("/api/messages/?session_id="))
        await app.stop()
    }

    // F10: what a handler tells comes before its result, piece by piece.
    @Test func eventsComeBeforeTheResult() async throws {
        let app = Server(name: "demo")
        let released = Latch()
        app.tool("slow") { (cx: Context) -> String in
            cx.progress(1)
            await released.wait()
            return "done"
        }
        let response = try await app.handle(try call("slow", meta: ["progressToken": "t"]))
        #expect(response.header("Content-Type")?.hasPrefix("text/event-stream") == true)
        var parts = response.body.makeAsyncIterator()
        var text = ""
        while !text.contains("\"progress\":1"), let part = await parts.next() { text += String(decoding: part, as: UTF8.self) }
        #expect(!text.contains("done"))
        released.open()
        while let part = await parts.next() { text += String(decoding: part, as: UTF8.self) }
        #expect(text.contains("done"))
        await app.stop()
    }

    @Test func aReaderThatGoesAwayCancelsTheCall() async throws {
        let app = Server(name: "demo")
        let (begun, ended) = (Latch(), Latch())
        app.tool("slow") { (cx: Context) -> String in
            cx.progress(1)
            begun.open()
            try? await Task.sleep(for: .seconds(600))
            ended.open()
            return ""
        }
        do {
            let response = try await app.handle(try call("slow", meta: ["progressToken": "t"]))
            #expect(response.status == 200)
            await begun.wait()
        }
        await ended.wait()
        await app.stop()
    }

    @Test func onlyAPrincipalLetsACallerIn() async throws {
        let app = Server(name: "demo", auth: { headers in headers["authorization"] == "Bearer good" ? Principal("ada", scopes: ["read"]) : nil })
        app.tool("who") { (cx: Context) in cx.principal?.subject ?? "nobody" }
        #expect(try await app.handle(try call("who")).status == 401)
        var request = try call("who")
        request.headers.append(("authorization", "Bearer good"))
        let response = try await app.handle(request)
        #expect(String(decoding: await response.body.collect(), as: UTF8.self).contains("ada"))
        await app.stop()
    }

    // F11: a Swift server has an HTTP side.
    @Test func itListensAndClosesAndListensAgain() async throws {
        let app = Server(name: "demo")
        app.tool("hello") { "hello" }
        for _ in 0..<2 {
            let http = try await app.listen(port: 0)
            #expect(http.url == "http://127.0.0.1:\(http.port)/mcp")
            var request = URLRequest(url: try #require(URL(string: http.url)))
            let call = try call("hello")
            request.httpMethod = "POST"
            request.httpBody = call.body
            for (name, value) in call.headers where name != "host" { request.setValue(value, forHTTPHeaderField: name) }
            let (data, _) = try await URLSession.shared.data(for: request)
            #expect(String(decoding: data, as: UTF8.self).contains("hello"))
            await http.close(grace: .zero)
        }
    }

    /// F04: of two who read one body each gets what the other does not, and both hear of the end.
    @Test func severalReadersOfOneBodyAreLetGo() async throws {
        let app = Server(name: "demo")
        let released = Latch()
        app.tool("waits") { (cx: Context) in
            cx.progress(1)
            await released.wait()
            return "done"
        }
        let response = try await app.handle(try call("waits", meta: ["progressToken": "t"]))
        let readers = (0..<3).map { _ in Task { String(decoding: await response.body.collect(), as: UTF8.self) } }
        released.open()
        var whole = ""
        for reader in readers { whole += await reader.value }
        #expect(whole.contains("done"))
        await app.stop()
    }

    /// F04: a request that comes while the server stops is answered, or refused, and never left waiting.
    @Test func requestsDuringAStopAreAnswered() async throws {
        let app = Server(name: "demo")
        app.tool("hello") { "hello" }
        for _ in 0..<50 {
            let asking = (0..<4).map { _ in Task { try? await app.handle(try call("hello")).body.collect() } }
            await app.stop(grace: .zero)
            for one in asking { _ = await one.value }
        }
        let pump = try app.registry.pump()
        pump.start()
        await app.stop(grace: .zero)
        #expect(try pump.handle(try call("hello").head(), Data()) == nil)
    }

    @Test(arguments: ["mcp", "", "http://localhost/mcp"]) func aPathThatNoURLHasIsRefused(path: String) async {
        let options = [HTTPOptions(port: 0, path: path), HTTPOptions(port: 0, ssePath: path), HTTPOptions(port: 0, messagePath: path)]
        for one in options {
            let error = await failure { try await Server(name: "demo").listen(one) }
            #expect(error?.message == "the path `\(path)` does not begin with a slash")
        }
    }

    @Test func aPortThatIsTakenIsNamed() async throws {
        let (first, second) = (Server(name: "one"), Server(name: "two"))
        let http = try await first.listen(port: 0)
        let error = await failure { try await second.listen(port: http.port) }
        #expect(error?.kind == "io")
        #expect(error?.message.contains("\(http.port)") == true)
        await http.close(grace: .zero)
    }

    @Test func runningCallsMayEndAtAStop() async throws {
        let app = Server(name: "demo")
        let (begun, released) = (Latch(), Latch())
        app.tool("slow") {
            begun.open()
            await released.wait()
            return "done"
        }
        let response = Task { try await app.handle(try call("slow")) }
        await begun.wait()
        let stopped = Task { await app.stop(grace: .seconds(5)) }
        released.open()
        await stopped.value
        _ = await response.result
    }

    @Test func aServerNobodyHoldsEnds() async throws {
        weak var pump: Pump?
        do {
            let app = Server(name: "demo")
            app.tool("hello") { "hello" }
            _ = await (try app.handle(try call("hello"))).body.collect()
            pump = app.registry.existing
        }
        await eventually { pump == nil }  // its own task is still on its way out
    }
}
