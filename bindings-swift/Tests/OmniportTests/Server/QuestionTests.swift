import Foundation
import Testing

@testable import Omniport

private struct Trip: Codable, Equatable {
    enum Class: String, Codable, CaseIterable { case first, second }
    let city: String
    let seats: Int
    let `class`: Class?
}

/// What a host says: its user travels, its model counts, its roots are one folder.
@Sendable private func host(_ asked: JSONValue) async -> JSONValue {
    if let form = asked["elicit"] {
        return form["message"] == "no" ? ["action": "decline"] : ["action": "accept", "content": ["city": "Bonn", "seats": 2, "value": "b"]]
    }
    if asked["elicit_url"] != nil { return ["action": "accept"] }
    if asked["sample"] != nil { return ["role": "assistant", "model": "m", "content": ["type": "text", "text": "42"]] }
    return ["roots": [["uri": "file:///a", "name": "A"]]]
}

@Suite(.timeLimit(.minutes(5))) struct QuestionTests {
    @Test(arguments: ["legacy", "modern"]) func aHandlerAsksInBothEras(era: String) async throws {
        let app = Server(name: "demo")
        app.tool("ask") { (cx: Context) -> JSONValue in
            let trip = try await cx.elicit("where?", Trip.self)
            let choice = try await cx.elicit("which?", choices: ["a", "b"])
            let declined = try await cx.elicit("no", Trip.self)
            let sampled = try await cx.sample("count")
            let roots = try await cx.listRoots()
            let visited = try await cx.elicitURL("pay", url: "https://example.com/pay")
            return [
                "city": .string(trip.content?.city ?? ""), "choice": .string(choice.content ?? ""), "declined": .bool(declined == .decline),
                "text": .string(sampled.text), "root": .string(roots.first?.uri ?? ""), "visited": .bool(visited.isAccepted),
            ]
        }
        try await withPeer(app, era: era, answer: host) { (peer: Peer) async throws in
            let result = try await peer.call("ask")
            #expect(
                result["structuredContent"] == [
                    "city": "Bonn", "choice": "b", "declined": true, "text": "42", "root": "file:///a", "visited": true,
                ])
        }
    }

    @Test func tasksMayAskAtOnce() async throws {
        let app = Server(name: "demo")
        app.tool("ask") { (cx: Context) -> [String] in
            async let first = cx.sample("one")
            async let second = cx.listRoots()
            return [try await first.text, try await second[0].uri]
        }
        try await withPeer(app, answer: host) { (peer: Peer) async throws in
            #expect(try await peer.call("ask")["structuredContent"] == ["42", "file:///a"])
        }
    }

    // R07: where no handler may wait, it runs once more for each round, and so once for all that it asks together.
    @Test func questionsAskedTogetherAreOneRound() async throws {
        let app = Server(name: "demo", options: .init(limits: [.parked: 0], stateKeys: [Data(repeating: 7, count: 32)]))
        let runs = Locked(0)
        app.tool("ask") { (cx: Context) -> [String] in
            runs.with { $0 += 1 }
            let (trip, choice, roots) = try await cx.together(
                Question.elicit("where?", Trip.self), Question.elicit("which?", choices: ["a", "b"]), Question.listRoots())
            let samples = try await cx.together([Question.sample("one"), Question.sample("two")])
            return [trip.content?.city ?? "", choice.content ?? "", roots[0].uri] + samples.map(\.text)
        }
        try await withPeer(app, era: "modern", answer: host) { (peer: Peer) async throws in
            #expect(try await peer.call("ask")["structuredContent"] == ["Bonn", "b", "file:///a", "42", "42"])
        }
        #expect(runs.with { $0 } == 3)
    }

    /// Where no handler may wait, each question runs it again from its start: steps are not repeated, and it can tell.
    @Test func aHandlerIsReplayedAndItsStepsAreNot() async throws {
        let app = Server(name: "demo", options: .init(limits: [.parked: 0], stateKeys: [Data(repeating: 7, count: 32)]))
        let (runs, effects) = (Locked(0), Locked(0))
        app.tool("ask") { (cx: Context) -> JSONValue in
            runs.with { $0 += 1 }
            let number = try await cx.step("effect") {
                effects.with { effects in
                    effects += 1
                    return effects
                }
            }
            let trip = try await cx.elicit("where?", Trip.self)
            let text = try await cx.sample("count").text
            return ["number": JSONValue(number), "city": .string(trip.content?.city ?? ""), "text": .string(text), "resumed": .bool(cx.resumed)]
        }
        try await withPeer(app, era: "modern", answer: host) { (peer: Peer) async throws in
            let result = try await peer.call("ask")
            #expect(result["structuredContent"] == ["number": 1, "city": "Bonn", "text": "42", "resumed": true])
        }
        #expect(runs.with { $0 } == 3)
        #expect(effects.with { $0 } == 1)
    }

    @Test func aFormHasFlatMembersOnly() async throws {
        struct Inner: Decodable { let x: Int }
        struct Deep: Decodable { let inner: Inner }
        let error = failure { try FormSchema(of: Deep.self) }
        #expect(error?.message.contains("the member `inner` of the form") == true)
        let trip = try FormSchema(of: Trip.self).schema
        #expect(trip["properties"]?["class"] == ["type": "string", "enum": ["first", "second"]])
        #expect(trip["required"] == ["city", "seats"])
    }

    @Test func anAnswerThatFitsNoFormIsAnError() async throws {
        let app = Server(name: "demo")
        app.tool("ask") { (cx: Context) in try await cx.elicit("where?", Trip.self).isAccepted }
        let answer: @Sendable (JSONValue) async -> JSONValue = { _ in ["action": "accept", "content": ["city": 1]] }
        try await withPeer(app, answer: answer) { (peer: Peer) async throws in
            await #expect(throws: (any Error).self) { try await peer.call("ask") }
        }
    }

    // F04: the handler's own cancellation ends its wait for an answer.
    @Test func aQuestionOfACancelledTaskEnds() async throws {
        let app = Server(name: "demo")
        app.tool("ask") { (cx: Context) -> String in
            let question = Task { try await cx.listRoots() }
            question.cancel()
            do {
                _ = try await question.value
                return "answered"
            } catch is CancellationError {
                return "cancelled"
            }
        }
        let never: @Sendable (JSONValue) async -> JSONValue = { _ in
            try? await Task.sleep(for: .seconds(600))
            return [:]
        }
        try await withPeer(app, answer: never) { (peer: Peer) async throws in
            #expect(try await peer.call("ask")["content"]?[0]?["text"] == "cancelled")
        }
    }

    @Test func noticesComeInOrderAndContextIsKnownEverywhere() async throws {
        let app = Server(name: "demo")
        app.tool("tell") { (cx: Context) -> String in
            for number in 1...3 { cx.progress(Double(number), total: 3, message: "step \(number)") }
            await MainActor.run { Context.current?.progress(4) }
            return Context.current === cx ? "same" : "other"
        }
        try await withPeer(app) { (peer: Peer) async throws in
            #expect(try await peer.call("tell")["content"]?[0]?["text"] == "same")
            #expect(peer.noticed.compactMap { $0["progress"]?.intValue } == [1, 2, 3, 4])
        }
    }

    @Test func factsOfTheCallAreKnown() async throws {
        let app = Server(name: "demo")
        app.tool("facts") { (cx: Context) -> JSONValue in
            [
                "client": cx.client?["name"] ?? .null, "version": .string(cx.protocolVersion ?? ""),
                "roots": .bool(cx.capabilities["roots"] != nil),
            ]
        }
        try await withPeer(app, era: "modern") { (peer: Peer) async throws in
            let facts = try await peer.call("facts")["structuredContent"]
            #expect(facts?["client"] == "peer" && facts?["version"] == "2026-07-28" && facts?["roots"] == true)
        }
    }
}
