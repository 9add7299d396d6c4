import Foundation
import Testing

@testable import Omniport

@Suite(.timeLimit(.minutes(5))) struct ClientTests {
    @Test func theServerIsKnownAfterTheCallThatConnected() async throws {
        let server = try TestServer()
        for _ in 0..<200 {
            let client = Client(server.target)
            try await client.ping()
            #expect(client.serverInfo?.name == "test" && client.state == .ready)
            await client.close()
        }
    }

    private struct Sum: Codable, Sendable {
        var a: Int
        var b: Int
    }

    private func server() throws -> TestServer {
        let server = try TestServer()
        try server.tool("add") { call in
            let sum = try call.arguments.decode(Sum.self)
            return ["structuredContent": ["result": .int(Int64(sum.a + sum.b))]]
        }
        try server.tool("echo") { call in ["structuredContent": ["got": call.arguments]] }
        try server.tool("fails") { _ in throw ToolError("no luck") }
        try server.tool("breaks") { _ in throw OmniportError.remote(.init("out of paper", code: -31999, data: ["tray": 2])) }
        try server.resource("note://a") { _ in ["contents": [["uri": "note://a", "text": "A"]]] }
        try server.template("note://{name}") { call in
            ["contents": [["uri": call.arguments["uri"] ?? "", "text": call.arguments["variables"]?["name"] ?? ""]]]
        }
        try server.prompt("greet", arguments: ["name"]) { call in
            ["messages": [["role": "user", "content": ["type": "text", "text": .string("Hello \(call.arguments["name"]?.stringValue ?? "?")")]]]]
        }
        try server.completion(["prompt": "greet"], "name") { call in
            ["values": [.string((call.arguments["value"]?.stringValue ?? "") + "da")], "total": 1]
        }
        return server
    }

    @Test func itSaysWhoIsThere() async throws {
        let server = try server()
        try await withClient(server.target) { client in
            #expect(client.serverInfo?.name == "test" && client.serverInfo?.version == "1.2")
            #expect(client.serverCapabilities?.tools != nil)
            #expect(client.instructions == "Ask away.")
            #expect(client.protocolVersion == "2026-07-28")
            #expect(client.state == .ready && client.cause == nil)
        }
    }

    @Test func eachRequestHasItsResult() async throws {
        let server = try server()
        try await withClient(server.target) { client in
            let result = try await client.callTool("add", ["a": 1, "b": 2])
            #expect(result.structuredContent == ["result": 3] && result.isError != true)
            #expect(try await client.callTool("add", arguments: Sum(a: 20, b: 22), as: Int.self) == 42)
            #expect(try await client.callTool("echo", arguments: Sum(a: 1, b: 2)).structuredContent?["got"] == ["a": 1, "b": 2])
            #expect(try await client.listTools().map(\.name) == ["add", "echo", "fails", "breaks"])
            #expect(try await client.listResources().map(\.uri) == ["note://a"])
            #expect(try await client.listResourceTemplates().map(\.uriTemplate) == ["note://{name}"])
            #expect(try await client.listPrompts().map(\.name) == ["greet"])
            #expect(try await client.listResourcesPage().resources.map(\.uri) == ["note://a"])
            #expect(try await client.listResourceTemplatesPage().resourceTemplates.map(\.uriTemplate) == ["note://{name}"])
            #expect(try await client.listPromptsPage().prompts.map(\.name) == ["greet"])
            guard case .text(let contents)? = try await client.readResource("note://b").contents.first else {
                Issue.record("the resource has no text")
                return
            }
            #expect(contents.text == "b" && contents.uri == "note://b")
            let prompt = try await client.getPrompt("greet", ["name": "Ada"])
            #expect(prompt.messages.count == 1)
            #expect(try await client.complete(.prompt("greet"), argument: "name", value: "A").values == ["Ada"])
            try await client.ping()
            let raw = try await client.request("call_tool", ["name": "add", "arguments": ["a": 1, "b": 1]])
            #expect(raw["structuredContent"] == ["result": 2])
        }
    }

    @Test func integersOf64BitsAreExact() async throws {
        let server = try server()
        try await withClient(server.target) { client in
            let arguments: JSONValue = ["low": .int(.min), "high": .unsigned(.max), "odd": 9_007_199_254_740_993]
            let result = try await client.callTool("echo", arguments)
            #expect(result.structuredContent?["got"] == arguments)
        }
    }

    @Test func failuresHaveEveryFact() async throws {
        let server = try server()
        try await withClient(server.target) { client in
            let failed = try await client.callTool("fails")
            #expect(failed.isError == true && failed.text == "no luck")
            await #expect(throws: ToolError("no luck")) { try await client.callTool("fails", arguments: [String: Int](), as: Int.self) }
            await #expect {
                try await client.callTool("breaks")
            } throws: { error in
                guard case OmniportError.remote(let facts)? = error as? OmniportError else { return false }
                return facts.code == -31999 && facts.message == "out of paper" && facts.data == ["tray": 2]
            }
            await #expect {
                try await client.callTool("add", options: .init(timeout: .zero))
            } throws: { error in
                if case OmniportError.definition? = error as? OmniportError { true } else { false }
            }
            await #expect {
                try await client.request("juggle")
            } throws: { error in
                if case OmniportError.definition? = error as? OmniportError { true } else { false }
            }
        }
    }

    @Test func whatCannotBeReachedSaysWhy() async throws {
        for target in ["not a url", .url("http://127.0.0.1:1/mcp"), .config(file: "/nowhere/at.all")] as [ClientTarget] {
            let client = Client(target)
            await #expect(throws: OmniportError.self) { try await client.connect() }
            #expect(client.state == .failed && client.cause != nil)
            await client.close()
        }
        let wrong = Client("http://127.0.0.1:1/mcp", options: .init(limits: ["elephants": 1]))
        await #expect(throws: OmniportError.self) { try await wrong.connect() }
    }

    @Test func listsAreAskedForPageByPage() async throws {
        let server = try TestServer(["page_size": 10])
        for place in 0..<35 { try server.tool("t\(place)") { _ in [:] } }
        try await withClient(server.target) { client in
            let page = try await client.listToolsPage()
            #expect(page.tools.count == 10)
            #expect(try await client.listToolsPage(cursor: page.nextCursor).tools.first?.name == "t10")
            var names: [String] = []
            for try await tool in client.tools { names.append(tool.name) }
            #expect(names == (0..<35).map { "t\($0)" })
            #expect(try await client.listTools().count == 35)
        }
    }

    @Test func theFirstCallConnects() async throws {
        let server = try server()
        let client = Client(server.target)
        #expect(client.state == .closed && client.serverInfo == nil)
        let sums = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<100 {
                group.addTask { try await client.callTool("add", arguments: Sum(a: number, b: 1), as: Int.self) }
            }
            return try await group.reduce(0, +)
        }
        #expect(sums == 5050)
        await client.close()
    }
}
