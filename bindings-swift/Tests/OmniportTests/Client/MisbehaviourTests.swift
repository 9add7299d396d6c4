#if !os(iOS)
    import Foundation
    import Testing

    @testable import Omniport

    /// What servers do that no good one does: nothing of it may lose an answer or keep anybody waiting.
    @Suite(.timeLimit(.minutes(5)), .enabled(if: Program.areHere)) struct MisbehaviourTests {
        @Test func theServerSaysWhoItIs() async throws {
            let client = Raw.client()
            #expect(client.serverInfo == nil && client.protocolVersion == nil && client.state == .closed)
            try await client.connect()
            #expect(client.serverInfo?.name == "raw" && client.protocolVersion == "2025-11-25" && client.instructions == "Be kind.")
            #expect(client.serverCapabilities?.experimental == ["x": ["y": 1]])
            await client.close()
        }

        /// F06, T06: a tool without a name is nobody's; one without `inputSchema` takes any arguments. What is odd about the others loses
        /// nothing but itself.
        @Test func aListingIsAllPagesWithoutWhatCannotBeUsed() async throws {
            try await Raw.with { client in
                let tools = try await client.listTools()
                #expect(tools.map(\.name) == ["good", "schemaless", "odd", "last"])
                #expect(tools[1].inputSchema == ["type": "object"] && tools[2].title == nil)
                let page = try await client.listToolsPage(cursor: "b")
                #expect(page.tools.map(\.name) == ["odd"] && page.nextCursor == "c")
            }
        }

        @Test func aListingIsAskedForNoFurtherThanOneGoes() async throws {
            try await Raw.with { client in
                for try await tool in client.tools {
                    #expect(tool.name == "good")
                    break
                }
                #expect(try await client.said("asked") == [""])
                var names: [String] = []
                for try await tool in client.tools { names.append(tool.name) }
                #expect(names == ["good", "schemaless", "odd", "last"])
                await #expect(throws: OmniportError.self) { for try await _ in client.resources {} }
                await #expect(throws: OmniportError.self) { try await client.listPrompts() }
            }
        }

        /// W17
        @Test func resultsKeepMembersThatNobodyKnows() async throws {
            let given: JSONValue = ["content": [["type": "hologram", "beams": 3]], "structuredContent": ["a": [1]], "x.y/z": true]
            try await Raw.with { client in
                #expect(try await client.request("call_tool", ["name": "give", "arguments": ["result": given]]) == given)
                let result = try await client.callTool("give", ["result": given])
                #expect(result.content == [.unknown(["type": "hologram", "beams": 3])] && result.structuredContent == ["a": [1]])
            }
        }

        @Test(arguments: ["none", 7, [], ["content": "none"]] as [JSONValue])
        func whatIsNoResultIsAnErrorThatKeepsIt(result: JSONValue) async throws {
            try await Raw.with { client in
                let outcome = await failure { try await client.callTool("give", ["result": result]) }
                if outcome == nil { #expect(result == ["content": "none"]) }  // left out as if it were not there
                try await client.ping()
            }
        }

        @Test(arguments: ["1e999", String(repeating: "9", count: 400), "-1E+400"])
        func numbersThatNoMachineHasLoseNoAnswer(number: String) async throws {
            try await Raw.with { client in
                let failed = #"{"jsonrpc":"2.0","id":ID,"error":{"code":-7,"message":"no","data":{"v":\#(number)}}}"#
                let error = await failure { try await client.callTool("raw", ["line": .string(failed)]) }
                #expect(error?.code == -7 && error?.message == "no")
                let line = #"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"a"}],"structuredContent":{"v":\#(number)}}}"#
                let result = try await client.callTool("raw", ["line": .string(line)])
                let value = try #require(result.structuredContent?["v"]?.doubleValue)
                #expect(result.text == "a" && abs(value) > 1e300)
                try await client.ping()
            }
        }

        /// W08
        @Test func largeIntegersAreExactBothWays() async throws {
            let big: JSONValue = ["int": 9_007_199_254_740_993, "unsigned": .unsigned(.max), "low": .int(.min)]
            try await Raw.with { client in
                let said = try await client.said("echo", big)
                #expect(said == big)
                let given = try await client.callTool("give", ["result": ["structuredContent": big]])
                #expect(given.structuredContent == big)
            }
        }

        @Test func aNumberThatJSONDoesNotHaveIsNamedAndNotSent() async throws {
            try await Raw.with { client in
                let error = await failure { try await client.callTool("echo", ["n": .double(.nan)]) }
                #expect(error?.message.contains("`arguments.n` is nan") == true)
                try await client.ping()
            }
        }

        /// Y09: a flood that nobody listens to, or that somebody is slow with, keeps no answer waiting.
        @Test func aFloodKeepsNoAnswerWaiting() async throws {
            let flood: JSONValue = ["count": 5000]
            try await Raw.with { (client: Client) async throws in
                #expect(try await client.callTool("flood", flood).text == "done")
            }
            let (heard, released) = (Record<Int>(), Latch())
            let slow = ClientHandlers(log: { message in
                await released.wait()
                await heard.add(message.data.intValue ?? -1)
            })
            try await Raw.with(slow, .init(era: .legacy, limits: ["host_events": 100])) { (client: Client) async throws in
                for _ in 0..<3 { #expect(try await client.callTool("flood", flood).text == "done") }
                #expect(await heard.items == [])
                released.open()
                let first = await heard.wait(for: 100)
                #expect(first == first.sorted())
            }
        }

        /// R05: what is heard keeps its order, one after the other.
        @Test func logMessagesKeepTheirOrder() async throws {
            let (seen, released) = (Record<Int>(), Latch())
            let handlers = ClientHandlers(log: { message in
                if message.data == 0 { await released.wait() }
                await seen.add(message.data.intValue ?? -1)
            })
            try await Raw.with(handlers) { client in
                _ = try await client.callTool("flood", ["count": 50])
                #expect(await seen.items == [])
                released.open()
                #expect(await seen.wait(for: 50) == Array(0..<50))
            }
        }

        /// X03
        @Test func progressOfAProcessComesBeforeTheResult() async throws {
            let seen = Record<Double>()
            try await Raw.with { client in
                _ = try await client.callTool("steps", ["count": 20], options: .init(onProgress: { await seen.add($0.progress) }))
                #expect(await seen.items == (1...20).map(Double.init))
            }
        }
    }
#endif
