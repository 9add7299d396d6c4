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
