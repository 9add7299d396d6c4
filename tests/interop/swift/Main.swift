import Foundation
import Omniport

/// `Interop serve stdio`, `Interop serve http PORT`: the server that other clients are driven against.
/// `Interop walk CASE.json`: our client against one foreign server, a case of servers.json as `walks.py` prepares it.
@main
struct Interop {
    static func main() async throws {
        let words = CommandLine.arguments.dropFirst()
        switch (words.first, words.dropFirst().first, words.last.flatMap { Int($0) }) {
        case ("serve", "stdio", _): try await interopServer().run(.stdio)
        case ("serve", "http", let port?): try await interopServer().run(.http(HTTPOptions(port: port)))
        case ("walk", let file?, _): try await walk(file)
        default: throw OmniportError.definition("usage: Interop serve stdio | serve http PORT | walk CASE.json")
        }
    }

    /// After the last check it waits for the end of stdin, so that what the closed connection left behind can be looked for while this process
    /// still lives.
    static func walk(_ file: String) async throws {
        try await Walk(JSONValue(parsing: String(contentsOfFile: file, encoding: .utf8))).run()
        while readLine() != nil {}
    }
}
