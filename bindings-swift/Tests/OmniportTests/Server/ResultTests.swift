import Foundation
import Testing

@testable import Omniport

/// What the results of tools mean, and what happens to values that JSON does not have.
@Suite(.timeLimit(.minutes(5))) struct ResultTests {
    enum Color: String, Codable, CaseIterable { case red, green }
    struct Row: Codable, Hashable { let id: Int, color: Color?, at: Date?, tags: [String: [Double]] }
    struct Shape: Codable {
        enum Kind: Codable, Equatable {
            case circle(radius: Double)
            case square
        }
        let kind: Kind
    }

    /// The result of a tool that returns `value`, as it crosses the wire.
    private func result<R: Encodable & Sendable>(_ value: R, _ options: Server.ToolOptions = .init()) async throws -> JSONValue {
        let app = Server(name: "results", options: .init(maskErrors: false))
        app.tool("give", options: options) { () -> R in value }
        #expect(app.problems == [])
        return try await withPeer(app) { peer in
            var result = try await peer.call("give").decode(JSONObject.self)
            result["resultType"] = nil
            if var meta = result["_meta"]?.objectValue {
                meta["io.modelcontextprotocol/serverInfo"] = nil
                result["_meta"] = meta.isEmpty ? nil : .object(meta)
            }
            return .object(result)
        }
    }

    private func block(_ text: String) -> JSONValue { ["content": [["type": "text", "text": .string(text)]]] }

    private func structured(_ value: JSONValue) -> JSONValue {
        ["content": [["type": "text", "text": .string("\(value)")]], "structuredContent": value]
    }

    @Test func scalarsAreStructuredAndTextsAreNot() async throws {
        #expect(try await result("a \"text\"\n") == block("a \"text\"\n"))
        #expect(try await result(7) == structured(7))
        #expect(try await result(1.5) == structured(1.5))
        #expect(try await result(true) == structured(true))
        #expect(try await result(UInt64.max) == structured(.unsigned(.max)))
        #expect(try await result(Color.green)["structuredContent"] == "green")
    }

    @Test func listsDictionariesAndStructuresAreStructured() async throws {
        #expect(try await result([3, 1, 2]) == structured([3, 1, 2]))
        #expect(try await result([String]()) == structured([]))
        #expect(try await result(["a": 1]) == structured(["a": 1]))
        let row = Row(id: 1, color: .red, at: nil, tags: ["x": [0.5, 2]])
        #expect(try await result(row)["structuredContent"] == ["id": 1, "color": "red", "tags": ["x": [0.5, 2]]])
        #expect(try await result([row, row])["structuredContent"]?.arrayValue?.count == 2)
        #expect(try await result(Shape(kind: .circle(radius: 2)))["structuredContent"] == ["kind": ["circle": ["radius": 2]]])
        #expect(try await result(Shape(kind: .square))["structuredContent"] == ["kind": ["square": [:]]])
    }

    @Test func datesAddressesAndBytesAreTexts() async throws {
        struct Mixed: Codable { let at: Date, url: URL, bytes: Data, id: UUID }
        let id = try #require(UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"))
        let mixed = Mixed(at: Date(timeIntervalSince1970: 0), url: try #require(URL(string: "http://x/y")), bytes: Data([1, 2, 3]), id: id)
        let value = try await result(mixed)["structuredContent"]
        #expect(value?["at"] == "1970-01-01T00:00:00Z" || value?["at"] == "1970-01-01T00:00:00.000Z")
        #expect(value?["url"] == "http://x/y" && value?["bytes"] == "AQID")
        #expect(value?["id"]?.stringValue?.uppercased() == id.uuidString)
    }

    @Test func nothingIsAnEmptyResultOrNull() async throws {
        #expect(try await result(ToolResult()) == ["content": []])
        #expect(try await result(JSONValue.null) == ["content": []])
        #expect(try await result(Int?.none)["structuredContent"] == .null)
        #expect(try await result(Int?.some(3)) == structured(3))
        #expect(try await result(String?.some("x"))["content"]?[0]?["text"]?.stringValue?.contains("x") == true)
    }

    @Test func untypedValuesAreStructuredWhereTheyAreObjects() async throws {
        #expect(try await result(["a": [1, nil]] as JSONValue) == structured(["a": [1, nil]]))
        #expect(try await result(["a": 1] as JSONObject) == structured(["a": 1]))
        #expect(try await result("plain" as JSONValue) == block("plain"))
        #expect(try await result([1, 2] as JSONValue) == block("[1,2]"))
        #expect(try await result(2, .init(outputSchema: false)) == block("2"))
        let object: JSONValue = ["type": "object", "properties": ["a": ["type": "integer"]], "required": ["a"]]
        #expect(try await result(["a": 1] as JSONValue, .init(outputSchema: object)) == structured(["a": 1]))
    }

    @Test func blocksAndWholeResultsSayThemselvesWhatTheyAre() async throws {
        let blocks: [Content] = [
            "look:", .image(Data([1]), mimeType: "image/gif"), .audio(Data([1]), mimeType: "audio/mp3"), .link("a://b", title: "B"),
            .embedded(.text("d", uri: "c://x")), .embedded(.data(Data([1]), uri: "c://y")),
        ]
        let content: JSONValue = [
            ["type": "text", "text": "look:"], ["type": "image", "data": "AQ==", "mimeType": "image/gif"],
            ["type": "audio", "data": "AQ==", "mimeType": "audio/mp3"],
            ["type": "resource_link", "uri": "a://b", "name": "a://b", "title": "B"],
            ["type": "resource", "resource": ["uri": "c://x", "text": "d", "mimeType": "text/plain"]],
            ["type": "resource", "resource": ["uri": "c://y", "blob": "AQ==", "mimeType": "application/octet-stream"]],
        ]
        #expect(try await result(blocks) == ["content": content])
        #expect(try await result(ToolResult(structuredContent: ["c": 1])) == structured(["c": 1]))
        #expect(try await result(ToolResult("bad", isError: true))["isError"] == true)
        var whole = CallToolResult(content: ["x"])
        whole.meta = ["m": 1]
        #expect(try await result(whole)["_meta"]?["m"] == 1)
    }

    @Test func aResultThatCannotBeWrittenIsAnErrorThatSaysWhere() async throws {
        struct Rows: Codable { let rows: [[String: Double]] }
        let nan = try await result(Rows(rows: [["price": 1], ["price": .nan]]))
        #expect(nan["isError"] == true)
        let text = nan["content"]?[0]?["text"]?.stringValue ?? ""
        #expect(text.contains("rows[1].price"), "\(text)")
        #expect(try await result([Double.infinity])["isError"] == true)
        struct Refusing: Encodable {
            func encode(to encoder: any Encoder) throws { throw ToolError("no way to say it") }
        }
        #expect(try await result(Refusing())["content"]?[0]?["text"]?.stringValue?.contains("no way to say it") == true)
    }

    @Test func aResultIsHeldAgainstItsSchema() async throws {
        let object: JSONValue = ["type": "object", "properties": ["a": ["type": "integer"]], "required": ["a"]]
        let wrong = try await result(["b": 1] as JSONValue, .init(outputSchema: object))
        #expect(wrong["isError"] == true && wrong["structuredContent"] == nil)
        #expect(wrong["content"]?[0]?["text"]?.stringValue?.contains("a") == true)
    }
}
