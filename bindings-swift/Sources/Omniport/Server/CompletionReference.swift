/// What an argument belongs to.
public enum CompletionReference: Sendable, Hashable {
    /// A prompt, by its name.
    case prompt(String)
    /// A template, by its URI.
    case template(String)

    var name: String {
        switch self {
        case .prompt(let name), .template(let name): name
        }
    }

    var json: JSONValue {
        switch self {
        case .prompt(let name): ["prompt": .string(name)]
        case .template(let uri): ["template": .string(uri)]
        }
    }
}
