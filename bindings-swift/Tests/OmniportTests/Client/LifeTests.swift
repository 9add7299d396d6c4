import Foundation
import Testing

@testable import Omniport

@Suite(.timeLimit(.minutes(5))) struct LifeTests {
    private func server() throws -> TestServer {
        let server = try TestServer()
        try server.tool("echo") { call in ["structuredContent": call.arguments] }
        try server.resource("note://a") { _ in ["contents": [["uri": "note://a", "text": "A"]]] }
        return server
    }

    /// Y25: a client that was closed can be opened again.
    @Test func itIsOpenedAgain() async throws {
        let server = try server()
        let client = Client(server.target)
        for _ in 0..<3 {
            try await client.connect()
            try await client.connect()
            _ = try await client.callTool("echo")
            await client.close()
            await client.close()
            #expect(client.state == .closed)
            await #expect {
                try await client.ping()
            } throws: { error in
                (error as? OmniportError)?.message == "the client was closed: connect() opens it again"
            }
        }
    }

    @Test func callsOfASuspendedClientWaitUntilItIsResumed() async throws {
        let (server, states) = (try server(), Record<ClientState>())
        let client = Client(server.target, handlers: .init(state: { state, _ in await states.add(state) }))
        try await client.connect()
        await client.suspend()
        #expect(client.state == .suspended)
        let call = Task { try await client.callTool("echo", ["a": 1]) }
        let impatient = Task { try await client.callTool("echo", ["a": 1]) }
        impatient.cancel()
        await #expect(throws: CancellationError.self) { try await impatient.value }
        #expect(client.life.connection?.isOver == true)
        try await client.resume()
        #expect(client.state == .ready)
        #expect(try await call.value.structuredContent == ["a": 1])
        await client.suspend()
        await client.suspend()
        try await client.connect()
        _ = try await client.callTool("echo")
        await client.close()
        #expect(await states.wait(for: 6) == [.ready, .suspended, .ready, .suspended, .ready, .closed])
    }

    @Test func callsUnderWayFailSoThatTheyCanBeRetried() async throws {
        let (server, began) = (try server(), Record<Void>())
        try server.tool("hangs") { _ in
            await began.add(())
            try await Task.sleep(for: .seconds(3600))
            return [:]
        }
        let client = Client(server.target)
        let call = Task { try await client.callTool("hangs") }
        _ = await began.wait(for: 1)
        await client.suspend()
        await #expect {
            try await call.value
        } throws: { error in
            guard case OmniportError.closed(let facts)? = error as? OmniportError else { return false }
            return facts.retry
        }
        await client.close()
    }

    /// What cannot be resumed is not suspended any more: its calls fail and try again, and do not wait for ever.
    @Test func callsDoNotWaitForAResumeThatFailed() async throws {
        let (server, isBroken) = (try server(), Locked(false))
        let client = Client(.engine(name: "test") {
            if isBroken.with({ $0 }) { throw OmniportError.definition("broken") }
            return server.engine
        })
        try await client.connect()
        await client.suspend()
        let waiting = Task { try await client.ping() }
        isBroken.with { $0 = true }
        await #expect(throws: OmniportError.self) { try await client.resume() }
        await #expect(throws: OmniportError.self) { try await waiting.value }
        await #expect(throws: OmniportError.self) { try await client.ping() }
        isBroken.with { $0 = false }
        try await client.connect()
        #expect(client.state == .ready)
        _ = try await client.callTool("echo")
        await client.close()
    }

    @Test func aSuspendedClientThatIsClosedLetsItsCallsGo() async throws {
        let client = Client(try server().target)
        try await client.connect()
        await client.suspend()
        let call = Task { try await client.ping() }
        let changes = Task { for try await _ in client.changes() {} }
        await client.close()
        await #expect(throws: OmniportError.self) { try await call.value }
        _ = await changes.result
        #expect(client.state == .closed)
    }

    @Test func subscriptionsAreRenewed() async throws {
        let (server, told) = (try server(), Record<Change>())
        let client = Client(server.target, handlers: .init(change: { await told.add($0) }))
        try await client.subscribe("note://a")
        let seen = Record<Change.Kind>()
        let changes = Task {
            for try await change in client.changes(tools: false, resources: false, prompts: false, uris: ["note://a"]) {
                await seen.add(change.kind)
            }
        }
        await client.standing(1)
        server.engine.resourceUpdated(uri: "note://a")
        #expect(await seen.wait(for: 1) == [.resource])
        #expect(await told.wait(for: 1).last?.uri == "note://a")
        await client.suspend()
        try await client.resume()
        #expect(await seen.wait(for: 2).last == .missed)
        await client.standing(1)
        let before = await told.items.count
        server.engine.resourceUpdated(uri: "note://a")
        #expect(await seen.wait(for: 3).last == .resource)
        #expect(await told.wait(for: before + 1).last?.uri == "note://a")
        await client.close()
        try await changes.value
    }

    @Test func aClientThatNobodyRefersToIsClosed() async throws {
        let server = try server()
        var client: Client? = Client(server.target)
        try await client?.connect()
        weak var connection = client?.life.connection
        #expect(connection != nil)
        client = nil
        await eventually { connection == nil }  // what opened it may still be on its way out
    }

    /// F12: a main actor that awaits calls, whose handlers hop to it, blocks nobody.
    @MainActor @Test func theMainActorCanWait() async throws {
        let server = try server()
        try server.tool("main") { call in
            let answer = try await call.ask(["roots": [:]])
            return await MainActor.run { ["structuredContent": answer] }
        }
        let handlers = ClientHandlers(roots: { await MainActor.run { [Root(uri: "file:///main")] } })
        try await withClient(server.target, handlers: handlers) { client in
            let calls = (0..<100).map { _ in Task { @MainActor in try await client.callTool("main") } }
            for call in calls {
                let result = try await call.value
                #expect(result.structuredContent?["result"]?["roots"] == [["uri": "file:///main"]])
            }
        }
    }
}
