import Foundation
import Omniport

/// Tools that answer at once, each with another kind of result, or say what reached them.
func addAnswers(to app: Server, _ journal: Journal) throws {
    struct Add: Decodable { let a: Int, b: Int }
    app.tool("add", "Adds two integers.") { (args: Add) in args.a + args.b }
    struct Echo: Decodable { let text: String }
    app.tool("echo", "Returns its text.", options: .init(title: "Echo", annotations: .init(readOnlyHint: true))) { (args: Echo) in args.text }

    app.tool("fail") { () -> String in throw ToolError("deliberate") }
    app.tool("crash") { () -> String in throw Crash() }
    app.tool("refuse") { () -> String in throw OmniportError.refused(.init("refused", code: 1234, data: ["x": 1])) }

    app.tool("contents") {
        [
            Content.text("text"), .image(Data([0, 1, 2]), mimeType: "image/png"),
            .embedded(.text("static text", uri: "test://static")),
        ]
    }
    app.tool("own_meta") { ToolResult([], meta: ["com.example/x": 1]) }
    app.tool("pretty") { "a\nb" }
    app.tool("whoami") { (cx: Context) in Caller(cx) }
    app.tool("journal") { await journal.take() }

    let standard = try Definitions()
    addChecked(to: app, standard)
    let limited = Rate(2, per: .seconds(60), by: .principal)
    for name in ["headers_tool", "strict", "nullable", "union", "draft07", "pattern", "limited", "private_note"] {
        app.tool(name, options: .init(inputSchema: standard.input(of: name), rate: name == "limited" ? limited : nil)) { (args: JSONObject) in
            "\(JSONValue.object(args))"
        }
    }
}

/// Tools whose results are checked against schemas.
private func addChecked(to app: Server, _ standard: Definitions) {
    struct Tagged: Codable { let name: String, tags: [String] }
    app.tool("structured", options: standard.output(of: "structured")) { Tagged(name: "x", tags: ["a"]) }
    app.tool("bad_structured", options: standard.output(of: "bad_structured")) { ["name": 1] }
    app.tool("no_structured", options: standard.output(of: "no_structured")) { ToolResult("only text") }
    app.tool("error_structured", options: standard.output(of: "error_structured")) {
        ToolResult(["went wrong"], structuredContent: ["code": 1], isError: true)
    }
    app.tool("null_result", options: standard.output(of: "null_result")) { JSONValue.null }
    app.tool("list_result") { [1, 2] }
}

/// Tools that tell something while they run, or when they are over.
func addNotices(to app: Server, _ audits: Audits) {
    app.tool("progress") { (cx: Context) in
        for progress in [1.0, 2, 2, 1, 3] { cx.progress(progress, total: 3, message: "counting") }
        return "done"
    }
    app.tool("late") { (cx: Context) in
        let records = await audits.records()
        Task {
            for await record in records where record.name == "late" {
                cx.progress(9)
                cx.log(.emergency, "late")
            }
        }
        return "done"
    }
    app.tool("log") { (cx: Context) in
        cx.log(.debug, ["n": 1], logger: "standard")
        cx.log(.error, "two", logger: "standard")
        return "done"
    }
    app.tool("poll") { (cx: Context) in
        cx.progress(1)
        cx.closeStream()
        cx.progress(2)
        return "done"
    }
}

/// Tools that change the server.
func addChanges(to app: Server) {
    app.tool("add_tool") {
        app.tool("added") { "added" }
        return "added"
    }
    app.tool("remove_tool") {
        app.removeTool("added")
        return "removed"
    }
    app.tool("add_resource") {
        app.resource("test://added", options: .init(name: "added"), content: staticText)
        return "added"
    }
    app.tool("add_prompt") {
        app.prompt("added") { "Hello." }
        return "added"
    }
    struct Touch: Decodable { let uri: String? }
    app.tool("touch") { (args: Touch) in
        app.resourceUpdated(args.uri ?? "test://static")
        return "touched"
    }
}

/// What no handler expects.
struct Crash: Error, CustomStringConvertible { let description = "secret" }

/// What a handler can learn about its request.
private struct Caller: Encodable {
    let requestID: JSONValue
    let protocolVersion: String?
    let client: JSONObject?
    let sessionID: String?
    let headers: [String: String]
    let principal: Principal?

    init(_ cx: Context) {
        requestID = cx.requestID
        protocolVersion = cx.protocolVersion
        client = cx.client
        sessionID = cx.sessionID
        headers = cx.headers
        principal = cx.principal
    }

    private enum CodingKeys: String, CodingKey {
        case requestID = "request_id", protocolVersion = "protocol_version", client, sessionID = "session_id", headers, principal
    }
}

/// The schemas of `standard.json`, for tools that are about them.
private struct Definitions {
    private let tools: [JSONValue]

    init() throws {
        let file = URL(filePath: #filePath).appending(path: "../../standard.json").standardizedFileURL
        tools = try JSONValue(parsing: String(contentsOf: file, encoding: .utf8))["tools"]?.arrayValue ?? []
    }

    func input(of name: String) -> JSONValue? { tool(name)?["inputSchema"] }
    func output(of name: String) -> Server.ToolOptions { .init(outputSchema: tool(name)?["outputSchema"]) }

    private func tool(_ name: String) -> JSONValue? { tools.first { $0["name"]?.stringValue == name } }
}
