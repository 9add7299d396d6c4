import Foundation
import Testing

@testable import Omniport

@Suite(.timeLimit(.minutes(5))) struct CancellationTests {
    @Test func aCancelledCallEndsAtOnceAndTheServerHearsOfIt() async throws {
        let (server, began) = (try TestServer(), Record<UInt64>())
        try server.tool("hangs") { call in
            await began.add(call.token)
            await call.cancelled()
            await began.add(0)
            return [:]
        }
        try await withClient(server.target) { client in
            let call = Task { try await client.callTool("hangs") }
            _ = await began.wait(for: 1)
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            _ = await began.wait(for: 2)
        }
    }

    @Test func nothingIsSentForATaskThatIsCancelledAlready() async throws {
        let (server, calls) = (try TestServer(), Record<Void>())
        try server.tool("counts") { _ in
            await calls.add(())
            return [:]
        }
        try await withClient(server.target) { client in
            let call = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                _ = try await client.callTool("counts")
            }
            await #expect(throws: CancellationError.self) { try await call.value }
            _ = try await client.callTool("counts")
            #expect(await calls.items.count == 1)
        }
    }

    /// F04: an answer, a cancellation and the end of the connection meet; each call has exactly one outcome, and nothing stays behind.
    @Test func eachCallHasOneOutcome() async throws {
        let server = try TestServer()
        try server.tool("quick") { _ in ["structuredContent": ["ok": true]] }
        let client = Client(server.target)
        try await client.connect()
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<1000 {
                group.addTask {
                    let call = Task { try await client.callTool("quick") }
                    for _ in 0..<(number % 40) { await Task.yield() }
                    call.cancel()
                    switch await call.result {
                    case .success: return true
                    case .failure(let error):
                        #expect(error is CancellationError)
                        return false
                    }
                }
            }
            return await group.reduce(into: 0) { count, _ in count += 1 }
        }
        #expect(outcomes == 1000)
        try await client.ping()
        // The engine says of each call that was taken back that it is over; then nothing is left of it.
        await eventually { client.calls == 0 }
        await client.close()
    }

    /// F04: the connection ends while calls are under way.
    @Test func theEndOfTheConnectionAnswersEveryCall() async throws {
        let (server, began) = (try TestServer(), Record<Void>())
        try server.tool("hangs") { _ in
            await began.add(())
            try await Task.sleep(for: .seconds(3600))
            return [:]
        }
        let client = Client(server.target)
        let calls = (0..<50).map { _ in Task { try await client.callTool("hangs") } }
        _ = await began.wait(for: 50)
        await client.close()
        for call in calls {
            await #expect {
                try await call.value
            } throws: { error in
                if case OmniportError.closed? = error as? OmniportError { true } else { false }
            }
        }
    }

    /// F04: answers, failures and cancellations come at the very moment at which the connection ends.
    @Test func callsThatMeetTheEndHaveOneOutcome() async throws {
        let server = try TestServer()
        try server.tool("quick") { _ in ["structuredContent": ["ok": true]] }
        try server.tool("hangs") { call in
            await call.cancelled()
            return [:]
        }
        for round in 0..<50 {
            let client = Client(server.target)
            try await client.connect()
            let calls = (0..<20).map { number in
                Task { try await client.callTool(number.isMultiple(of: 2) ? "quick" : "hangs") }
            }
            let closing = Task {
                for _ in 0..<round { await Task.yield() }
                await client.close()
            }
            for call in calls.prefix(round % 20) { call.cancel() }
            for call in calls {
                switch await call.result {
                case .success(let result): #expect(result.structuredContent == ["ok": true])
                case .failure(let error): #expect(error is CancellationError || (error as? OmniportError)?.kind == "closed", "\(error)")
                }
            }
            await closing.value
            await eventually { client.calls == 0 }
        }
    }

    @Test func whoGivesUpWaitingTakesNothingFromOthers() async throws {
        let server = try TestServer()
        let client = Client(server.target)
        let impatient = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await client.connect()
        }
        await #expect(throws: CancellationError.self) { try await impatient.value }
        try await client.connect()
        #expect(client.state == .ready)
        await client.close()
    }

    @Test func aCallThatWasStartedCanBeTakenBack() async throws {
        let (server, began) = (try TestServer(), Record<Void>())
        try server.tool("hangs") { call in
            await began.add(())
            await call.cancelled()
            return [:]
        }
        try await withClient(server.target) { (client: Client) async throws in
            let call = client.startTool("hangs")
            _ = await began.wait(for: 1)
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            for await _ in call.progress {}
        }
    }
}
