/// A type that says more of its members than its decoder does: descriptions, choices, bounds, defaults.
///
/// ```swift
/// struct Search: Decodable, SchemaDescribing {
///     var query: String
///     var limit: Int?
///     static let schemaOverrides: [SchemaOverride] = [
///         .describe("query", "What to look for."),
///         .minimum("limit", 1), .maximum("limit", 100), .default("limit", 10),
///     ]
/// }
/// ```
public protocol SchemaDescribing {
    /// Refinements of the schema that the decoder gives; a member that it does not read is refused at registration.
    static var schemaOverrides: [SchemaOverride] { get }
}

/// A type whose schema cannot be found by running its decoder, and that says it itself: one that refuses values while it is decoded, an
/// enumeration with associated values.
public protocol SchemaProviding: Decodable {
    /// The whole JSON Schema.
    static var schema: JSONValue { get }
    /// Any value that is allowed; a type that has a member of this one is tried with it.
    static var schemaSample: Self { get }
}

/// One keyword of the schema of a member, or of the type itself.
public struct SchemaOverride: Sendable, Hashable {
    /// The member by its coding key; nil: the type itself.
    public let key: String?
    /// The keyword of JSON Schema.
    public let keyword: String
    /// What the keyword says.
    public let value: JSONValue

    /// Any keyword.
    public static func keyword(_ key: String?, _ keyword: String, _ value: JSONValue) -> Self {
        Self(key: key, keyword: keyword, value: value)
    }

    /// What the type is for.
    public static func describe(_ text: String) -> Self { keyword(nil, "description", .string(text)) }

    /// What the member is for.
    public static func describe(_ key: String, _ text: String) -> Self { keyword(key, "description", .string(text)) }

    /// What people are shown as the name of the member.
    public static func title(_ key: String, _ text: String) -> Self { keyword(key, "title", .string(text)) }

    /// The values that the member may have.
    public static func oneOf(_ key: String, _ values: [JSONValue]) -> Self { keyword(key, "enum", .array(values)) }

    /// What is used when the member is left out. It is published; the type itself has to use it.
    public static func `default`(_ key: String, _ value: JSONValue) -> Self { keyword(key, "default", value) }

    /// The least number that is allowed.
    public static func minimum(_ key: String, _ bound: Double) -> Self { keyword(key, "minimum", number(bound)) }
    /// The greatest number that is allowed.
    public static func maximum(_ key: String, _ bound: Double) -> Self { keyword(key, "maximum", number(bound)) }
    /// The number that the member must be greater than.
    public static func exclusiveMinimum(_ key: String, _ bound: Double) -> Self { keyword(key, "exclusiveMinimum", number(bound)) }
    /// The number that the member must be less than.
    public static func exclusiveMaximum(_ key: String, _ bound: Double) -> Self { keyword(key, "exclusiveMaximum", number(bound)) }
    /// The number that the member must be a whole multiple of.
    public static func multipleOf(_ key: String, _ step: Double) -> Self { keyword(key, "multipleOf", number(step)) }

    /// In characters.
    public static func minLength(_ key: String, _ length: Int) -> Self { keyword(key, "minLength", JSONValue(length)) }
    /// In characters.
    public static func maxLength(_ key: String, _ length: Int) -> Self { keyword(key, "maxLength", JSONValue(length)) }
    /// A regular expression (ECMA-262) that is to be found in the text.
    public static func pattern(_ key: String, _ expression: String) -> Self { keyword(key, "pattern", .string(expression)) }
    /// A format of JSON Schema: "email", "date", "ipv4".
    public static func format(_ key: String, _ name: String) -> Self { keyword(key, "format", .string(name)) }

    /// The least count of items.
    public static func minItems(_ key: String, _ count: Int) -> Self { keyword(key, "minItems", JSONValue(count)) }
    /// The greatest count of items.
    public static func maxItems(_ key: String, _ count: Int) -> Self { keyword(key, "maxItems", JSONValue(count)) }
    /// Values that show what is meant; none of them is checked.
    public static func examples(_ key: String, _ values: [JSONValue]) -> Self { keyword(key, "examples", .array(values)) }

    private static func number(_ value: Double) -> JSONValue { Int64(exactly: value).map { .int($0) } ?? .double(value) }
}
