import Foundation
import Testing

@testable import Omniport

@Suite(.timeLimit(.minutes(5))) struct OfferTests {
    @Test func resourcesAreTextsBytesAndData() async throws {
        struct Row: Codable { let id: Int }
        let app = Server(name: "demo")
        app.resource("mem://text", options: .init(name: "Text", description: "A text.")) { "hello" }
        app.resource("mem://bytes", content: Data([1, 2, 3]))
        app.resource("mem://rows", options: .init(mimeType: "application/x-rows")) { [Row(id: 1)] }
        app.resource("mem://none", content: [String]())
        app.resource("mem://own") { (cx: Context) in [ResourceContents.text(cx.uri, uri: "mem://other")] }
        app.resource("mem://gone") { () -> String in throw OmniportError.notFound("it is gone") }
        try await withPeer(app) { (peer: Peer) async throws in
            func read(_ uri: String) async throws -> JSONValue? {
                try await peer.request("read_resource", ["uri": .string(uri)])["contents"]?[0]
            }
            #expect(try await read("mem://text") == ["uri": "mem://text", "mimeType": "text/plain", "text": "hello"])
            #expect(try await read("mem://bytes") == ["uri": "mem://bytes", "mimeType": "application/octet-stream", "blob": "AQID"])
            #expect(try await read("mem://rows") == ["uri": "mem://rows", "mimeType": "application/x-rows", "text": "[{\"id\":1}]"])
            #expect(try await read("mem://none") == ["uri": "mem://none", "mimeType": "application/json", "text": "[]"])
            #expect(try await read("mem://own") == ["uri": "mem://other", "mimeType": "text/plain", "text": "mem://own"])
            let gone = await failure { try await read("mem://gone") }
            #expect(gone?.message == "Resource not found: mem://gone")
            let listed = try await peer.request("list_resources")["resources"]
            #expect(listed?[0]?["name"] == "Text" && listed?[0]?["description"] == "A text." && listed?[1]?["name"] == "mem://bytes")
            #expect(app.removeResource("mem://text"))
        }
    }

    @Test func variablesOfATemplateAreReadAsTheTypesOfTheMembers() async throws {
        struct Page: Decodable { let table: String, page: Int, deep: Bool? }
        let app = Server(name: "demo")
        app.resourceTemplate("db://{table}/{page}{?deep}") { (at: Page, cx) in "\(at.table) \(at.page + 1) \(at.deep ?? false) \(cx.uri)" }
        app.resourceTemplate("any://{x}") { (variables: [String: String]) in variables["x"] ?? "" }
        try await withPeer(app) { (peer: Peer) async throws in
            let read = try await peer.request("read_resource", ["uri": "db://users/4?deep=true"])["contents"]?[0]
            #expect(read?["text"] == "users 5 true db://users/4?deep=true")
            #expect(try await peer.request("read_resource", ["uri": "any://a"])["contents"]?[0]?["text"] == "a")
            let wrong = await failure { try await peer.request("read_resource", ["uri": "db://users/four"]) }
            #expect(wrong?.code == -32602)
            #expect(wrong?.message == "Invalid arguments: `page` must be an integer, not a string")
            #expect(try await peer.request("list_templates")["resourceTemplates"]?[0]?["uriTemplate"] == "db://{table}/{page}{?deep}")
        }
    }

    @Test func aTemplateAndItsTypeHaveToMatch() {
        struct Page: Decodable { let table: String }
        let app = Server(name: "demo")
        app.resourceTemplate("db://{table}/{other}") { (at: Page) in at.table }
        app.resourceTemplate("x://{other}") { (_: [String: String]) in "" }
        app.resourceTemplate("y://") { (at: Page) in at.table }
        let messages = app.problems.map(\.message)
        #expect(messages.contains { $0.contains("no member for the variable `other`") })
        #expect(messages.contains { $0.contains("fills the member `table`") })
        #expect(messages.count == 2)
    }

    @Test func promptsTakeTextsAndGiveMessages() async throws {
        struct Review: Decodable, SchemaDescribing {
            let code: String
            let lines: Int?
            static let schemaOverrides: [SchemaOverride] = [.describe("code", "What to review.")]
        }
        let app = Server(name: "demo")
        app.prompt("review", "Reviews code.") { (args: Review) in
            [Message.user("Review \(args.code) \(args.lines.map { $0 + 1 } ?? 0)"), .assistant("Gladly.")]
        }
        app.prompt("plain") { "just this" }
        app.prompt("gone") { "nobody gets this" }
        #expect(app.removePrompt("gone") && !app.removePrompt("gone"))
        app.completion(of: .prompt("review"), argument: "code") { value, others, _ in
            [value + "!", others["lines"] ?? ""].filter { !$0.isEmpty }
        }
        try await withPeer(app) { (peer: Peer) async throws in
            let listed = try await peer.request("list_prompts")["prompts"]?[0]
            #expect(listed?["arguments"]?[0] == ["name": "code", "description": "What to review.", "required": true])
            let got = try await peer.request("get_prompt", ["name": "review", "arguments": ["code": "x", "lines": "4"]])
            #expect(got["description"] == "Reviews code.")
            #expect(got["messages"]?[0] == ["role": "user", "content": ["type": "text", "text": "Review x 5"]])
            #expect(got["messages"]?[1]?["role"] == "assistant")
            #expect(try await peer.request("get_prompt", ["name": "plain"])["messages"]?[0]?["content"]?["text"] == "just this")
            let params: JSONValue = [
                "reference": ["prompt": "review"], "argument": "code", "value": "ab", "arguments": ["lines": "7"],
            ]
            #expect(try await peer.request("complete", params)["completion"]?["values"] == ["ab!", "7"])
        }
    }

    @Test func observersHearWhatHappens() async throws {
        let (events, records) = (Locked<[ServerEvent]>([]), Locked<[AuditRecord]>([]))
        let (heard, audited) = (Latch(), Latch())
        let app = Server(
            name: "demo", options: .init(subscribe: true),
            visible: { _, _, names in names.filter { $0 != "hidden" } },
            audit: { record in
                records.with { $0.append(record) }
                audited.open()
            },
            onEvent: { event in
                events.with { $0.append(event) }
                heard.open()
            })
        app.tool("seen") { "yes" }
        app.tool("hidden") { "no" }
        app.resource("mem://a") { "a" }
        try await withPeer(app, era: "legacy") { (peer: Peer) async throws in
            #expect(try await peer.request("list_tools")["tools"]?.arrayValue?.count == 1)
            #expect(await failure { try await peer.call("hidden") } != nil)
            _ = try await peer.call("seen")
            _ = try await peer.request("subscribe", ["uri": "mem://a"])
            await heard.wait()
            await audited.wait()
        }
        #expect(events.with { $0.first } == .subscribed(uri: "mem://a"))
        #expect(records.with { $0.contains { $0.name == "seen" || $0.name == "hidden" } })
    }
}
