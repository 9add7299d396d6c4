/// A list of a server, to iterate over: it is asked for page by page, and no further than one goes.
public struct Listing<Item: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Item

    let page: @Sendable (_ cursor: String?) async throws -> (items: [Item], next: String?)

    public func makeAsyncIterator() -> Iterator { Iterator(page: page) }

    /// One iteration; it asks for a page when the one before is used up.
    public struct Iterator: AsyncIteratorProtocol {
        let page: @Sendable (_ cursor: String?) async throws -> (items: [Item], next: String?)
        private var items: ArraySlice<Item> = []
        private var cursor: String?
        private var isLast = false
        /// Cursors that were followed: one that comes again leads round in circles (T06).
        private var seen: Set<String> = []
        private var leadsBack = false

        init(page: @escaping @Sendable (_ cursor: String?) async throws -> (items: [Item], next: String?)) { self.page = page }

        public mutating func next() async throws -> Item? {
            while items.isEmpty {
                guard !isLast else { return nil }
                if leadsBack { throw OmniportError.invalidRequest("the pages of the listing lead round in circles") }
                let (found, next) = try await page(cursor)
                (items, cursor, isLast) = (found[...], next, next == nil)
                if let next, !seen.insert(next).inserted { leadsBack = true }
            }
            return items.popFirst()
        }
    }
}

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
