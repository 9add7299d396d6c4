#if !os(iOS)
    import Foundation
    import Testing

    @testable import Omniport

    /// Servers on their stdin and stdout, as processes of their own.
    @Suite(.timeLimit(.minutes(5)), .enabled(if: Program.areHere)) struct StdioTests {
        private func begun(_ arguments: String = "5") async throws -> Child {
            let child = try Child("StdioServer", arguments)
            try await child.begin()
            return child
        }

        private func text(_ answer: JSONValue) -> String? { answer["result"]?["content"]?[0]?["text"]?.stringValue }

        /// F09: the smallest server runs until its client goes, and ends well then.
        @Test func aServerRunsUntilItsInputEnds() async throws {
            let child = try Child("Hello")
            try await child.begin()
            for id in 1...3 {
                try child.call("add", ["a": .int(Int64(id)), "b": 1], id: id)
                let answer = try await child.answer()
                #expect(answer["id"] == JSONValue(id) && text(answer) == "\(id + 1)")
                #expect(child.isRunning)
            }
            try child.endInput()
            let end = await child.end()
            #expect(end == (.exit, 0))
        }

        /// F09: what else writes to stdout, before or meanwhile, goes to stderr, as the log does.
        @Test func stdoutHasTheProtocolAlone() async throws {
            let child = try await begun()
            try child.call("print", id: 1)
            #expect(text(try await child.answer()) == "ok")
            try child.call("faulty", id: 2)
            #expect(try await child.answer()["result"]?["isError"] == true)
            try child.call("stray", id: 3)
            #expect(text(try await child.answer()) == "ok")
            try child.endInput()
            let end = await child.end()
            #expect(end == (.exit, 0))
            #expect(await child.output.rest() == [])
            let said = await child.errors.rest()
            for line in ["before", "printed", "written", "ended"] { #expect(said.contains(line), "\(line) of \(said)") }
            #expect(said.contains { $0.hasPrefix("omniport: error: tool `faulty` failed: ") })
        }

        /// A log that nobody can take any more is lost, and nothing else with it.
        @Test func aBrokenStderrEndsNothing() async throws {
            let child = try await begun()
            try child.errors.close()
            for id in 1...3 {
                try child.call("faulty", id: id)
                #expect(try await child.answer()["result"]?["isError"] == true)
            }
            try child.endInput()
            let end = await child.end()
            #expect(end == (.exit, 0))
        }

        /// F01: what nobody takes off the pipe yet leaves whole, and in the order in which it was said.
        @Test func messagesThatWaitStayWhole() async throws {
            let child = try await begun()
            let counts = [300_000, 100, 300_000, 1]
            let arguments: JSONValue = ["counts": .array(counts.map { JSONValue($0) })]
            try child.send("tools/call", ["name": "tells", "arguments": arguments, "_meta": ["progressToken": "t"]], id: 1)
            #expect(await child.errors.next(with: "told") != nil)
            for (step, count) in counts.enumerated() {
                let told = try await child.answer()["params"]
                #expect(told?["progress"] == JSONValue(step + 1))
                #expect(told?["message"]?.stringValue == String(repeating: "x", count: count))
            }
            #expect(text(try await child.answer()) == "ok")
            try child.endInput()
            #expect(await child.end().status == 0)
        }

        /// F01: many handlers answer at once, and no answer gets into another one.
        @Test func concurrentAnswersStayWhole() async throws {
            let child = try await begun()
            let counts = (0..<60).map { $0.isMultiple(of: 3) ? 100_000 : $0 }
            for (id, count) in counts.enumerated() {
                try child.call("letters", ["letter": "x", "count": JSONValue(count)], id: id + 1)
            }
            var seen: Set<Int> = []
            for _ in counts {
                let answer = try await child.answer()
                let id = try #require(answer["id"]?.intValue)
                #expect(text(answer)?.count == counts[id - 1])
                seen.insert(id)
            }
            #expect(seen.count == counts.count)
            try child.endInput()
            #expect(await child.end().status == 0)
        }

        /// F02: a client that never reads holds up neither the handlers nor the end of the server.
        @Test func aClientThatNeverReadsHoldsNothingUp() async throws {
            let child = try await begun("0")
            for id in 1...4 {
                try child.call("letters", ["letter": "x", "count": 1_000_000], id: id)
                #expect(await child.errors.next(with: "letters") != nil)
            }
            child.signal(SIGTERM)
            #expect(await child.end().status == 0)
        }

        /// The input ends while calls run: they may end, and their answers still leave.
        @Test func callsThatRunAtTheEndOfTheInputAreAnswered() async throws {
            let child = try await begun()
            try child.call("slow", id: 1)
            #expect(await child.errors.next(with: "slow begins") != nil)
            try child.endInput()
            #expect(text(try await child.answer()) == "done")
            #expect(await child.end().status == 0)
        }

        @Test func aCallThatDoesNotEndIsCancelledAtTheEnd() async throws {
            let child = try await begun("0.1")
            try child.call("hangs", id: 1)
            #expect(await child.errors.next(with: "hangs") != nil)
            try child.endInput()
            #expect(await child.errors.next(with: "was cancelled") != nil)
            #expect(await child.end().status == 0)
        }

        @Test func stdinAndStdoutAreServedOnce() async throws {
            let child = try await begun()
            try child.call("again", id: 1)
            #expect(text(try await child.answer())?.contains("a server runs on stdin and stdout already") == true)
            try child.endInput()
            #expect(await child.end().status == 0)
        }

        /// Y13: requests without `params` are answered.
        @Test func requestsWithoutParamsAreAnswered() async throws {
            let child = try await begun()
            try child.send("ping", id: 14)
            #expect(try await child.answer() == ["jsonrpc": "2.0", "id": 14, "result": [:]])
            try child.send("tools/list", id: 15)
            #expect(try await child.answer()["result"]?["tools"]?.arrayValue?.isEmpty == false)
            try child.endInput()
            #expect(await child.end().status == 0)
        }

        /// F01, F04: the package's own client at the other end of the pipes, in both eras.
        @Test(arguments: [ClientOptions.Era.legacy, .modern])
        func theClientOfThePackageIsServed(era: ClientOptions.Era) async throws {
            let lines = Record<String>()
            let target = ClientTarget.command([Program.path("StdioServer"), "0"])
            try await withClient(target, options: .init(era: era), handlers: .init(stderr: { await lines.add($0) })) { client in
                let counts = [300_000, 1, 100_000, 0]
                let texts = try await withThrowingTaskGroup(of: Int.self) { group in
                    for count in counts {
                        group.addTask { try await client.callTool("letters", ["letter": "x", "count": JSONValue(count)]).text.count }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(texts.sorted() == counts.sorted())
                let begun = await lines.items.count
                let call = Task { try await client.callTool("hangs") }
                await eventually { await lines.items.dropFirst(begun).contains("hangs") }
                call.cancel()
                await #expect(throws: CancellationError.self) { try await call.value }
                await eventually { await lines.items.contains("was cancelled") }
                _ = try await client.listTools()
            }
        }

        // MARK: Signals

        @Test(arguments: [SIGINT, SIGTERM])
        func aSignalLetsRunningCallsEnd(number: Int32) async throws {
            let child = try await begun()
            try child.call("slow", id: 5)
            #expect(await child.errors.next(with: "slow begins") != nil)
            child.signal(number)
            let answer = try await child.answer()
            #expect(answer["id"] == 5 && text(answer) == "done")
            let end = await child.end()
            #expect(end == (.exit, 0))
            #expect(await child.errors.next(with: "ended") != nil)
        }

        /// Servers that run beside each other leave the signals as they were before the first of them, whichever ends first.
        @Test func signalsAreAsBeforeWhenAllServersHaveEnded() async throws {
            let child = try await begun()
            try child.call("beside", id: 1)
            #expect(await child.errors.next(with: "beside listens at") != nil)
            try child.endInput()
            #expect(await child.errors.next(with: "signals") == "signals end it")
            let end = await child.end()
            #expect(end == (.exit, 0))
        }

        @Test func aSecondSignalEndsTheProcessAtOnce() async throws {
            let child = try await begun("600")
            try child.call("stubborn", id: 5)
            #expect(await child.errors.next(with: "hangs") != nil)
            let end = Task { await child.end() }
            await eventually {
                child.signal(SIGTERM)
                return !child.isRunning
            }
            let ended = await end.value
            #expect(ended == (.uncaughtSignal, SIGTERM))
        }
    }
#endif
