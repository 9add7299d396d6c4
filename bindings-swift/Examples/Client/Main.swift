import Omniport

/// The smallest client: `Host URL`, or `Host COMMAND...` for a server that it starts. Prints what the server has, and adds two numbers.
@main
struct Host {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        guard let first = words.first else { throw RuleError("usage: Host URL | COMMAND...") }
        try await withClient(first.hasPrefix("http") ? .url(first) : .command(words)) { client in
            print("MCP \(client.protocolVersion ?? "?"), \(client.serverInfo?.name ?? "a server")")
            for try await tool in client.tools { print("tool: \(tool.name)") }
            let sum = try await client.callTool("add", args: ["a": 1, "b": 2], as: Int.self)
            print("1 + 2 = \(sum)")
        }
    }
}
