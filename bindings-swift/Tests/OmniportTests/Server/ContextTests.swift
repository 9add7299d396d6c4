import Foundation
import Testing

@testable import Omniport

/// What a running call knows, and what it tells.
@Suite(.timeLimit(.minutes(5))) struct ContextTests {
    struct Facts: Codable, Equatable {
        var id: JSONValue
        var agent: String?
        var session: Bool
        var client: String?
        var version: String?
        var meta: JSONValue?
        var isResumed: Bool
    }

    private func server() -> Server {
        let app = Server(name: "context")
        app.tool("facts") { (cx: Context) in
            Facts(
                id: cx.requestID, agent: cx.headers["x-agent"], session: cx.sessionID != nil, client: cx.client?["name"]?.stringValue,
                version: cx.protocolVersion, meta: cx.meta["own"], isResumed: cx.resumed)
        }
        return app
    }

    @Test func factsOfACallByHTTP() async throws {
        let app = server()
        let http = try await app.listen(port: 0)
        for (era, version) in [(ClientOptions.Era.legacy, "2025-11-25"), (.modern, "2026-07-28")] {
            let options = ClientOptions(name: "me", headers: ["X-Agent": "a"], era: era)
            try await withClient(.url(http.url), options: options) { (client: Client) async throws in
                let facts = try await client.callTool("facts", options: .init(meta: ["own": [1, "two"]])).output(as: Facts.self)
                #expect(facts.agent == "a" && facts.client == "me" && facts.version == version && facts.meta == [1, "two"])
                #expect(facts.session == (era == .legacy) && !facts.isResumed && !facts.id.isNull)
            }
        }
        await http.close(grace: .zero)
    }

    /// W08: ids are integers of 64 bits, or texts.
    @Test(arguments: [9_007_199_254_740_993, .int(.max), "a text"] as [JSONValue])
    func theIdOfARequestIsExact(id: JSONValue) async throws {
        let app = server()
        let meta: JSONValue = [
            "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": [:],
            "io.modelcontextprotocol/clientInfo": ["name": "raw", "version": "1"],
        ]
        let call: JSONValue = ["jsonrpc": "2.0", "id": id, "method": "tools/call", "params": ["name": "facts", "arguments": [:], "_meta": meta]]
        let headers = [
            ("host", "localhost"), ("content-type", "application/json"), ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "facts"),
        ]
        let response = try await app.handle(
            HTTPRequest(method: "POST", headers: headers.map { (name: $0.0, value: $0.1) }, body: Data(try call.text().utf8)))
        #expect(response.status == 200)
        let answer = try JSONValue(parsing: String(decoding: await response.body.collect(), as: UTF8.self))
        #expect(answer["id"] == id && answer["result"]?["structuredContent"]?["id"] == id)
        await app.stop()
    }

    @Test func theContextIsKnownInEveryTaskOfTheHandlerAndNowhereElse() async throws {
        let app = Server(name: "context")
        app.tool("tasks") { (cx: Context) -> Bool in
            async let child = Context.current
            let unstructured = await Task { Context.current }.value
            let detached = await Task.detached { Context.current }.value
            return await child === cx && unstructured === cx && detached == nil
        }
        #expect(Context.current == nil)
        try await withClient(.server(app)) { (client: Client) async throws in
            #expect(try await client.callTool("tasks").structuredContent == true)
        }
    }

    @Test func callsAtOnceHaveEachTheirOwnContext() async throws {
        struct Number: Codable { let number: Int }
        let app = Server(name: "context")
        app.tool("own") { (args: Number, cx) -> Int in
            await Task.yield()
            return Context.current === cx && cx.meta["number"]?.intValue == args.number ? args.number : -1
        }
        try await withClient(.server(app)) { (client: Client) async throws in
            let answers = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        try await client.callTool("own", ["number": JSONValue(number)], options: .init(meta: ["number": JSONValue(number)]))
                            .output()
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.sorted() == Array(0..<100))
        }
    }

    @Test(arguments: [ClientOptions.Era.legacy, .modern])
    func logMessagesBelowTheLevelAreNotSent(era: ClientOptions.Era) async throws {
        let (app, seen) = (Server(name: "context"), Record<LogMessage>())
        app.tool("logs") { (cx: Context) in
            cx.log(.debug, "no")
            cx.log(.warning, ["a": 1], logger: "own")
            cx.log(.info, "no")
            cx.log(.emergency, "last")
        }
        let handlers = ClientHandlers(log: { await seen.add($0) })
        try await withClient(.server(app), options: .init(era: era), handlers: handlers) { (client: Client) async throws in
            try await client.setLogLevel(.notice)
            _ = try await client.callTool("logs")
            let messages = await seen.wait(for: 2)
            let warning = LogMessage(level: .warning, logger: "own", data: ["a": 1])
            #expect(messages == [warning, LogMessage(level: .emergency, data: "last")])
        }
    }

    @Test func aNoticeThatNoJSONHasIsLeftOut() async throws {
        let app = Server(name: "context")
        app.tool("tells") { (cx: Context) in
            cx.progress(.infinity)
            cx.log(.error, .double(.nan))
            cx.progress(1)
            return "fine"
        }
        let seen = Record<Double>()
        try await withClient(.server(app)) { (client: Client) async throws in
            let result = try await client.callTool("tells", options: .init(onProgress: { await seen.add($0.progress) }))
            #expect(result.text == "fine")
            #expect(await seen.items == [1])
        }
    }
}
