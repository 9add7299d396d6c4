import Foundation
import Testing

@testable import Omniport

@Suite(.timeLimit(.minutes(5))) struct NotificationTests {
    private func steps(_ count: Int) throws -> TestServer {
        let server = try TestServer()
        try server.tool("steps") { call in
            for step in 1...count {
                try call.notice(["progress": .int(Int64(step)), "total": .int(Int64(count)), "message": .string("step \(step)")])
            }
            return ["structuredContent": ["done": true]]
        }
        return server
    }

    /// X03: all progress is there, in order, before the call returns, also where its handler takes its time.
    @Test func progressComesBeforeTheResult() async throws {
        let server = try steps(20)
        try await withClient(server.target) { client in
            for _ in 0..<50 {
                let seen = Record<Double>()
                _ = try await client.callTool(
                    "steps",
                    options: .init(onProgress: { step in
                        await Task.yield()
                        await seen.add(step.progress)
                    }))
                #expect(await seen.items == (1...20).map(Double.init))
            }
        }
    }

    /// X03: the answer to a call that a handler makes does not wait for that very handler.
    @Test func aHandlerOfProgressMayCall() async throws {
        let (server, seen, held) = (try steps(2), Record<Double>(), Locked<Client?>(nil))
        let client = Client(server.target, handlers: .init(progress: { step in
            await seen.add(step.progress)
            guard let client = held.with({ $0 }), await seen.items.count == 1 else { return }
            _ = try? await client.callTool("steps")
        }))
        held.with { $0 = client }
        _ = try await client.callTool("steps")
        #expect(await seen.items.sorted() == [1, 1, 2, 2])
        held.with { $0 = nil }
        await client.close()
    }

    @Test func progressWithoutAHandlerOfItsOwnReachesThatOfTheClient() async throws {
        let (server, seen) = (try steps(3), Record<CallProgress>())
        try await withClient(server.target, handlers: .init(progress: { await seen.add($0) })) { client in
            _ = try await client.callTool("steps")
            #expect(await seen.items.map(\.message) == ["step 1", "step 2", "step 3"])
            _ = try await client.callTool("steps", options: .init(onProgress: { _ in }))
            #expect(await seen.items.count == 3)
        }
    }

    @Test func progressCanBeIteratedOver() async throws {
        let server = try steps(5)
        try await withClient(server.target) { client in
            let call = client.startTool("steps")
            var seen: [Double] = []
            for await step in call.progress { seen.append(step.progress) }
            #expect(seen == [1, 2, 3, 4, 5])
            let result = try await call.value
            #expect(result.structuredContent == ["done": true])
        }
    }

    /// A failure waits for no handler: one that hangs would hide the time limit of its own call.
    @Test func aTimeLimitIsHeardBehindAHandlerThatHangs() async throws {
        let server = try TestServer()
        try server.tool("hangs") { call in
            try call.notice(["progress": 1])
            try await Task.sleep(for: .seconds(3600))
            return [:]
        }
        try await withClient(server.target) { client in
            await #expect {
                try await client.callTool(
                    "hangs",
                    options: .init(timeout: .milliseconds(100), onProgress: { _ in try? await Task.sleep(for: .seconds(3600)) }))
            } throws: { error in
                if case OmniportError.timeout? = error as? OmniportError { true } else { false }
            }
        }
    }

    @Test func logMessagesGoWhereTheyBelong() async throws {
        let (server, ofClient, ofCall) = (try TestServer(), Record<LogMessage>(), Record<LogMessage>())
        try server.tool("logs") { call in
            try call.notice(["level": "warning", "data": ["disk": "full"], "logger": "io"])
            // An answer overtakes log messages, and whose they are is known while their call runs.
            if call.arguments["wait"] == true { _ = await ofCall.wait(for: 1) }
            return [:]
        }
        try await withClient(server.target, handlers: .init(log: { await ofClient.add($0) })) { client in
            try await client.setLogLevel(.debug)
            _ = try await client.callTool("logs")
            let message = await ofClient.wait(for: 1)[0]
            #expect(message.level == .warning && message.data == ["disk": "full"] && message.logger == "io")
        }
        // By HTTP a message comes on the stream of its call, and so says which call it is of.
        let url = try server.listen() + "/mcp"
        try await withClient(.url(url), handlers: .init(log: { await ofClient.add($0) })) { client in
            try await client.setLogLevel(.debug)
            _ = try await client.callTool("logs", ["wait": true], options: .init(onLog: { await ofCall.add($0) }))
            #expect(await ofCall.items.count == 1)
            #expect(await ofClient.items.count == 1)
        }
    }

    @Test func statesAreToldInOrder() async throws {
        let (server, states) = (try TestServer(), Record<ClientState>())
        let client = Client(server.target, handlers: .init(state: { state, _ in await states.add(state) }))
        try await client.connect()
        await client.close()
        #expect(await states.wait(for: 2).suffix(2) == [.ready, .closed])
    }

    @Test func changesAreToldAndIteratedOver() async throws {
        let (server, told) = (try TestServer(), Record<Change>())
        try server.tool("old") { _ in [:] }
        try server.resource("note://a") { _ in ["contents": [["uri": "note://a", "text": "A"]]] }
        try await withClient(server.target, handlers: .init(change: { await told.add($0) })) { client in
            let both = Task {
                var kinds: Set<Change.Kind> = []
                for try await change in client.changes(uris: ["note://a"]) {
                    kinds.insert(change.kind)
                    if kinds.count == 2 { break }
                }
                return kinds
            }
            let tools = Task {
                var changes = client.changes(resources: false, prompts: false).makeAsyncIterator()
                return try await changes.next()
            }
            await client.standing(2)
            _ = try await client.listTools()
            try server.tool("new") { _ in [:] }
            server.engine.resourceUpdated(uri: "note://a")
            #expect(try await tools.value == Change(kind: .tools, added: ["new"], removed: [], changed: []))
            #expect(try await both.value == [.tools, .resource])
            #expect(Set(await told.wait(for: 2).map(\.kind)) == [.tools, .resource])
        }
    }

    @Test func changesEndWithTheClient() async throws {
        let server = try TestServer()
        let client = Client(server.target)
        try await client.connect()
        let changes = Task {
            for try await _ in client.changes() {}
            return true
        }
        await client.standing(1)
        await client.close()
        #expect(try await changes.value)
    }

    @Test func twoChangesOfAListAreOne() {
        let first = Change(kind: .tools, added: ["a", "b"], removed: ["c", "d"], changed: ["e"])
        let then = Change(kind: .tools, added: ["c"], removed: ["a", "e"], changed: ["b"])
        let both = first.followed(by: then)
        #expect(both == Change(kind: .tools, added: ["b"], removed: ["d", "e"], changed: ["c"]))
    }
}
