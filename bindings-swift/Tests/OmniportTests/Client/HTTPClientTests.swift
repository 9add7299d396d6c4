import Foundation
import OmniportBoundary
import Testing

@testable import Omniport

@Suite(.timeLimit(.minutes(5))) struct HTTPClientTests {
    private func server() throws -> TestServer {
        let server = try TestServer()
        try server.tool("echo") { call in ["structuredContent": call.arguments] }
        return server
    }

    @Test(arguments: [ClientOptions.Era.legacy, .modern])
    func callsGoByHTTP(era: ClientOptions.Era) async throws {
        let server = try server()
        let url = try server.listen() + "/mcp"
        try await withClient(.url(url), options: .init(era: era)) { client in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        let arguments: JSONValue = ["n": .int(Int64(number))]
                        return try await client.callTool("echo", arguments).structuredContent == arguments
                    }
                }
                for try await isRight in group { #expect(isRight) }
            }
        }
    }

    /// F10: the first event of a stream is there before its end, on Linux, too.
    @Test func progressComesWhileTheCallRuns() async throws {
        let (server, heard) = (try server(), Record<Void>())
        try server.tool("waits") { call in
            try call.notice(["progress": 1])
            _ = await heard.wait(for: 1)
            return ["structuredContent": ["heard": true]]
        }
        let url = try server.listen() + "/mcp"
        try await withClient(.url(url)) { client in
            let result = try await client.callTool("waits", options: .init(onProgress: { _ in await heard.add(()) }))
            #expect(result.structuredContent == ["heard": true])
        }
    }

    /// F11: a server that speaks the older transport of two endpoints is found out.
    @Test func olderServersAreReached() async throws {
        let server = try server()
        let url = try server.listen(["sse_path": "/sse", "message_path": "/messages"]) + "/sse"
        try await withClient(.url(url)) { client in
            let result = try await client.callTool("echo", ["a": 1])
            #expect(result.structuredContent == ["a": 1])
            #expect(client.protocolVersion == "2025-11-25")
        }
    }

    @Test func anAppGoesToTheBackgroundAndComesBack() async throws {
        let server = try server()
        let client = Client(.url(try server.listen() + "/mcp"))
        for _ in 0..<3 {
            #expect(try await client.callTool("echo", ["a": 1]).structuredContent == ["a": 1])
            await client.suspend()
            try await client.resume()
        }
        await client.close()
    }

    @Test func headersAreSent() async throws {
        let server = try server()
        try server.tool("headers") { call in
            let context = try JSONValue(parsing: call.server.engine.context(token: call.token))
            return ["structuredContent": ["all": context]]
        }
        let url = try server.listen() + "/mcp"
        try await withClient(.url(url), options: .init(headers: ["X-One": "1", "X-Two": "2"])) { client in
            let result = try await client.callTool("headers", options: .init(headers: ["X-Two": "two"]))
            let text = "\(result.structuredContent ?? .null)"
            #expect(text.contains(#""x-one":"1""#) && text.contains(#""x-two":"two""#))
        }
    }

    /// R05: a server that went away for good is no reason to wait for ever.
    @Test func aServerThatGoesAwayFailsItsCalls() async throws {
        let server = try server()
        let url = try server.listen() + "/mcp"
        let client = Client(.url(url), options: .init(timeout: .seconds(5), recover: false))
        try await client.connect()
        server.engine.close(grace: 0)
        await #expect(throws: OmniportError.self) { while true { try await client.ping() } }
        await client.close()
    }
}
