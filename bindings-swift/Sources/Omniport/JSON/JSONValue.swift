/// Any JSON. Integers are exact over the whole range of 64 bits, and objects keep the order of their members.
///
/// ```swift
/// let arguments: JSONValue = ["name": "Ada", "tags": ["a", "b"], "limit": 10]
/// arguments["tags"]?[0]?.stringValue  // "a"
/// ```
public enum JSONValue: Hashable, Sendable {
    /// `null`, which is not the same as no member.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without a fraction.
    case int(Int64)
    /// A number without a fraction that is too large for `int`; smaller ones are `int`.
    case unsigned(UInt64)
    /// Any other number.
    case double(Double)
    /// A text.
    case string(String)
    /// A list of values.
    case array([JSONValue])
    /// Members with names.
    case object(JSONObject)
}

extension JSONValue {
    /// An integer, as the case that it belongs to.
    public init(_ value: some BinaryInteger) {
        if let value = Int64(exactly: value) {
            self = .int(value)
        } else if let value = UInt64(exactly: value) {
            self = .unsigned(value)
        } else {
            self = .double(Double(value))
        }
    }

    /// Whether this is `null`.
    public var isNull: Bool { self == .null }

    /// The text of a string; nil for anything else.
    public var stringValue: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The truth value; nil for anything else.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number, when it is one without a fraction that `Int` can hold.
    public var intValue: Int? { integer(Int.self) }

    /// The number, rounded where it is an integer beyond 2^53.
    public var doubleValue: Double? {
        switch self {
        case .int(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// The items of an array; nil for anything else.
    public var arrayValue: [JSONValue]? {
        if case .array(let items) = self { items } else { nil }
    }

    /// The members of an object; nil for anything else.
    public var objectValue: JSONObject? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The member of an object; nil where there is none, or no object.
    public subscript(name: String) -> JSONValue? { objectValue?[name] }

    /// The item of an array; nil where there is none, or no array.
    public subscript(index: Int) -> JSONValue? {
        guard case .array(let items) = self, items.indices.contains(index) else { return nil }
        return items[index]
    }

    /// The number as an integer of that type, if it is exactly one. `1.0` is: JSON knows no difference.
    func integer<I: FixedWidthInteger>(_: I.Type) -> I? {
        switch self {
        case .int(let value): I(exactly: value)
        case .unsigned(let value): I(exactly: value)
        case .double(let value): I(exactly: value)
        default: nil
        }
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int64) { self = .int(value) }
    public init(floatLiteral value: Double) { self = .double(value) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral items: JSONValue...) { self = .array(items) }
    public init(dictionaryLiteral members: (String, JSONValue)...) { self = .object(JSONObject(members)) }
}

extension JSONValue: CustomStringConvertible {
    /// The JSON text; numbers that no JSON has are shown as null.
    public var description: String { JSONWriter.text(of: self, strict: false) ?? "null" }
}
