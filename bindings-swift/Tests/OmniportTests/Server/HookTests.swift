import Foundation
import Testing

@testable import Omniport

/// Who is calling, what they may see, what has happened.
@Suite(.timeLimit(.minutes(5))) struct HookTests {
    /// X12: only an explicit subject lets a caller in.
    @Test func onlyAnExplicitSubjectLetsACallerIn() async throws {
        let app = Server(name: "hooks", auth: { headers in
            switch headers["authorization"] {
            case "alice": return Principal("alice", client: "app", scopes: ["read"], claims: ["role": "admin"])
            case "empty": return Principal("")
            case "throws": throw ToolError("no database")
            case "refuses": throw OmniportError.refused("not today")
            default: return nil
            }
        })
        let seen = Locked<Principal?>(nil)
        app.tool("who") { (cx: Context) in
            seen.with { $0 = cx.principal }
            return cx.principal?.subject ?? "nobody"
        }
        let http = try await app.listen(port: 0)
        func call(_ who: String?) async throws -> String {
            let options = ClientOptions(headers: who.map { ["authorization": $0] } ?? [:], era: .modern, limits: ["recover_tries": 0])
            return try await withClient(.url(http.url), options: options) { try await $0.callTool("who").text }
        }
        #expect(try await call("alice") == "alice")
        #expect(seen.with { $0 } == Principal("alice", client: "app", scopes: ["read"], claims: ["role": "admin"]))
        for who in [nil, "empty", "throws", "refuses", "bob"] {
            let error = await failure { try await call(who) }
            let status = error?.context["status"].flatMap { Int($0) } ?? 0
            #expect(status >= 400, "\(who ?? "nobody"): \(error.map { "\($0)" } ?? "let in")")
        }
        await http.close(grace: .zero)
    }

    @Test func whatIsNotVisibleIsNotThere() async throws {
        let app = Server(name: "hooks", visible: { cx, kind, names in
            if cx.headers["x-key"] == "throws" { throw ToolError("no") }
            return names.filter { kind != .tools || $0 != "secret" || cx.headers["x-key"] != nil }
        })
        app.tool("open") { "o" }
        app.tool("secret") { "s" }
        app.prompt("p") { "p" }
        let http = try await app.listen(port: 0)
        func with<T: Sendable>(_ key: String?, _ body: (Client) async throws -> T) async throws -> T {
            try await withClient(.url(http.url), options: .init(headers: key.map { ["x-key": $0] } ?? [:], era: .modern), body)
        }
        #expect(try await with(nil) { try await $0.listTools().map(\.name) } == ["open"])
        #expect(try await with("1") { try await $0.listTools().map(\.name) } == ["open", "secret"])
        #expect(try await with(nil) { try await $0.listPrompts().count } == 1)
        #expect(await failure { try await with(nil) { try await $0.callTool("secret") } } != nil)
        #expect(try await with("1") { try await $0.callTool("secret").text } == "s")
        #expect(try await with("throws") { try await $0.listTools() }.isEmpty)  // a hook that fails shows nothing
        await http.close(grace: .zero)
    }

    @Test func eachCallHasOneRecordWithoutItsArguments() async throws {
        let records = Record<AuditRecord>()
        let app = Server(name: "hooks", audit: { await records.add($0) })
        app.tool("a") { (_: JSONObject) in "x" }
        app.tool("b") { () -> String in throw ToolError("y") }
        app.resource("r://x") { "r" }
        try await withClient(.server(app)) { (client: Client) async throws in
            _ = try await client.callTool("a", ["password": "secret"])
            _ = try await client.callTool("b")
            _ = try await client.readResource("r://x")
        }
        let kept = await records.wait(for: 3)
        #expect(kept.map(\.name) == ["a", "b", "r://x"])
        #expect(kept[0].argumentsSHA256?.count == 64 && kept[0].ms >= 0)
        #expect(kept[0].outcome != kept[1].outcome && kept[0].outcome == kept[2].outcome)
        #expect(!"\(kept)".contains("secret"))
    }

    /// What one observer is told comes in order, one after the other, however long it takes.
    @Test func eventsComeInOrder() async throws {
        let (events, released) = (Record<ServerEvent>(), Latch())
        let app = Server(
            name: "hooks", options: .init(subscribe: true),
            onEvent: { event in
                if await events.items.isEmpty { await released.wait() }
                await events.add(event)
            })
        app.resource("r://a") { "a" }
        app.resource("r://b") { "b" }
        let client = Client(.server(app), options: .init(era: .legacy), handlers: .init(roots: { [] }))
        try await client.subscribe("r://a")
        try await client.subscribe("r://b")
        try await client.unsubscribe("r://a")
        try await client.rootsChanged()
        try await client.ping()
        released.open()
        #expect(
            await events.wait(for: 4) == [
                .subscribed(uri: "r://a"), .subscribed(uri: "r://b"), .unsubscribed(uri: "r://a"), .rootsChanged,
            ])
        await client.close()
    }
}
