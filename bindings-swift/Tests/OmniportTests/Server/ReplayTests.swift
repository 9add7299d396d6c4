import Foundation
import Testing

@testable import Omniport

/// Questions that go out in rounds: together, parked, replayed, and answered by another server.
@Suite(.timeLimit(.minutes(5))) struct ReplayTests {
    private static let key = Data(repeating: 7, count: 32)

    private func server(_ limits: [Limit: Double] = [:]) -> (app: Server, runs: Locked<Int>, effects: Locked<Int>) {
        let (app, runs, effects) = (Server(name: "rounds", options: .init(limits: limits, stateKeys: [Self.key])), Locked(0), Locked(0))
        app.tool("ask") { (cx: Context) -> JSONValue in
            runs.with { $0 += 1 }
            let number = try await cx.step("count") {
                effects.with { effects in
                    effects += 1
                    return effects
                }
            }
            try await cx.step("nothing") {}
            let first = try await cx.elicit("first", choices: ["a", "b"])
            let second = try await cx.elicit("second", choices: ["a", "b"])
            return [
                "number": JSONValue(number), "first": .string(first.content ?? ""), "second": .string(second.content ?? ""),
                "resumed": .bool(cx.resumed),
            ]
        }
        return (app, runs, effects)
    }

    private let byHand = ClientOptions(era: .modern, capabilities: ["elicitation": ["form": [:]]])

    private func answers(_ needed: InputRequiredResult, _ value: String) -> InputResponses {
        (needed.inputRequests ?? [:]).mapValues { _ in .elicit(ElicitationResult(action: .accept, content: ["value": .string(value)])) }
    }

    private func asked(_ round: Round<CallToolResult>) throws -> InputRequiredResult {
        guard case .inputRequired(let needed) = round else { throw ToolError("nothing was asked") }
        return needed
    }

    private func result(_ round: Round<CallToolResult>) throws -> JSONValue? {
        guard case .complete(let result) = round else { throw ToolError("something was asked") }
        return result.structuredContent
    }

    private func accept() -> ClientHandlers { .init(elicit: { _ in .accept(["value": "b"]) }) }

    /// A handler that waits is parked, and goes on with the answer.
    @Test func aParkedHandlerRunsOnce() async throws {
        let (app, runs, effects) = server()
        try await withClient(.server(app), options: .init(era: .modern), handlers: accept()) { (client: Client) async throws in
            let said = try await client.callTool("ask").structuredContent
            #expect(said?["first"] == "b" && said?["second"] == "b")
        }
        #expect(runs.with { $0 } == 1 && effects.with { $0 } == 1)
    }

    /// In the legacy era the client is asked while the call runs.
    @Test func aLegacyClientIsAskedMeanwhile() async throws {
        let (app, runs, _) = server()
        try await withClient(.server(app), options: .init(era: .legacy), handlers: accept()) { (client: Client) async throws in
            #expect(try await client.callTool("ask").structuredContent == ["number": 1, "first": "b", "second": "b", "resumed": false])
        }
        #expect(runs.with { $0 } == 1)
    }

    /// Each retry reaches another replica: the handler is run again, its steps are not.
    @Test func anotherServerGoesOn() async throws {
        let servers = [server(), server(), server()]
        let clients = servers.map { Client(.server($0.app), options: byHand) }
        let first = try asked(try await clients[0].byHand.callTool("ask"))
        let second = try asked(
            try await clients[1].byHand.callTool("ask", inputResponses: answers(first, "a"), requestState: first.requestState))
        let said = try result(
            try await clients[2].byHand.callTool("ask", inputResponses: answers(second, "b"), requestState: second.requestState))
        #expect(said == ["number": 1, "first": "a", "second": "b", "resumed": true])
        #expect(servers.map { $0.runs.with { $0 } } == [1, 1, 1])
        #expect(servers.map { $0.effects.with { $0 } } == [1, 0, 0])
        for client in clients { await client.close() }
    }

    @Test func aStateThatIsNotOursIsRefused() async throws {
        let (app, runs, _) = server()
        try await withClient(.server(app), options: byHand) { (client: Client) async throws in
            let first = try asked(try await client.byHand.callTool("ask"))
            let forged = await failure {
                try await client.byHand.callTool("ask", inputResponses: answers(first, "a"), requestState: "x" + (first.requestState ?? ""))
            }
            #expect(forged != nil)
            #expect(runs.with { $0 } == 1)
        }
    }

    @Test func questionsAskedTogetherGoOutInOneRound() async throws {
        let app = Server(name: "rounds")
        app.tool("three") { (cx: Context) -> [String] in
            async let first = cx.elicit("1", choices: ["a"])
            async let second = cx.elicit("2", choices: ["a"])
            async let third = cx.elicit("3", choices: ["a"])
            return try await [first, second, third].map { $0.content ?? "" }
        }
        try await withClient(.server(app), options: byHand) { (client: Client) async throws in
            let needed = try asked(try await client.byHand.callTool("three"))
            #expect(needed.inputRequests?.count == 3)
            let said = try result(
                try await client.byHand.callTool("three", inputResponses: answers(needed, "a"), requestState: needed.requestState))
            #expect(said == ["a", "a", "a"])
        }
    }

    @Test(arguments: [ClientOptions.Era.legacy, .modern])
    func whoCannotBeAskedIsAnErrorInTheHandler(era: ClientOptions.Era) async throws {
        let app = Server(name: "rounds")
        app.tool("ask") { (cx: Context) -> [String] in
            var kinds: [String] = []
            for ask in [
                { _ = try await cx.elicit("?", choices: ["a"]) }, { _ = try await cx.elicitURL("?", url: "https://example.com") },
                { _ = try await cx.sample("?") }, { _ = try await cx.listRoots() },
            ] as [@Sendable () async throws -> Void] {
                kinds.append(await failure(ask)?.kind ?? "asked")
            }
            return kinds
        }
        try await withClient(.server(app), options: .init(era: era)) { (client: Client) async throws in
            let said: [String] = try await client.callTool("ask").output()
            #expect(said == Array(repeating: "missing_capability", count: 4))
        }
    }

    /// Prompts and resources may ask, too.
    @Test func everyKindOfHandlerMayAsk() async throws {
        let app = Server(name: "rounds")
        app.prompt("p") { (cx: Context) in try await cx.elicit("?", choices: ["b"]).content ?? "" }
        app.resource("r://x") { (cx: Context) in try await cx.elicit("?", choices: ["b"]).content ?? "" }
        try await withClient(.server(app), options: .init(era: .modern), handlers: accept()) { (client: Client) async throws in
            #expect(try await client.getPrompt("p").messages.first?.content == .text("b"))
            guard case .text(let contents)? = try await client.readResource("r://x").contents.first else {
                Issue.record("the resource has no text")
                return
            }
            #expect(contents.text == "b")
        }
    }

    /// Y17: content counts for "accept" only.
    @Test func answersToAFormHaveOneMeaning() async throws {
        let app = Server(name: "rounds")
        app.tool("ask") { (cx: Context) -> [String] in
            let chosen = try await cx.elicit("?", choices: ["a", "b"])
            let sure = try await cx.confirm("sure?")
            return ["\(chosen)", sure.isAccepted ? "sure" : "not sure"]
        }
        let given: [(ElicitAnswer, [String])] = [
            (.accept(["value": "b"]), ["accept(\"b\")", "sure"]), (.decline, ["decline", "not sure"]), (.cancel, ["cancel", "not sure"]),
        ]
        for (answer, expected) in given {
            let handlers = ClientHandlers(elicit: { _ in answer })
            try await withClient(.server(app), options: .init(era: .legacy), handlers: handlers) { (client: Client) async throws in
                let said: [String] = try await client.callTool("ask").output()
                #expect(said == expected)
            }
        }
        let wrong = ClientHandlers(elicit: { _ in .accept(["value": "z"]) })
        try await withClient(.server(app), options: .init(era: .legacy), handlers: wrong) { (client: Client) async throws in
            let error = await failure { try await client.callTool("ask") }
            #expect(error?.message.contains("Invalid answer to the form") == true)
        }
    }
}
