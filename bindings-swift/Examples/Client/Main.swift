import Foundation
import Omniport

/// The smallest client: `Host URL`, or `Host COMMAND...` for a server that it starts. Says what the server is and has, and adds two numbers.
@main
struct Host {
    struct Add: Encodable { let a: Int, b: Int }

    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        guard let first = words.first else { return fail("usage: Host URL | COMMAND...") }
        do {
            // Connects, and closes at the end: the process of the server has exited then.
            try await withClient(first.hasPrefix("http") ? .url(first) : .command(words)) { client in
                print("MCP \(client.protocolVersion ?? "?"), \(client.serverInfo?.name ?? "a server")")
                for try await tool in client.tools { print("tool: \(tool.name)") }
                let sum = try await client.callTool("add", arguments: Add(a: 1, b: 2), as: Int.self)
                print("1 + 2 = \(sum)")
            }
        } catch {
            fail("\(error)")  // one line, with every fact: the exit code of a server, what it wrote to stderr
        }
    }

    static func fail(_ reason: String) {
        FileHandle.standardError.write(Data("\(reason)\n".utf8))
        exit(1)
    }
}
