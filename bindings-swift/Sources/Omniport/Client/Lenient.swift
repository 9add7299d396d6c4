/// Reads what a peer wrote, which must not be lost for a harmless mistake of it (F06, Y14).
enum Lenient {
    private static let mistakes = 16

    /// The value as `T`. What does not decode is left out, from the inside outwards, as if the peer had not written it.
    ///
    /// - Throws: ``OmniportError/invalidRequest(_:)`` with the JSON as `data` when what is left is no `T`.
    static func read<T: Decodable>(_: T.Type = T.self, from value: JSONValue) throws -> T {
        var left = value
        for _ in 0..<mistakes {
            do {
                return try left.decode(T.self)
            } catch {
                guard let place = place(of: error), !place.isEmpty else { throw unreadable(error, value) }
                left = without(place[...], in: left)
            }
        }
        throw unreadable("it has too many mistakes", value)
    }

    /// An answer as `T`; see ``read(_:from:)``.
    static func read<T: Decodable>(_: T.Type = T.self, of answer: Answer) throws -> T {
        try read(T.self, from: try JSONValue(parsing: answer.text))
    }

    private static func unreadable(_ error: any Error, _ value: JSONValue) -> OmniportError {
        unreadable(text(of: error), value)
    }

    private static func unreadable(_ why: String, _ value: JSONValue) -> OmniportError {
        .invalidRequest(.init("the answer of the server cannot be read: \(why)", data: value))
    }

    private static func place(of error: any Error) -> [any CodingKey]? {
        switch error as? DecodingError {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context), .keyNotFound(_, let context):
            context.codingPath
        default: nil
        }
    }

    private static func without(_ place: ArraySlice<any CodingKey>, in value: JSONValue) -> JSONValue {
        guard let key = place.first else { return value }
        let rest = place.dropFirst()
        switch value {
        case .object(var members):
            members[key.stringValue] = rest.isEmpty ? nil : members[key.stringValue].map { without(rest, in: $0) }
            return .object(members)
        case .array(var items):
            guard let index = key.intValue, items.indices.contains(index) else { return value }
            if rest.isEmpty { items.remove(at: index) } else { items[index] = without(rest, in: items[index]) }
            return .array(items)
        default: return value
        }
    }
}
