import Foundation

/// A type whose schema is known without running its decoder, with a value to go on with.
struct KnownType {
    let schema: JSONValue
    let sample: Any

    /// Nil for a type that has to be run.
    static func of(_ type: Any.Type) -> KnownType? { table[ObjectIdentifier(type)] }

    private init(_ schema: JSONValue, _ sample: Any) {
        self.schema = schema
        self.sample = sample
    }

    /// Written so by `JSON`, which does the same for these types: dates are ISO 8601, data is base64.
    nonisolated(unsafe) private static let table: [ObjectIdentifier: KnownType] = {  // never changes
        var table: [ObjectIdentifier: KnownType] = [
            ObjectIdentifier(String.self): KnownType(["type": "string"], ""),
            ObjectIdentifier(Bool.self): KnownType(["type": "boolean"], false),
            ObjectIdentifier(Double.self): KnownType(["type": "number"], 0.0),
            ObjectIdentifier(Float.self): KnownType(["type": "number"], Float(0)),
            ObjectIdentifier(Decimal.self): KnownType(["type": "number"], Decimal(0)),
            ObjectIdentifier(Date.self): KnownType(["type": "string", "format": "date-time"], Date(timeIntervalSince1970: 0)),
            ObjectIdentifier(UUID.self): KnownType(["type": "string", "format": "uuid"], UUID(uuid: zeros)),
            ObjectIdentifier(Data.self): KnownType(["type": "string", "contentEncoding": "base64"], Data()),
            ObjectIdentifier(JSONValue.self): KnownType([:], JSONValue.null),
            ObjectIdentifier(JSONObject.self): KnownType(["type": "object"], JSONObject()),
        ]
        if let url = URL(string: "about:blank") {
            table[ObjectIdentifier(URL.self)] = KnownType(["type": "string", "format": "uri"], url)
        }
        let integers: [any FixedWidthInteger.Type] = [
            Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self,
        ]
        for type in integers { table[ObjectIdentifier(type)] = integer(type) }
        return table
    }()

    private static let zeros: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

    /// Bounds are published where people write numbers that go beyond them: not those of 64 bits.
    private static func integer<I: FixedWidthInteger>(_ type: I.Type) -> KnownType {
        var schema: JSONObject = ["type": "integer"]
        if !I.isSigned || I.bitWidth < 64 { schema["minimum"] = JSONValue(I.min) }
        if I.bitWidth < 64 { schema["maximum"] = JSONValue(I.max) }
        return KnownType(.object(schema), I.zero)
    }
}

/// Collections of the standard library, whose decoders read nothing of an empty text.
protocol KnownCollection {
    static func describe(_ finder: SchemaFinder) throws -> JSONValue
    static var sample: Any { get }
}

extension Array: KnownCollection where Element: Decodable {
    static func describe(_ finder: SchemaFinder) throws -> JSONValue {
        ["type": "array", "items": try finder.schema(of: Element.self, at: "[]")]
    }
    static var sample: Any { Self() }
}

extension ContiguousArray: KnownCollection where Element: Decodable {
    static func describe(_ finder: SchemaFinder) throws -> JSONValue { try [Element].describe(finder) }
    static var sample: Any { Self() }
}

extension Set: KnownCollection where Element: Decodable {
    static func describe(_ finder: SchemaFinder) throws -> JSONValue {
        ["type": "array", "items": try finder.schema(of: Element.self, at: "[]"), "uniqueItems": true]
    }
    static var sample: Any { Self() }
}

extension Dictionary: KnownCollection where Key: Decodable, Value: Decodable {
    static func describe(_ finder: SchemaFinder) throws -> JSONValue {
        var schema: JSONObject = ["type": "object", "additionalProperties": try finder.schema(of: Value.self, at: "{}")]
        switch Key.self {
        case is String.Type: break
        case is Int.Type: schema["propertyNames"] = ["pattern": "^-?[0-9]+$"]
        case is any CodingKeyRepresentable.Type:
            if let cases = SchemaFinder.cases(of: Key.self) { schema["propertyNames"] = ["enum": .array(cases)] }
        default: throw finder.refusal("a dictionary has texts or integers as keys, not `\(Key.self)`")
        }
        return .object(schema)
    }
    static var sample: Any { Self() }
}

extension Optional: KnownCollection where Wrapped: Decodable {
    static func describe(_ finder: SchemaFinder) throws -> JSONValue {
        ["anyOf": [try finder.schema(of: Wrapped.self), ["type": "null"]]]
    }
    static var sample: Any { Self.none as Any }
}
