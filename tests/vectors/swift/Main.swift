import Foundation
import Omniport

/// The standard server of the vectors, started for one run: `VectorServer DESCRIPTOR`, with that of the runner's own line.
@main
struct VectorServer {
    static func main() async throws {
        guard let descriptor = CommandLine.arguments.last.flatMap({ Int32($0) }) else {
            throw OmniportError.definition("usage: VectorServer DESCRIPTOR")
        }
        let control = Control(descriptor: descriptor)
        guard let line = control.line() else { return }  // the runner needs no server any more
        let wanted = try JSONValue(parsing: line)
        let (app, http) = try standardServer(wanted["server"]?.objectValue ?? [:])
        control.obeyed(by: app)
        switch wanted["transport"] {
        case "stream":
            try await app.run(.stdio)
        case "http":
            let listening = try await app.listen(http)
            control.say(listening.address)
            await listening.closed
        default:
            let web = try WebServer(for: app)
            control.say(web.address)
            await web.serve()
        }
        control.finish()
    }
}
