import Foundation
import Testing

@testable import Omniport

/// Calls and clients leave nothing behind, in either role.
@Suite(.timeLimit(.minutes(5))) struct LeakTests {
    #if os(Linux)
        /// Under the thread sanitizer the memory is the sanitizer's.
        static let isCounted = Program.areHere && dlsym(dlopen(nil, RTLD_NOW), "__tsan_init") == nil

        /// A leak shows in every window; a heap or a pool that finds its size only once does in one of them.
        private func growth(_ what: String, _ count: Int, windows: Int) async throws -> Int {
            let child = try Child("Leak", what, "\(count)", "\(windows)")
            let sizes = await child.output.rest().compactMap { Int($0) }
            let end = await child.end()
            #expect(end == (.exit, 0))
            #expect(await child.errors.rest().filter { $0.contains("CONTINUATION") } == [])
            #expect(sizes.count == windows + 1)
            print("\(what): \(sizes.map { String(format: "%.2f", Double($0) / 1e6) }.joined(separator: ", ")) MB")
            let growths = zip(sizes, sizes.dropFirst()).map { $1 - $0 }.sorted()
            return growths[growths.count / 2]
        }

        @Test(.enabled(if: isCounted)) func aHundredThousandCallsLeaveNoMemoryBehind() async throws {
            let grown = try await growth("calls", 20_000, windows: 4)
            // The least thing that could be kept of a call takes as much.
            #expect(grown < 20_000 * 16, "\(grown) bytes more with each 20,000 calls")
        }

        @Test(.enabled(if: isCounted)) func thousandsOfClientsLeaveNoMemoryBehind() async throws {
            let grown = try await growth("clients", 400, windows: 4)
            #expect(grown < 400 * 200, "\(grown) bytes more with each 400 clients")
        }
    #endif

    /// Neither side knows anything of calls that are over, however they ended.
    @Test func noTableKeepsACallThatIsOver() async throws {
        let app = Server(name: "leak")
        app.tool("echo") { (args: JSONObject) in args }
        app.tool("fails") { () -> String in throw ToolError("always") }
        app.tool("waits") { () -> String in
            try await Task.sleep(for: .seconds(600))
            return "never"
        }
        app.tool("asks") { (cx: Context) in try await cx.listRoots().count }
        let client = Client(.server(app), handlers: .init(roots: { [Root(uri: "file:///a")] }))
        try await client.connect()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<2000 {
                group.addTask {
                    let tool = ["echo", "fails", "waits", "asks"][number % 4]
                    let call = Task { try await client.callTool(tool, options: .init(onProgress: { _ in })) }
                    if tool == "waits" || number % 7 == 0 { call.cancel() }
                    _ = await call.result
                }
            }
        }
        await eventually { client.calls == 0 && app.registry.existing?.running == 0 }
        await client.close()
        await app.stop()
    }

    @Test func noInboxKnowsAClientThatIsGone() async throws {
        let app = Server(name: "leak")
        app.tool("echo") { "echo" }
        var numbers: [UInt64] = []
        for number in 0..<100 {
            let client = Client(.server(app))
            _ = try await client.callTool("echo")
            if let connection = client.life.connection { numbers.append(connection.number) }
            if number.isMultiple(of: 2) { await client.close() }
        }
        await eventually { Set(ClientInbox.shared.enrolled.map(\.number)).isDisjoint(with: numbers) }
        await app.stop()
    }
}
