import Foundation
import Omniport

/// `Leaves SERVER [stay]`: opens clients of that server process, prints where the process is, and ends without closing anything. With `stay` the
/// server minds neither the end of its input nor a polite signal.
@main
struct Leaves {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let clients = (0..<2).map { _ in Client(.command([arguments[0]]), options: .init(era: .legacy)) }
        for client in clients { print(try await client.callTool(arguments.count > 1 ? arguments[1] : "pid").text) }
        // Held to the end: they are no clients that nobody refers to.
        withExtendedLifetime(clients) { exit(0) }
    }
}
