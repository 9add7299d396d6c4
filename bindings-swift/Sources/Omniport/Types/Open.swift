// The code behind the generated models: what a later revision, or a peer's mistake, cannot make unreadable (cases W17, Y14).

/// The `_meta` member: an object whose keys belong to the specification (`io.modelcontextprotocol/..`) or to vendors.
///
/// See [General fields](https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta).
public typealias MetaObject = JSONObject

/// What tells the progress of one request from that of another, chosen by who sent the request.
public typealias ProgressToken = RequestId

/// What tells the response to one request from the response to another.
public enum RequestId: Hashable, Sendable {
    case number(Int64)
    case string(String)
}

extension RequestId: Codable, ExpressibleByIntegerLiteral, ExpressibleByStringInterpolation {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int64.self) {
            self = .number(number)
        } else {
            self = .string(try container.decode(String.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .string(let text): try container.encode(text)
        }
    }

    public init(integerLiteral number: Int64) { self = .number(number) }
    public init(stringLiteral text: String) { self = .string(text) }
}

/// An enumeration of texts that holds any other text, too: compare it with the known ones, which are its static members.
public protocol OpenEnum: RawRepresentable, Codable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible
where RawValue == String {
    init(rawValue: String)
}

extension OpenEnum {
    public init(stringLiteral text: String) { self.init(rawValue: text) }

    /// The text on the wire.
    public var description: String { rawValue }
}

/// One item or a list of them; which of the two is kept.
public enum OneOrMany<Item: Codable & Hashable & Sendable>: Hashable, Sendable {
    /// A single item without a list around it.
    case one(Item)
    /// A list, which may be empty.
    case many([Item])

    /// The items in order.
    public var items: [Item] {
        switch self {
        case .one(let item): [item]
        case .many(let items): items
        }
    }
}

extension OneOrMany: Codable {
    public init(from decoder: any Decoder) throws {
        let value = try JSONValue(from: decoder)
        if case .array = value {
            self = .many(try value.decode())
        } else {
            self = .one(try value.decode())
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .one(let item): try item.encode(to: encoder)
        case .many(let items): try items.encode(to: encoder)
        }
    }
}

/// What a union is read from: its JSON, and the member that tells its kinds apart.
struct OpenUnion {
    let value: JSONValue
    let tag: Tag

    enum Tag {
        case absent
        case text(String)
        /// There, but no text: no kind has that.
        case other
    }

    init(_ decoder: any Decoder, by name: String?) throws {
        value = try JSONValue(from: decoder)
        switch name.flatMap({ [value] in value[$0] }) {
        case nil: tag = .absent
        case .string(let text)?: tag = .text(text)
        case _?: tag = .other
        }
    }

    /// The union's case for the value, if it decodes as what that case holds: if it is of another kind, or wrong, it must survive.
    func read<Kind: Decodable, Union>(as make: (Kind) -> Union) -> Union? { (try? value.decode(Kind.self)).map(make) }
}
