import Foundation
import Omniport

/// A server on stdin and stdout that does what servers should not do.
///
/// `StdioServer [GRACE]`: seconds that running calls have at the end. What happens is told on stderr, so that a test can wait for it.
@main
struct StdioServer {
    struct Counts: Decodable { let counts: [Int] }
    struct Letters: Decodable { let letter: String, count: Int }

    static func main() async throws {
        print("before")  // stays in a buffer of C, which must not reach the client
        let app = Server(name: "stdio", version: "1")
        offer(app)
        let grace = CommandLine.arguments.dropFirst().first.flatMap(Double.init).map { Duration.seconds($0) }
        try await app.run(.stdio, grace: grace)
        say("ended")
        if await beside.end() { say(signal(SIGTERM, SIG_DFL) == nil ? "signals end it" : "signals do not end it") }
    }

    private static let beside = Beside()

    private static func offer(_ app: Server) {
        app.tool("print") {
            print("printed")
            FileHandle.standardOutput.write(Data("written\n".utf8))
            return "ok"
        }
        app.tool("tells") { (args: Counts, cx) in
            for (step, count) in args.counts.enumerated() {
                cx.progress(Double(step + 1), message: String(repeating: "x", count: count))
            }
            say("told")
            return "ok"
        }
        app.tool("letters") { (args: Letters) in
            let text = String(repeating: args.letter, count: args.count)
            say("letters \(args.count)")
            return text
        }
        // Its work takes a while, so that it is still done when the end comes.
        app.tool("slow") {
            say("slow begins")
            try await Task.sleep(for: .milliseconds(200))
            return "done"
        }
        app.tool("hangs") { () -> String in
            say("hangs")
            do {
                try await Task.sleep(for: .seconds(600))
            } catch {
                say("was cancelled")
                throw error
            }
            return "never"
        }
        app.tool("stubborn") { () -> String in
            say("hangs")
            while true { try? await Task.detached { try await Task.sleep(for: .seconds(600)) }.value }
        }
        app.tool("again") { () -> String in
            do {
                try await Server(name: "other").run(.stdio)
                return "served twice"
            } catch {
                return "\(error)"
            }
        }
        app.tool("faulty") { () -> String in throw CocoaError(.fileNoSuchFile) }
        app.tool("beside") { () -> String in
            await beside.begin()
            return "ok"
        }
        app.tool("stray") { () -> String in
            Task { throw ToolError("left behind") }
            return "ok"
        }
    }

    private static func say(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data("\(text)\n".utf8)) }
}

/// A second server of the process, which ends after the first.
private actor Beside {
    private var running: Task<Void, any Error>?

    func begin() {
        running = Task { try await Server(name: "beside").run(.http(port: 0)) }
    }

    /// Whether there was one.
    func end() async -> Bool {
        running?.cancel()
        return await running?.result != nil
    }
}
