/// What the server said when the connection was made. A part that does not decode is as if it were not there (F06, Y14).
struct Said: Sendable {
    var server: Implementation?
    var capabilities: ServerCapabilities?
    var version: String?
    var instructions: String?

    init() {}

    init(_ told: JSONValue) {
        server = told["server"].flatMap { try? Lenient.read(from: $0) }
        capabilities = told["capabilities"].flatMap { try? Lenient.read(from: $0) }
        version = told["protocol_version"]?.stringValue
        instructions = told["instructions"]?.stringValue
    }
}
