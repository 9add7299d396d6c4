import Foundation

/// Swift values as JSON and back, with every integer of 64 bits exact and members in the order in which a type encodes them.
///
/// Dates are ISO 8601 texts, data is base64, a URL is its text, a `Decimal` a number.
enum JSON {
    static func decode<T: Decodable>(_: T.Type, from text: String) throws -> T {
        try decode(T.self, from: JSONValue(parsing: text))
    }

    static func decode<T: Decodable>(_: T.Type, from value: JSONValue) throws -> T {
        try ValueDecoder(value: value, codingPath: []).decode(T.self)
    }

    /// - Throws: `EncodingError`, or ``OmniportError/definition(_:)`` for a number or date that no JSON has.
    static func encode(_ value: some Encodable) throws -> String { try self.value(of: value).text() }

    static func value(of value: some Encodable) throws -> JSONValue {
        try ValueEncoder.encode(value, codingPath: [])
    }
}

extension JSONValue {
    /// This as a value of that type.
    public func decode<T: Decodable>(_: T.Type = T.self) throws -> T { try JSON.decode(T.self, from: self) }

    /// The JSON of a Swift value.
    public init(encoding value: some Encodable) throws { self = try JSON.value(of: value) }
}

extension JSONValue: Codable {
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? ValueDecoder {
            self = decoder.value
            return
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .int(value)
        } else if let value = try? container.decode(UInt64.self) {
            self = .unsigned(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let items = try? container.decode([JSONValue].self) {
            self = .array(items)
        } else {
            self = .object(try container.decode(JSONObject.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .array(let items): try items.encode(to: encoder)
        case .object(let members): try members.encode(to: encoder)
        default:
            var container = encoder.singleValueContainer()
            switch self {
            case .bool(let value): try container.encode(value)
            case .int(let value): try container.encode(value)
            case .unsigned(let value): try container.encode(value)
            case .double(let value): try container.encode(value)
            case .string(let value): try container.encode(value)
            default: try container.encodeNil()
            }
        }
    }
}

extension JSONObject: Codable {
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? ValueDecoder {
            self = try decoder.members()
            return
        }
        let container = try decoder.container(keyedBy: AnyKey.self)
        self.init(try container.allKeys.map { ($0.stringValue, try container.decode(JSONValue.self, forKey: $0)) })
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: AnyKey.self)
        for (name, value) in self { try container.encode(value, forKey: AnyKey(name)) }
    }
}

/// A member's name or an item's place.
struct AnyKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ name: String) {
        stringValue = name
        intValue = nil
    }

    init(_ place: Int) {
        stringValue = String(place)
        intValue = place
    }

    init(stringValue: String) { self.init(stringValue) }
    init(intValue: Int) { self.init(intValue) }
}
