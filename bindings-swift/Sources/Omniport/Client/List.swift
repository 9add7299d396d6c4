/// A kind of things that a server lists.
struct List<Item: Decodable & Sendable>: Sendable {
    /// The engine's name of the request.
    let what: String
    /// Where the items are in an answer.
    let member: String

    /// All items. One that cannot be read is left out with a warning.
    func items(_ answer: JSONValue) throws -> [Item] {
        guard let items = answer[member]?.arrayValue else {
            throw OmniportError.invalidRequest(.init("the server's answer has no list `\(member)`", data: answer))
        }
        return items.compactMap { item in
            do {
                return try Lenient.read(Item.self, from: item)
            } catch {
                log(.warning, "an item of the server's list was left out: \(text(of: error))")
                return nil
            }
        }
    }

    /// The answer without the items that cannot be read.
    func readable(_ answer: JSONValue) throws -> JSONValue {
        guard case .object(var members) = answer, let items = answer[member]?.arrayValue else { return answer }
        members[member] = .array(items.filter { (try? Lenient.read(Item.self, from: $0)) != nil })
        return .object(members)
    }
}

extension List where Item == Tool {
    static let tools = List(what: "list_tools", member: "tools")
}

extension List where Item == Resource {
    static let resources = List(what: "list_resources", member: "resources")
}

extension List where Item == ResourceTemplate {
    static let templates = List(what: "list_templates", member: "resourceTemplates")
}

extension List where Item == Prompt {
    static let prompts = List(what: "list_prompts", member: "prompts")
}
