import Foundation
import Omniport

enum BenchServer {
    struct Add: Decodable { let a: Int, b: Int }
    struct Echo: Decodable { let text: String }

    private static let big = String(repeating: "The quick brown fox says \"hello\", then jumps over the lazy dog.\n", count: 15_625)

    static func make() -> Server {
        let app = Server(name: "bench", version: "1.0.0")
        app.tool("add", "Adds two numbers.") { (args: Add) in args.a + args.b }
        app.tool("echo", "Gives the text back.") { (args: Echo) in args.text }
        app.tool("big", "A text of 1 MB.") { big }
        if ProcessInfo.processInfo.environment["MANY"] != nil { addMany(to: app) }
        return app
    }

    private struct Search: Decodable, SchemaDescribing {
        let query: String
        let limit: Int?
        let exact: Bool?
        static let schemaOverrides: [SchemaOverride] = [.default("limit", 10), .default("exact", false)]
    }

    private static func addMany(to app: Server) {
        for number in 0..<1000 {
            let digits = String(number + 10_000).dropFirst()
            app.tool("tool_\(digits)", "Searches collection \(number).") { (_: Search) in "found" }
        }
    }
}
