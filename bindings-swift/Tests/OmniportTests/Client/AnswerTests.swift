#if !os(iOS)
    import Foundation
    import Testing

    @testable import Omniport

    /// What a host answers to a server that asks right or wrong.
    @Suite(.timeLimit(.minutes(5)), .enabled(if: Program.areHere)) struct AnswerTests {
        private func asked(
            _ client: Client, _ params: JSONValue = Raw.empty, method: JSONValue = "elicitation/create"
        ) async throws -> JSONValue {
            try await client.said("ask", ["method": method, "params": params])
        }

        /// Y17
        @Test func anAnswerToAFormHasOneMeaning() async throws {
            let given: [(ElicitAnswer, JSONValue)] = [
                (.accept(["a": 1]), ["action": "accept", "content": ["a": 1]]), (.accept([:]), ["action": "accept", "content": [:]]),
                (.decline, ["action": "decline"]), (.cancel, ["action": "cancel"]),
            ]
            let answer = Locked(ElicitAnswer.cancel)
            try await Raw.with(.init(elicit: { _ in answer.with { $0 } })) { client in
                for (value, expected) in given {
                    answer.with { $0 = value }
                    let said = try await asked(client)
                    #expect(said == expected)
                }
            }
        }

        @Test(arguments: [VisitAnswer.accept, .decline, .cancel])
        func consentIsAskedForByItsOwnHandler(answer: VisitAnswer) async throws {
            try await Raw.with(.init(elicit: { _ in .cancel }, elicitURL: { _ in answer })) { client in
                let said = try await asked(client, ["mode": "url", "message": "Log in", "url": "https://example.com", "elicitationId": "e"])
                #expect(said["action"]?.stringValue == answer.rawValue)
            }
        }

        /// Y17: nobody is asked for what was not declared.
        @Test func whatNobodyAnswersIsRefused() async throws {
            try await Raw.with(.init(elicitURL: { _ in .accept })) { client in
                for method in ["elicitation/create", "sampling/createMessage", "roots/list", "new/thing"] as [JSONValue] {
                    let said = try await asked(client, method: method)
                    #expect(said["code"]?.intValue != nil, "\(method): \(said)")
                }
                try await client.ping()
            }
        }

        @Test func whatAHandlerThrowsIsAnErrorAtTheServer() async throws {
            struct Odd: Error {}
            let thrown = Locked<any Error & Sendable>(Odd())
            try await Raw.with(.init(elicit: { _ in throw thrown.with { $0 } })) { client in
                thrown.with { $0 = OmniportError.invalidParams(.init("too young", data: ["age": 3])) }
                var said = try await asked(client)
                #expect(said == ["code": -32602, "message": "too young", "data": ["age": 3]])
                for error in [Odd(), CancellationError(), ToolError("no screen")] as [any Error & Sendable] {
                    thrown.with { $0 = error }
                    said = try await asked(client)
                    #expect(said["code"]?.intValue != nil && said["message"]?.stringValue != nil)
                }
            }
        }

        /// A form with members that nobody knows is asked all the same; one that is no form is an error at the server (F06).
        @Test func anOddFormIsAskedOrRefused() async throws {
            try await Raw.with(.init(elicit: { form in .accept(["asked": .string(form.message)]) })) { client in
                var odd = try Raw.empty.decode(JSONObject.self)
                odd["extra"] = [1]
                odd["_meta"] = ["x": nil]
                let said = try await asked(client, .object(odd))
                #expect(said["content"] == ["asked": "?"])
                let none = try await asked(client, ["message": 7])
                #expect(none["code"]?.intValue != nil, "\(none)")
            }
        }

        /// The task of a question that the server withdraws is cancelled.
        @Test func aQuestionThatIsWithdrawnIsCancelled() async throws {
            let over = Latch()
            let handlers = ClientHandlers(elicit: { _ in
                try? await Task.sleep(for: .seconds(600))
                over.open()
                return .cancel
            })
            try await Raw.with(handlers) { client in
                _ = try await client.callTool("withdraw", ["params": Raw.empty])
                await over.wait()
                try await client.ping()
            }
        }

        @Test func aQuestionThatWaitsForItsUserBlocksNoCallAndEndsWithTheClient() async throws {
            let (begun, over) = (Latch(), Latch())
            let client = Raw.client(
                .init(elicit: { _ in
                    begun.open()
                    try? await Task.sleep(for: .seconds(600))
                    over.open()
                    return .cancel
                }))
            let call = Task { try await client.callTool("ask", ["method": "elicitation/create", "params": Raw.empty]) }
            await begun.wait()
            let answer = try await client.callTool("good")
            #expect(answer.text == "done")
            await client.close()
            await over.wait()
            #expect(await failure { try await call.value }?.kind == "closed")
        }

        @Test func samplesAndRootsAreAnswered() async throws {
            let handlers = ClientHandlers(
                sample: { params in
                    CreateMessageResult(content: .one(.text(TextContent(text: "\(params.messages.count)"))), model: "m", role: .assistant)
                }, roots: { [Root(uri: "file:///a%20b"), Root(uri: "file:///c", name: "c")] })
            try await Raw.with(handlers) { client in
                let messages: JSONValue = [["role": "user", "content": ["type": "text", "text": "What?"]]]
                let sample = try await asked(client, ["messages": messages, "maxTokens": 5], method: "sampling/createMessage")
                #expect(sample["content"] == ["type": "text", "text": "1"] && sample["model"] == "m" && sample["role"] == "assistant")
                let roots = try await asked(client, [:], method: "roots/list")
                #expect(roots["roots"] == [["uri": "file:///a%20b"], ["uri": "file:///c", "name": "c"]])  // Y18: encoded once
            }
        }
    }
#endif
