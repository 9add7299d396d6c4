import Foundation
import Omniport

/// The bench's tools on this project, with the defaults a user gets: `BenchServer stdio` or `BenchServer http PORT`.
@main
struct BenchServer {
    struct Add: Decodable { let a: Int, b: Int }
    struct Echo: Decodable { let text: String }

    static let big = String(repeating: "The quick brown fox says \"hello\", then jumps over the lazy dog.\n", count: 15_625)

    static func main() async throws {
        let app = Server("bench", version: "1.0.0")
        app.tool("add", "Adds two numbers.") { (args: Add) in args.a + args.b }
        app.tool("echo", "Gives the text back.") { (args: Echo) in args.text }
        app.tool("big", "A text of 1 MB.") { big }
        if ProcessInfo.processInfo.environment["MANY"] != nil { addMany(to: app) }
        let arguments = CommandLine.arguments
        if arguments.count > 2, let port = Int(arguments[2]) {
            try await app.run(.http(port: port))
        } else {
            try await app.run(.stdio)
        }
    }

    struct Search: Decodable, SchemaDescribing {
        let query: String
        let limit: Int?
        let exact: Bool?
        static let schemaOverrides: [SchemaOverride] = [.default("limit", 10), .default("exact", false)]
    }

    static func addMany(to app: Server) {
        for number in 0..<1000 {
            let digits = String(number + 10_000).dropFirst()
            app.tool("tool_\(digits)", "Searches collection \(number).") { (_: Search) in "found" }
        }
    }
}
