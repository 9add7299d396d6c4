#if !os(iOS)
    import Foundation
    import Testing

    @testable import Omniport

    /// Server processes that die, that are started anew, and clients that are closed meanwhile.
    @Suite(.timeLimit(.minutes(5)), .enabled(if: Program.areHere)) struct RecoveryTests {
        private let final = ClientOptions(era: .legacy, recover: false)
        private let unsafe = CallOptions(safe: false)

        @Test func whyAProcessDiedIsAFactOfTheError() async throws {
            let states = Record<ClientState>()
            let client = Raw.client(.init(state: { state, _ in await states.add(state) }), final)
            try await client.connect()
            let error = await failure { try await client.callTool("die", options: unsafe) }
            #expect(error?.context["exit"] == "7")
            #expect(error?.context["stderr"]?.contains("no more") == true)
            #expect(await states.wait(for: 2) == [.ready, .failed])
            #expect(client.state == .failed && client.cause?.contains("7") == true)
            await client.close()
        }

        /// Y25: a server that died is not used again; its user has to connect anew.
        @Test func aServerThatDiedIsNotUsedAgain() async throws {
            let client = Raw.client(.init(), final)
            #expect(await failure { try await client.callTool("die", options: unsafe) } != nil)
            #expect(await failure { try await client.ping() }?.kind == "closed")
            try await client.connect()
            #expect(try await client.callTool("good").text == "done")
            await client.close()
        }

        @Test func aDeadProcessIsStartedAnew() async throws {
            let states = Record<ClientState>()
            try await Raw.with(.init(state: { state, _ in await states.add(state) })) { client in
                let first = try await client.callTool("pid").text
                #expect(await failure { try await client.callTool("die", options: unsafe) } != nil)
                #expect(await states.wait(for: 3).suffix(2) == [.recovering, .ready])
                let second = try await client.callTool("pid").text
                #expect(first != second)
            }
        }

        /// A call that may be sent again is, after the process was started anew.
        @Test func aSafeCallOutlivesTheProcess() async throws {
            let began = Record<JSONValue>()
            try await Raw.with(.init(log: { await began.add($0.data) })) { client in
                try await client.setLogLevel(.debug)
                let listing = Task { try await client.callTool("never", options: .init(timeout: .seconds(600), safe: true)) }
                #expect(await began.wait(for: 1) == ["waiting"])
                _ = await failure { try await client.callTool("die", options: unsafe) }
                #expect(await began.wait(for: 2) == ["waiting", "waiting"])
                listing.cancel()
                await #expect(throws: CancellationError.self) { try await listing.value }
            }
        }

        @Test func anIterationOverChangesThrowsWhenTheConnectionIsLost() async throws {
            let client = Raw.client(.init(), final)
            try await client.connect()
            let changes = Task { for try await _ in client.changes() {} }
            await eventually { !client.life.feeds.all.isEmpty }
            _ = await failure { try await client.callTool("die", options: unsafe) }
            await #expect { try await changes.value } throws: { ($0 as? OmniportError)?.kind == "closed" }
            await client.close()
        }

        /// C10: closed while it connects, whoever waits learns of it.
        @Test func aClientMayBeClosedWhileItConnects() async throws {
            let client = Raw.client()
            let connecting = Task { try await client.connect() }
            let call = Task { try await client.callTool("never") }
            await eventually { client.life.connection != nil }
            await client.close()
            await #expect { try await call.value } throws: { ($0 as? OmniportError)?.kind == "closed" }
            _ = await connecting.result
            await client.close()
            try await client.connect()
            try await client.ping()
            await client.close()
        }

        @Test func aClientThatWasNeverOpenedClosesAllTheSame() async throws {
            let client = Raw.client()
            await client.close()
            #expect(await failure { try await client.ping() }?.kind == "closed")
            #expect(client.state == .closed)
        }

        @Test func connectingTwiceIsOneConnection() async throws {
            let client = Raw.client()
            async let first: Void = client.connect()
            async let second: Void = client.connect()
            _ = try await (first, second)
            let pid = try await client.callTool("pid").text
            try await client.connect()
            #expect(try await client.callTool("pid").text == pid)
            await client.close()
        }

        /// C06: an opening that failed says why, to calls as well, and can be repeated.
        @Test func aFailedOpeningCanBeRepeated() async throws {
            let place = FileManager.default.temporaryDirectory.appending(path: "omniport-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: place) }
            let client = Client(.command(["/bin/sh", place.path]), options: .init(era: .legacy, limits: ["recover_tries": 0]))
            #expect(await failure { try await client.connect() }?.context["exit"] != nil)
            #expect(await failure { try await client.ping() }?.context["exit"] != nil)
            try "exec '\(Program.path("RawServer"))'\n".write(to: place, atomically: true, encoding: .utf8)
            #expect(try await client.callTool("good").text == "done")
            await client.close()
        }

        /// C03: a program that ends with open clients leaves no server process behind, whatever that makes of its end.
        @Test(arguments: ["pid", "stay"]) func aProgramThatEndsLeavesNoProcess(tool: String) async throws {
            let child = try Child("Leaves", Program.path("RawServer"), tool)
            let numbers = await child.output.rest().compactMap { pid_t($0) }
            let end = await child.end()
            #expect(end == (.exit, 0))
            #expect(numbers.count == 2)
            for number in numbers { #expect(!Child.isAlive(number)) }
        }

        @Test func aHandlerMayCallAndCloseItsOwnClient() async throws {
            let (closed, holder) = (Latch(), Locked<Client?>(nil))
            let client = Raw.client(
                .init(log: { _ in
                    guard let client = holder.with({ $0 }) else { return }
                    try? await client.ping()
                    await client.close()
                    closed.open()
                }))
            holder.with { $0 = client }
            _ = try? await client.callTool("flood", ["count": 1])
            await closed.wait()
            #expect(client.state == .closed)
            holder.with { $0 = nil }
        }

        @Test func linesOfStderrAndChangedRootsAreTold() async throws {
            let (lines, heard) = (Record<String>(), Record<JSONValue>())
            let handlers = ClientHandlers(
                roots: { [Root(uri: "file:///a")] }, log: { await heard.add($0.data) }, stderr: { await lines.add($0) })
            try await Raw.with(handlers) { client in
                _ = try await client.callTool("mutter", ["line": "hm"])
                try await client.rootsChanged()
                #expect(await heard.wait(for: 1) == ["roots changed"])
                #expect(await lines.wait(for: 1) == ["hm"])
            }
        }
    }
#endif
