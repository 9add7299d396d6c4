import Foundation
import Testing

@testable import Omniport

/// Where servers are, what clients are told, and how mistakes are named.
@Suite(.timeLimit(.minutes(5))) struct TargetTests {
    private func failing(_ target: ClientTarget, _ options: ClientOptions = .init()) async -> OmniportError? {
        let client = Client(target, options: options)
        let error = await failure { try await client.connect() }
        await client.close()
        return error
    }

    static let options: [(String, ClientOptions)] = [
        ("colours", .init(limits: ["colours": 3])),
        ("timeout", .init(timeout: .zero)),
        ("totalTimeout", .init(totalTimeout: .seconds(-1))),
        ("/nowhere/ca.pem", .init(tls: .init(caFile: "/nowhere/ca.pem"))),
        ("/nowhere/cert.pem", .init(tls: .init(verify: false, certificate: (file: "/nowhere/cert.pem", key: "/nowhere/key.pem")))),
        ("proxy", .init(proxy: "not a proxy")),
    ]

    @Test(arguments: options) func anOptionThatCannotBeIsNamed(name: String, options: ClientOptions) async throws {
        let error = await failing("https://127.0.0.1:1/mcp", options)
        #expect(error.map { "\($0)".contains(name) } == true, "\(error.map { "\($0)" } ?? "no error")")
    }

    /// A call that connects by itself fails with what kept the connection from being made, whichever of the two is heard of first.
    @Test(arguments: [ClientTarget.url("http://127.0.0.1:1/mcp"), .command(["/nonexistent"])])
    func theFirstCallSaysWhyThereIsNoConnection(target: ClientTarget) async throws {
        for _ in 0..<50 {
            let client = Client(target)
            let error = await failure { try await client.listTools() }
            #expect(error?.kind == "io" && error?.message.contains("cannot be") == true, "\(error.map { "\($0)" } ?? "no error")")
            await client.close()
        }
    }

    static let targets: [(String, ClientTarget)] = [
        ("not a url", "not a url"), ("ftp", "ftp://example.com"), ("command", .entry([:])), ("command", .entry(["command": 7])),
        ("mcpServers", .config([:])), ("b", .config(["mcpServers": ["a": ["url": "http://x/"]]], name: "b")),
        ("/nowhere/at.all", .config(file: "/nowhere/at.all")),
    ]

    @Test(arguments: targets) func aTargetThatCannotBeIsNamed(name: String, target: ClientTarget) async throws {
        let error = await failing(target)
        #expect(error.map { "\($0)".contains(name) } == true, "\(error.map { "\($0)" } ?? "no error")")
    }

    #if !os(iOS)
        @Test(.enabled(if: Program.areHere)) func serversOfFilesAreStarted() async throws {
            let raw: JSONValue = ["command": .string(Program.path("RawServer")), "args": [], "env": ["A": "1"]]
            let config: JSONValue = ["mcpServers": ["raw": raw, "other": ["url": "http://127.0.0.1:9/"]]]
            let place = FileManager.default.temporaryDirectory.appending(path: "omniport-\(UUID().uuidString).json")
            defer { try? FileManager.default.removeItem(at: place) }
            try config.text().write(to: place, atomically: true, encoding: .utf8)
            for target in [.config(config, name: "raw"), .config(file: place.path, name: "raw"), .entry(raw)] as [ClientTarget] {
                try await withClient(target, options: .init(era: .legacy)) { (client: Client) async throws in
                    #expect(try await client.callTool("good").text == "done")
                }
            }
            #expect(await failing(.config(config))?.message.contains("raw") == true)  // which of the two?
        }

        @Test(.enabled(if: Program.areHere)) func aCommandHasItsFolderAndVariables() async throws {
            let target = ClientTarget.command(
                ["/bin/sh", "-c", "echo \"$OWN in $(pwd)\" >&2; exec '\(Program.path("RawServer"))'"], env: ["OWN": "mine"], cwd: "/")
            let lines = Record<String>()
            try await withClient(target, options: .init(era: .legacy), handlers: .init(stderr: { await lines.add($0) })) { _ in
                #expect(await lines.wait(for: 1) == ["mine in /"])
            }
        }
    #endif

    @Test func aServerInMemoryHasManyClients() async throws {
        struct Text: Codable { let text: String }
        let app = Server(name: "memory", version: "3")
        app.tool("echo") { (args: Text) in args }
        let clients = (0..<20).map { _ in Client(.server(app)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, client) in clients.enumerated() {
                group.addTask {
                    for step in 0..<10 {
                        let text = Text(text: "\(number) \(step)")
                        let said = try await client.callTool("echo", arguments: text, as: Text.self)
                        #expect(said.text == text.text)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(clients.allSatisfy { $0.serverInfo?.version == "3" })
        await clients[0].close()
        try await clients[1].ping()
        for client in clients { await client.close() }
    }

    @Test func aServerThatCannotBeServedSaysSoToItsClients() async throws {
        let app = Server(name: "wrong")
        app.tool("") { "" }
        #expect(await failing(.server(app)) == app.problems.first)
    }

    @Test func bothErasCanBeAskedFor() async throws {
        let app = Server(name: "eras")
        app.tool("version") { (cx: Context) in cx.protocolVersion ?? "" }
        for (era, version) in [(ClientOptions.Era.legacy, "2025-11-25"), (.modern, "2026-07-28"), (.automatic, "2026-07-28")] {
            try await withClient(.server(app), options: .init(era: era)) { (client: Client) async throws in
                #expect(client.protocolVersion == version)
                #expect(try await client.callTool("version").text == version)
            }
        }
        try await withClient(.server(app), options: .init(known: "2026-07-28")) { client in
            #expect(client.protocolVersion == "2026-07-28")
        }
    }
}
