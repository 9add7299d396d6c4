import Foundation
import Omniport

/// `Leak calls|clients COUNT WINDOWS`: calls a server of this process, or opens and closes clients of it, and prints the memory of the process
/// behind each window of so many; the first one is there until pools have their size. In a process of its own, so that nothing else counts.
@main
struct Leak {
    struct Add: Codable { let a: Int, b: Int }

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let count = Int(arguments[2]), let windows = Int(arguments[3]) else { exit(2) }
        let app = Server(name: "leak")
        app.tool("add") { (args: Add) in args.a + args.b }
        app.tool("fails") { () -> String in throw ToolError("always") }
        app.tool("waits") { () -> String in
            try await Task.sleep(for: .seconds(600))
            return "never"
        }
        let client = Client(.server(app))
        for _ in 0...windows {
            if arguments[1] == "calls" { try await call(client, count) } else { try await open(app, count) }
            print(try resident())
        }
        await client.close()
        await app.stop()
    }

    /// Every tenth call fails in its handler, and every hundredth is taken back.
    private static func call(_ client: Client, _ count: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    for number in stride(from: worker, to: count, by: 8) {
                        if number % 100 == 7 {
                            let call = client.startTool("waits")
                            call.cancel()
                            _ = try? await call.value
                        } else if number % 10 == 3 {
                            if try await client.callTool("fails").isError != true { exit(3) }
                        } else if try await client.callTool("add", arguments: Add(a: number, b: 1), as: Int.self) != number + 1 {
                            exit(3)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Every other one is closed; the others are let go.
    private static func open(_ app: Server, _ count: Int) async throws {
        for number in 0..<count {
            let client = Client(.server(app), handlers: .init(log: { _ in }, progress: { _ in }, change: { _ in }, state: { _, _ in }))
            _ = try await client.callTool("add", arguments: Add(a: number, b: 1), as: Int.self)
            if number.isMultiple(of: 2) { await client.close() }
        }
    }

    /// Memory of the process, in bytes.
    private static func resident() throws -> Int {
        let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return (Int(fields[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
