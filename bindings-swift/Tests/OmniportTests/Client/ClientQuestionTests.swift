import Foundation
import Testing

@testable import Omniport

@Suite(.timeLimit(.minutes(5))) struct ClientQuestionTests {
    private static let form: JSONValue = [
        "message": "Who?", "requestedSchema": ["type": "object", "properties": ["name": ["type": "string"]], "required": ["name"]],
    ]

    /// A server whose tool `ask` asks what its arguments say.
    private func server() throws -> TestServer {
        let server = try TestServer()
        try server.tool("ask") { call in ["structuredContent": ["said": try await call.ask(call.arguments)]] }
        return server
    }

    private func ask(
        _ question: JSONValue, _ handlers: ClientHandlers, era: ClientOptions.Era = .automatic
    ) async throws -> JSONValue? {
        let server = try server()
        return try await withClient(server.target, options: .init(era: era), handlers: handlers) { client in
            try await client.callTool("ask", question).structuredContent?["said"]
        }
    }

    @Test(arguments: [ClientOptions.Era.legacy, .modern])
    func formsAreFilledIn(era: ClientOptions.Era) async throws {
        let accepts = ClientHandlers(elicit: { form in
            #expect(form.message == "Who?" && form.requestedSchema.required == ["name"])
            return try .accept(encoding: ["name": "Ada"])
        })
        #expect(try await ask(["elicit": Self.form], accepts, era: era)?["result"] == ["action": "accept", "content": ["name": "Ada"]])
        let declines = ClientHandlers(elicit: { _ in .decline })
        #expect(try await ask(["elicit": Self.form], declines, era: era)?["result"]?["action"] == "decline")
    }

    @Test func visitsAreConsentedTo() async throws {
        let handlers = ClientHandlers(elicitURL: { visit in
            #expect(visit.url == "https://a.example/pay")
            return .accept
        })
        let question: JSONValue = ["mode": "url", "message": "Pay", "url": "https://a.example/pay"]
        #expect(try await ask(["elicit": question], handlers)?["result"]?["action"] == "accept")
    }

    @Test func modelsAreAsked() async throws {
        let handlers = ClientHandlers(sample: { params in
            #expect(params.maxTokens == 10)
            return CreateMessageResult(content: .one(.text(TextContent(text: "Four."))), model: "m", role: .assistant)
        })
        let messages: JSONValue = [["role": "user", "content": ["type": "text", "text": "2+2?"]]]
        let answer = try await ask(["sample": ["messages": messages, "maxTokens": 10]], handlers)
        #expect(answer?["result"]?["content"]?["text"] == "Four." && answer?["result"]?["model"] == "m")
    }

    @Test func rootsAreOffered() async throws {
        let handlers = ClientHandlers(roots: { [Root(uri: "file:///srv", name: "srv")] })
        #expect(try await ask(["roots": [:]], handlers)?["result"]?["roots"] == [["uri": "file:///srv", "name": "srv"]])
    }

    @Test func aFailureOfAHandlerIsTheServersAnswer() async throws {
        let handlers = ClientHandlers(elicit: { _ in throw OmniportError.refused("not now") })
        let answer = try await ask(["elicit": Self.form], handlers, era: .legacy)
        #expect(answer?["error"]?["message"] == "not now")
    }

    /// The task of a question is cancelled when the call that asked it is taken back.
    @Test func aQuestionThatIsWithdrawnIsCancelled() async throws {
        let (server, seen) = (try server(), Record<String>())
        let handlers = ClientHandlers(elicit: { _ in
            await seen.add("asked")
            do { try await Task.sleep(for: .seconds(3600)) } catch { await seen.add("cancelled") }
            return .cancel
        })
        try await withClient(server.target, handlers: handlers) { client in
            let call = Task { try await client.callTool("ask", ["elicit": Self.form]) }
            _ = await seen.wait(for: 1)
            call.cancel()
            #expect(await seen.wait(for: 2) == ["asked", "cancelled"])
            await #expect(throws: CancellationError.self) { try await call.value }
        }
    }

    @Test func roundsCanBeDrivenByHand() async throws {
        let server = try server()
        let options = ClientOptions(capabilities: ["elicitation": ["form": [:]]])
        try await withClient(server.target, options: options) { client in
            guard case .inputRequired(let needed) = try await client.byHand.callTool("ask", ["elicit": Self.form]),
                let (key, request) = needed.inputRequests?.first, case .elicit = request
            else {
                Issue.record("the server asked nothing")
                return
            }
            let responses: InputResponses = [key: .elicit(ElicitationResult(action: .accept, content: ["name": .string("Ada")]))]
            let next = try await client.byHand.callTool(
                "ask", ["elicit": Self.form], inputResponses: responses, requestState: needed.requestState)
            guard case .complete(let result) = next else {
                Issue.record("the server asked again")
                return
            }
            #expect(result.structuredContent?["said"]?["result"]?["content"] == ["name": "Ada"])
        }
    }
}
