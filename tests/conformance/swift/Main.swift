import Foundation
import Omniport

/// The everything server of the conformance suite, `Conformance PORT` or `Conformance stdio`, and its client, `Conformance connect URL`.
@main
struct Conformance {
    static func main() async throws {
        let words = CommandLine.arguments.dropFirst()
        switch (words.first, words.last.flatMap { Int($0) }) {
        case ("connect", _): try await runScenario(at: words.last ?? "")
        case ("stdio", _): try await everything().run(.stdio)
        case (_, let port?): try await everything().run(.http(port: port))
        default: throw OmniportError.definition("usage: Conformance PORT | stdio | connect URL")
        }
    }

    /// Whatever a server scenario asks for, by the name it asks for.
    static func everything() -> Server {
        let hour = Cache(ttl: .seconds(3600), scope: .public)
        let app = Server(
            name: "everything", version: "1.0.0",
            options: .init(
                title: "Everything", instructions: "Call the tool whose name says what you want to see.",
                cache: [
                    .tools: hour, .prompts: hour, .resources: hour, .templates: hour, .read: Cache(ttl: .seconds(60), scope: .private),
                ],
                subscribe: true))
        addContent(to: app)
        addStreams(to: app)
        addForms(to: app)
        addQuestions(to: app)
        addResources(to: app)
        addPrompts(to: app)
        return app
    }
}
