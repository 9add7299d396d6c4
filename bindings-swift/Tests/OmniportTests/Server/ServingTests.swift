import Foundation
import Testing

@testable import Omniport

/// Listening, running and ending, by HTTP.
@Suite(.timeLimit(.minutes(5))) struct ServingTests {
    private struct Text: Codable { let text: String }

    private func echo() -> Server {
        let app = Server(name: "serving")
        app.tool("echo") { (args: Text) in
            await Task.yield()
            return args
        }
        return app
    }

    /// Z12: one server object serves many connections and ports at once.
    @Test func oneServerListensAtManyPorts() async throws {
        let app = echo()
        let (one, two) = (try await app.listen(port: 0), try await app.listen(port: 0, host: "localhost", path: "/deep/mcp"))
        #expect(one.port != two.port && two.url.hasSuffix(":\(two.port)/deep/mcp"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (place, url) in [one.url, two.url, one.url].enumerated() {
                group.addTask {
                    try await withClient(.url(url), options: .init(era: place == 2 ? .legacy : .modern)) { client in
                        for number in 0..<30 {
                            let said = try await client.callTool("echo", arguments: Text(text: "\(place) \(number)"), as: Text.self)
                            #expect(said.text == "\(place) \(number)")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        await one.close(grace: .zero)
        await two.closed
    }

    /// A task that runs a server ends it when it is cancelled.
    @Test func cancellingTheTaskEndsTheServer() async throws {
        let app = echo()
        let (begun, ended) = (Latch(), Latch())
        app.tool("hangs") { () -> String in
            begun.open()
            defer { ended.open() }
            try await Task.sleep(for: .seconds(600))
            return "never"
        }
        let running = Task { try await app.run(.http(port: 0), grace: .zero) }
        let client = Client(.server(app))
        let call = Task { try await client.callTool("hangs") }
        await begun.wait()
        running.cancel()
        try await running.value
        await ended.wait()
        let error = await failure { try await call.value }
        #expect(error?.message.contains("The server has stopped") == true)
        await client.close()
    }

    @Test func aServerThatWasStoppedServesAgain() async throws {
        let app = echo()
        for number in 0..<3 {
            let http = try await app.listen(port: 0)
            try await withClient(.url(http.url), options: .init(era: .modern)) { client in
                let said = try await client.callTool("echo", arguments: Text(text: "\(number)"), as: Text.self)
                #expect(said.text == "\(number)")
            }
            await app.stop(grace: .zero)
            await http.closed
        }
    }

    /// The handlers of a server whose stop has no patience are cancelled, and get to clean up.
    @Test func handlersCleanUpBeforeAStopReturns() async throws {
        let app = Server(name: "serving")
        let (begun, cleaned) = (Latch(), Locked(false))
        app.tool("hangs") { () -> String in
            begun.open()
            try? await Task.sleep(for: .seconds(600))
            await Task.yield()
            cleaned.with { $0 = true }
            return "never"
        }
        let client = Client(.server(app))
        let call = Task { try await client.callTool("hangs") }
        await begun.wait()
        await app.stop(grace: .zero)
        #expect(cleaned.with { $0 })
        _ = await call.result
        await client.close()
    }

    @Test func whoMayNotCallIsRefused() async throws {
        let app = echo()
        let http = try await app.listen(HTTPOptions(port: 0, allowedOrigins: ["https://good.example"]))
        var options = ClientOptions(headers: ["origin": "https://good.example"], era: .modern, limits: ["recover_tries": 0])
        _ = try await withClient(.url(http.url), options: options) { try await $0.listTools() }
        options.headers = ["origin": "https://evil.example"]
        let refused = await failure { try await Client(.url(http.url), options: options).connect() }
        #expect(refused?.context["status"] == "403")
        await http.close(grace: .zero)
    }

    /// F11: clients of the revision 2024-11-05 are served by its two endpoints.
    @Test func olderClientsAreServed() async throws {
        let app = echo()
        let http = try await app.listen(HTTPOptions(port: 0, ssePath: "/sse", messagePath: "/messages"))
        try await withClient(.url("http://\(http.address)/sse")) { client in
            let said = try await client.callTool("echo", arguments: Text(text: "old"), as: Text.self)
            #expect(said.text == "old" && client.protocolVersion == "2025-11-25")
        }
        await http.close(grace: .zero)
    }

    /// Y14, F06: what cannot be read is an error and no success, and what can be read is not refused for what is unusual about it.
    @Test(arguments: [
        (
            #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","#
                + #""capabilities":{"experimental":{"a":{"b":[1]}},"extensions":{"x.y/z":{}},"odd":7},"#
                + #""clientInfo":{"name":"c","version":"1","icons":"none"}}}"#, true
        ),
        (#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":7}}"#, false),
        (#"{"jsonrpc":"2.0","id":1,"method":"initialize""#, false),
    ])
    func initializeSucceedsOrFails(body: String, succeeds: Bool) async throws {
        let app = echo()
        let headers = [
            (name: "host", value: "localhost"), (name: "content-type", value: "application/json"),
            (name: "accept", value: "application/json, text/event-stream"),
        ]
        let response = try await app.handle(HTTPRequest(method: "POST", headers: headers, body: Data(body.utf8)))
        let text = String(decoding: await response.body.collect(), as: UTF8.self)
        #expect(text.contains("\"result\"") == succeeds && text.contains("\"error\"") != succeeds, "\(text)")
        #expect(response.status == 200 || !succeeds, "\(response.status)")
        await app.stop()
    }
}
