import Testing

@testable import Omniport

/// Forms that ask for a single value, and forms that cannot be asked for.
@Suite(.timeLimit(.minutes(5))) struct FormTests {
    private enum Color: String, Codable, CaseIterable { case red, green }

    private func form(of type: any Decodable.Type) throws -> JSONValue { try FormSchema(of: type).schema }

    @Test func aSingleValueIsAFormWithOneMember() throws {
        #expect(try form(of: String.self) == ["type": "object", "properties": ["value": ["type": "string"]], "required": ["value"]])
        #expect(try form(of: Int.self)["properties"]?["value"]?["type"] == "integer")
        #expect(try form(of: Bool.self)["properties"]?["value"] == ["type": "boolean"])
        #expect(try form(of: Color.self)["properties"]?["value"] == ["type": "string", "enum": ["red", "green"]])
        #expect(try form(of: [Color].self)["properties"]?["value"]?["items"]?["enum"] == ["red", "green"])
    }

    @Test(arguments: ["legacy", "modern"]) func aSingleValueIsAnswered(era: String) async throws {
        let app = Server(name: "forms")
        app.tool("ask") { (cx: Context) in
            let name = try await cx.elicit("name?", String.self)
            let color = try await cx.elicit("color?", Color.self)
            return "\(name.content ?? "-") \(color.content?.rawValue ?? "-")"
        }
        let answer: @Sendable (JSONValue) async -> JSONValue = { asked in
            asked["elicit"]?["message"] == "name?"
                ? ["action": "accept", "content": ["value": "Ada"]] : ["action": "accept", "content": ["value": "red"]]
        }
        try await withPeer(app, era: era, answer: answer) { (peer: Peer) async throws in
            #expect(try await peer.call("ask")["content"]?[0]?["text"] == "Ada red")
        }
    }

    @Test func anAnswerThatIsNoneSaysSo() throws {
        let form = try FormSchema(of: Int.self)
        let read: (JSONValue) throws -> Int = { try form.read($0) }
        #expect(try read(["value": 7]) == 7)
        for (content, problem) in [([:], "`value` is missing"), (["value": "x"], "must be an integer")] as [(JSONValue, String)] {
            let error = failure { try read(content) }
            #expect(error?.kind == "invalid_params" && error?.message.contains(problem) == true)
        }
    }

    @Test func whatNoFormHasIsRefused() throws {
        struct Deep: Decodable {
            struct Inner: Decodable { let a: Int }
            let inner: Inner
        }
        for type in [Deep.self, [Int].self, [String: Int].self] as [any Decodable.Type] {
            #expect(throws: OmniportError.self) { try form(of: type) }
        }
        #expect(throws: OmniportError.self) { try FormSchema(checking: ["type": "string"]) }
        #expect(throws: OmniportError.self) { try FormSchema(checking: ["type": "object", "properties": ["a": ["type": "object"]]]) }
        #expect(try FormSchema(checking: ["type": "object"]).schema == ["type": "object", "properties": [:]])
    }
}
