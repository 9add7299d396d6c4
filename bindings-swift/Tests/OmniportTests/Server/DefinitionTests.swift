import Foundation
import Testing

@testable import Omniport

private struct Named: Codable { let name: String }

/// What can be registered, what is published of it, and how mistakes are told.
@Suite(.timeLimit(.minutes(5))) struct DefinitionTests {
    struct Mistake: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let message: String
        let make: @Sendable (Server) -> Void

        init(_ what: String, _ message: String, _ make: @escaping @Sendable (Server) -> Void) {
            (testDescription, self.message, self.make) = (what, message, make)
        }
    }

    static let mistakes: [Mistake] = [
        Mistake("no name", "name") { $0.tool("") { "" } },
        Mistake("bad name", "break") { $0.tool("with\nbreak") { "" } },
        Mistake("scalar arguments", "tool `x`: the arguments are the members of a structure, and `Int` is none") { app in
            app.tool("x") { (_: Int) in "" }
        },
        Mistake("list of arguments", "tool `x`: the arguments are the members of a structure") { app in app.tool("x") { (_: [Int]) in "" } },
        Mistake("no schema", "tool `x`") { $0.tool("x", options: .init(inputSchema: ["type": "nonsense"])) { "" } },
        Mistake("no object schema", "tool `x`") { $0.tool("x", options: .init(inputSchema: ["type": "array"])) { "" } },
        Mistake("no output schema", "tool `x`") { $0.tool("x", options: .init(outputSchema: ["minimum": "low"])) { 1 } },
        Mistake("no time", "tool `x`") { $0.tool("x", options: .init(timeout: .seconds(-1))) { "" } },
        Mistake("bad template", "\"a://{b\"") { app in app.resourceTemplate("a://{b") { (_: JSONObject) in "" } },
        Mistake("unknown variable", "\"c\"") { app in
            app.resourceTemplate("a://{b}", options: .init(unsafeVariables: ["c"])) { (_: JSONObject) in "" }
        },
        Mistake("no member", "template `a://{b}`: the type has no member for the variable `b`") { app in
            app.resourceTemplate("a://{b}") { (_: Named) in "" }
        },
        Mistake("argument twice", "prompt `p`: two arguments are named `a`") { app in
            app.prompt("p", options: .init(arguments: [.init(name: "a"), .init(name: "a")])) { (_: JSONObject) in "" }
        },
    ]

    @Test(arguments: mistakes) func isRefusedWithAWord(mistake: Mistake) async throws {
        let app = Server(name: "wrong")
        mistake.make(app)
        let problem = try #require(app.problems.first)
        #expect(app.problems.count == 1)
        #expect(problem.kind == "definition")
        #expect(problem.message.contains(mistake.message), "\(problem)")
        let thrown = await failure { try await app.listen(port: 0) }
        #expect(thrown == problem)
    }

    static let settings: [(String, Server.Options)] = [
        ("speed_of_light", .init(limits: ["speed_of_light": 1])),
        ("32", .init(stateKeys: [Data([1, 2, 3])])),
        ("timeout", .init(timeout: .seconds(-1))),
        ("rate", .init(rate: Rate(0, per: .seconds(1)))),
        ("message_bytes", .init(limits: [.messageBytes: -1])),
    ]

    @Test(arguments: settings) func aSettingThatCannotBeIsNamed(name: String, options: Server.Options) async throws {
        let error = await failure { try await Server(name: "wrong", options: options).listen(port: 0) }
        #expect(error?.kind == "definition")
        #expect(error?.message.contains(name) == true, "\(error.map(String.init(describing:)) ?? "no error")")
    }

    @Test(arguments: settings) func problemsNameASettingThatCannotBe(name: String, options: Server.Options) {
        let app = Server(name: "wrong", options: options)
        app.tool("fine") { "fine" }
        #expect(app.problems.first?.message.contains(name) == true, "\(app.problems)")
    }

    @Test func aTimeThatNoNumberHoldsIsTheLongest() {
        #expect(Cache(ttl: .seconds(Int64.max)).json["ttl_ms"] == .int(.max))
        #expect(Cache(ttl: .milliseconds(1500)).json["ttl_ms"] == 1500)
        #expect(Duration.seconds(Int64.min).milliseconds == .min && Duration.milliseconds(-1).milliseconds == -1)
    }

    /// Variables that a dictionary takes, whatever they are called, are read as its values as well.
    @Test func variablesOfADictionaryAreReadAsItsValues() async throws {
        let app = Server(name: "numbers")
        app.resourceTemplate("sum://{a}/{b}") { (terms: [String: Int]) in "\(terms.values.reduce(0, +))" }
        app.prompt("sum") { (terms: [String: Int]) in "\(terms.count)" }
        try await withClient(.server(app)) { client in
            guard case .text(let sum)? = try await client.readResource("sum://3/4").contents.first else { throw ToolError("no text") }
            #expect(sum.text == "7")
            #expect(await failure { try await client.readResource("sum://3/x") }?.message.contains("must be an integer") == true)
        }
    }

    /// What a handler holds goes with it, also while the server is at work.
    @Test func handlersThatAreReplacedOrRemovedAreLetGo() async throws {
        final class Held: Sendable {}
        let app = Server(name: "held")
        func offer() -> () -> Held? {
            let held = Held()
            app.tool("a") { "\(ObjectIdentifier(held))" }
            return { [weak held] in held }
        }
        try await withClient(.server(app)) { (client: Client) async throws in
            let all = (0..<10).map { _ in offer() }
            #expect(all.compactMap { $0() }.count == 2)  // a call for the one before may be under way
            _ = try await client.callTool("a")
            #expect(app.removeTool("a"))
            await eventually { all.compactMap { $0() }.isEmpty }
        }
    }

    /// What a handler holds may come back to the server when it goes.
    @Test func aHandlerThatGoesMayUseTheServer() async throws {
        final class Owner: Sendable {
            let app: Server
            init(_ app: Server) { self.app = app }
            deinit { app.removeTool("owned") }
        }
        let app = Server(name: "owner")
        func offer() {
            let owner = Owner(app)
            app.tool("a") { "\(ObjectIdentifier(owner))" }
            app.tool("owned") { "" }
        }
        for isAtWork in [false, true] {
            if isAtWork { _ = try app.engineAtWork() }
            for _ in 0..<4 { offer() }
            #expect(app.removeTool("a"))
            await eventually { !app.removeTool("owned") }
        }
    }

    @Test func everythingThatIsSaidIsPublished() async throws {
        let icons = [Icon(src: "https://example.com/a.png")]
        let app = Server(
            name: "full", version: "2.1",
            options: .init(
                title: "Full", description: "D", instructions: "Be brief.", websiteURL: "https://example.com", icons: icons, pageSize: 1))
        app.tool(
            "tool", "D", options: .init(title: "T", annotations: .init(readOnlyHint: true), icons: icons, meta: ["m": 1], strict: true)
        ) { (_: Named) in Named(name: "") }
        app.tool("second", options: .init(inputSchema: ["type": "object", "title": "own"], outputSchema: false)) { (_: JSONObject) in 1 }
        app.resource(
            "a://r", options: .init(name: "R", title: "T", description: "D", mimeType: "text/x", size: 3, icons: icons, meta: ["m": 1])
        ) { "abc" }
        app.prompt("prompt", "D", options: .init(title: "T", icons: icons, meta: ["m": 1])) { (_: Named) in "" }
        try await withClient(.server(app)) { (client: Client) async throws in
            #expect(client.serverInfo?.title == "Full" && client.serverInfo?.version == "2.1")
            #expect(client.serverInfo?.websiteURL == "https://example.com" && client.instructions == "Be brief.")
            let page = try await client.request("list_tools")["tools"]
            #expect(page?.arrayValue?.count == 2)  // the engine asks for all pages
            #expect(try await client.listToolsPage().tools.count == 1)
            let tool = page?[0]
            #expect(tool?["title"] == "T" && tool?["description"] == "D" && tool?["annotations"] == ["readOnlyHint": true])
            #expect(tool?["icons"]?[0]?["src"] == "https://example.com/a.png" && tool?["_meta"]?["m"] == 1)
            #expect(tool?["inputSchema"]?["additionalProperties"] == false)
            #expect(tool?["outputSchema"]?["properties"]?["name"] == ["type": "string"])
            #expect(page?[1]?["inputSchema"]?["title"] == "own" && page?[1]?["outputSchema"] == nil)
            let resource = try await client.request("list_resources")["resources"]?[0]
            let expected: JSONObject = ["uri": "a://r", "name": "R", "title": "T", "description": "D", "mimeType": "text/x", "size": 3]
            for (name, value) in expected { #expect(resource?[name] == value) }
            let prompt = try await client.request("list_prompts")["prompts"]?[0]
            #expect(prompt?["title"] == "T" && prompt?["_meta"]?["m"] == 1)
            let refused = try await client.callTool("tool", ["name": "a", "other": 1])
            #expect(refused.isError == true && refused.text.contains("other"))
        }
    }

    @Test func aNameThatExistsIsReplacedAndClientsAreTold() async throws {
        let app = Server(name: "names")
        app.tool("a") { "first" }
        try await withClient(.server(app)) { (client: Client) async throws in
            #expect(try await client.callTool("a").text == "first")
            let change = Task {
                var changes = client.changes().makeAsyncIterator()
                return try await changes.next()
            }
            await client.standing(1)
            app.tool("a") { "second" }
            #expect(try await change.value?.kind == .tools)
            #expect(try await client.callTool("a").text == "second")
            #expect(try await client.listTools().count == 1)
        }
    }

    /// What was removed is gone for new calls; one that runs ends as if nothing had happened.
    @Test func whatRunsMayEndThoughItIsRemoved() async throws {
        let (app, begun, released) = (Server(name: "names"), Latch(), Latch())
        app.tool("slow") {
            begun.open()
            await released.wait()
            return "done"
        }
        try await withClient(.server(app)) { (client: Client) async throws in
            let call = Task { try await client.callTool("slow") }
            await begun.wait()
            #expect(app.removeTool("slow"))
            let gone = await failure { try await client.callTool("slow") }
            #expect(gone?.message.contains("slow") == true)
            released.open()
            #expect(try await call.value.text == "done")
        }
    }
}
