import Omniport

/// The smallest server. It serves stdio; register the command with any MCP host.
@main
struct Hello {
    struct Add: Decodable { let a: Int, b: Int }

    static func main() async throws {
        let app = Server("hello")
        app.tool("add", "Add two numbers.") { (args: Add) in args.a + args.b }
        try await app.run()  // app.run(.http(port: 8000)) serves http://127.0.0.1:8000/mcp
    }
}
