import Omniport

/// The smallest server: one tool, on standard input and output, as hosts start it.
///
/// The arguments are the members of a `Decodable` structure. Their JSON Schema is found by running its decoder, and what a model sends is held
/// against it before the closure runs. What the closure returns is the structured result, whose schema is published, too.
@main
struct Hello {
    struct Add: Decodable { let a: Int, b: Int }

    static func main() async throws {
        let app = Server(name: "hello", version: "1.0")
        app.tool("add", "Add two numbers.") { (args: Add) in args.a + args.b }
        try await app.run()  // until the host goes; app.run(.http(port: 8000)) serves http://127.0.0.1:8000/mcp
    }
}
