import Foundation
import Testing

@testable import Omniport

/// Servers over HTTP that do what no good server does.
@Suite(.timeLimit(.minutes(5))) struct WebTests {
    private let legacy = ClientOptions(era: .legacy, limits: ["recover_tries": 0])
    private let unsafe = CallOptions(safe: false)

    @Test func answersAreJSONOrEvents() async throws {
        let web = try Web.legacy { name, request, connection in
            let text = "\(name) \(request.headers["x-all"] ?? "") \(request.headers["x-one"] ?? "")"
            if name == "json" { return Web.result(request, text, to: connection) }
            let event = "data: \(Web.reply(request, ["content": [["type": "text", "text": .string(text)]]]))\n\n"
            Web.give(200, "text/event-stream", event, to: connection)
            return true
        }
        var options = legacy
        options.headers = ["x-all": "a"]
        try await withClient(.url(web.url), options: options) { (client: Client) async throws in
            #expect(try await client.callTool("json").text == "json a ")
            #expect(try await client.callTool("events", options: .init(headers: ["x-one": "b"])).text == "events a b")
        }
    }

    /// H14: bodies of errors, wrong types and cut answers are errors of their calls, and no more.
    @Test func oddAnswersAreErrorsOfTheirCalls() async throws {
        let web = try Web.legacy { name, request, connection in
            switch name {
            case "fails": Web.give(500, "text/html", "<h1>Oh no</h1>", to: connection)
            case "html": Web.give(200, "text/html", "<h1>Hello</h1>", to: connection)
            case "cut":
                Web.write("HTTP/1.1 200 X\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{\"json", to: connection)
                return false
            default: return Web.result(request, "fine", to: connection)
            }
            return true
        }
        try await withClient(.url(web.url), options: legacy) { (client: Client) async throws in
            let failed = await failure { try await client.callTool("fails", options: unsafe) }
            #expect(failed?.context["status"] == "500")
            #expect(await failure { try await client.callTool("html", options: unsafe) } != nil)
            #expect(await failure { try await client.callTool("cut", options: unsafe) } != nil)
            #expect(try await client.callTool("fine").text == "fine")
        }
    }

    /// A server that hangs is given up by time and by cancellation, and its connection is closed.
    @Test func aServerThatHangsIsGivenUp() async throws {
        let (came, closed) = (Record<Void>(), Record<Void>())
        let web = try Web.legacy { name, request, connection in
            if name == "fine" { return Web.result(request, "fine", to: connection) }
            Task { await came.add(()) }
            var byte: UInt8 = 0
            while recv(connection, &byte, 1, 0) > 0 {}
            Task { await closed.add(()) }
            return false
        }
        try await withClient(.url(web.url), options: legacy) { (client: Client) async throws in
            let late = await failure { try await client.callTool("hangs", options: .init(timeout: .milliseconds(50))) }
            #expect(late?.kind == "timeout")
            let call = Task { try await client.callTool("hangs") }
            _ = await came.wait(for: 2)
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            _ = await closed.wait(for: 2)
            #expect(try await client.callTool("fine").text == "fine")
        }
    }

    /// T06: pages that lead round in circles end the iteration.
    @Test func pagesThatLeadInCirclesEndTheIteration() async throws {
        let web = try Web.legacy { _, request, connection in
            let result: JSONValue = ["tools": [["name": "t", "inputSchema": ["type": "object"]]], "nextCursor": "again"]
            Web.give(200, "application/json", Web.reply(request, result), to: connection)
            return true
        }
        try await withClient(.url(web.url), options: legacy) { (client: Client) async throws in
            var count = 0
            let error = await failure { for try await _ in client.tools { count += 1 } }
            #expect(error?.message.contains("circles") == true)
            #expect(count == 2)
            #expect(await failure { try await client.listTools() }?.message.contains("circles") == true)
        }
    }

    /// F10: the first event of an answer is there while the rest is still to come.
    @Test func eventsAreReadAsTheyCome() async throws {
        let heard = DispatchSemaphore(value: 0)
        let web = try Web.legacy { _, request, connection in
            Web.write("HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n", to: connection)
            let token = request.body["params"]?["_meta"]?["progressToken"] ?? .null
            let progress: JSONValue = [
                "jsonrpc": "2.0", "method": "notifications/progress", "params": ["progressToken": token, "progress": 1],
            ]
            Web.write("data: \(progress)\n\n", to: connection)
            heard.wait()
            Web.write("data: \(Web.reply(request, ["content": []]))\n\n", to: connection)
            return false
        }
        try await withClient(.url(web.url), options: legacy) { (client: Client) async throws in
            let result = try await client.callTool("slow", options: .init(onProgress: { _ in heard.signal() }))
            #expect(result.content == [])
        }
    }

    @Test func nobodyIsThere() async throws {
        let client = Client("http://127.0.0.1:1/mcp", options: legacy)
        #expect(await failure { try await client.connect() } != nil)
        #expect(await failure { try await client.ping() } != nil)
        await client.close()
    }
}
