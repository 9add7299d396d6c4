/// Encodes a Swift value as JSON. Members keep the order in which the type writes them.
final class ValueEncoder: Encoder {
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    fileprivate var node: Node?

    private init(codingPath: [any CodingKey]) { self.codingPath = codingPath }

    /// The JSON of a value; an empty object for a type that writes nothing.
    static func encode(_ value: some Encodable, codingPath: [any CodingKey]) throws -> JSONValue {
        try encoded(value, codingPath: codingPath).value
    }

    fileprivate static func encoded(_ value: some Encodable, codingPath: [any CodingKey]) throws -> Node {
        if let value = value as? JSONValue { return .value(value) }
        if let value = try Foreign.encode(value, codingPath: codingPath) { return .value(value) }
        let encoder = ValueEncoder(codingPath: codingPath)
        try value.encode(to: encoder)
        return encoder.node ?? .value(.object([:]))
    }

    fileprivate static func reserved(codingPath: [any CodingKey]) -> ValueEncoder { ValueEncoder(codingPath: codingPath) }

    func container<Key: CodingKey>(keyedBy: Key.Type) -> KeyedEncodingContainer<Key> {
        let members: Members
        if case .object(let begun) = node { members = begun } else { members = Members() }
        node = .object(members)
        return KeyedEncodingContainer(ObjectContainer(members: members, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        let items: Items
        if case .array(let begun) = node { items = begun } else { items = Items() }
        node = .array(items)
        return ArrayContainer(items: items, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { SingleContainer(encoder: self) }
}

/// What was written so far; containers go on writing after others were begun.
private enum Node {
    case value(JSONValue)
    case object(Members)
    case array(Items)
    case encoder(ValueEncoder)

    var value: JSONValue {
        switch self {
        case .value(let value): value
        case .object(let members): .object(JSONObject(members.nodes.lazy.map { ($0, $1.value) }))
        case .array(let items): .array(items.nodes.map(\.value))
        case .encoder(let encoder): encoder.node?.value ?? .object([:])
        }
    }
}

private final class Members {
    var nodes: [(String, Node)] = []
}

private final class Items {
    var nodes: [Node] = []
}

private struct ObjectContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let members: Members
    let codingPath: [any CodingKey]

    private func put(_ node: Node, _ key: any CodingKey) { members.nodes.append((key.stringValue, node)) }

    func encodeNil(forKey key: Key) { put(.value(.null), key) }
    func encode(_ value: Bool, forKey key: Key) { put(.value(.bool(value)), key) }
    func encode(_ value: String, forKey key: Key) { put(.value(.string(value)), key) }
    func encode(_ value: Double, forKey key: Key) { put(.value(.double(value)), key) }
    func encode(_ value: Float, forKey key: Key) { put(.value(JSONValue(value)), key) }
    func encode(_ value: Int, forKey key: Key) { put(.value(JSONValue(value)), key) }
    func encode(_ value: Int8, forKey key: Key) { put(.value(JSONValue(value)), key) }
    func encode(_ value: Int16, forKey key: Key) { put(.value(JSONValue(value)), key) }
    func encode(_ value: Int32, forKey key: Key) { put(.value(JSONValue(value)), key) }
    func encode(_ value: Int64, forKey key: Key) { put(.value(JSONValue(value)), key) }
    func encode(_ value: UInt, forKey key: Key) { put(.value(JSONValue(value)), key) }
    func encode(_ value: UInt8, forKey key: Key) { put(.value(JSONValue(value)), key) }
    func encode(_ value: UInt16, forKey key: Key) { put(.value(JSONValue(value)), key) }
    func encode(_ value: UInt32, forKey key: Key) { put(.value(JSONValue(value)), key) }
    func encode(_ value: UInt64, forKey key: Key) { put(.value(JSONValue(value)), key) }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        put(try ValueEncoder.encoded(value, codingPath: codingPath + [key]), key)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
        let nested = Members()
        put(.object(nested), key)
        return KeyedEncodingContainer(ObjectContainer<Nested>(members: nested, codingPath: codingPath + [key]))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        let nested = Items()
        put(.array(nested), key)
        return ArrayContainer(items: nested, codingPath: codingPath + [key])
    }

    func superEncoder() -> any Encoder { above(AnyKey("super")) }
    func superEncoder(forKey key: Key) -> any Encoder { above(key) }

    private func above(_ key: any CodingKey) -> any Encoder {
        let encoder = ValueEncoder.reserved(codingPath: codingPath + [key])
        put(.encoder(encoder), key)
        return encoder
    }
}

private struct ArrayContainer: UnkeyedEncodingContainer {
    let items: Items
    let codingPath: [any CodingKey]

    var count: Int { items.nodes.count }

    private var nextPath: [any CodingKey] { codingPath + [AnyKey(count)] }

    private func put(_ value: JSONValue) { items.nodes.append(.value(value)) }

    func encodeNil() { put(.null) }
    func encode(_ value: Bool) { put(.bool(value)) }
    func encode(_ value: String) { put(.string(value)) }
    func encode(_ value: Double) { put(.double(value)) }
    func encode(_ value: Float) { put(JSONValue(value)) }
    func encode(_ value: Int) { put(JSONValue(value)) }
    func encode(_ value: Int8) { put(JSONValue(value)) }
    func encode(_ value: Int16) { put(JSONValue(value)) }
    func encode(_ value: Int32) { put(JSONValue(value)) }
    func encode(_ value: Int64) { put(JSONValue(value)) }
    func encode(_ value: UInt) { put(JSONValue(value)) }
    func encode(_ value: UInt8) { put(JSONValue(value)) }
    func encode(_ value: UInt16) { put(JSONValue(value)) }
    func encode(_ value: UInt32) { put(JSONValue(value)) }
    func encode(_ value: UInt64) { put(JSONValue(value)) }
    func encode(_ value: some Encodable) throws {
        items.nodes.append(try ValueEncoder.encoded(value, codingPath: nextPath))
    }

    func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type) -> KeyedEncodingContainer<Nested> {
        let (nested, path) = (Members(), nextPath)
        items.nodes.append(.object(nested))
        return KeyedEncodingContainer(ObjectContainer<Nested>(members: nested, codingPath: path))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        let (nested, path) = (Items(), nextPath)
        items.nodes.append(.array(nested))
        return ArrayContainer(items: nested, codingPath: path)
    }

    func superEncoder() -> any Encoder {
        let encoder = ValueEncoder.reserved(codingPath: nextPath)
        items.nodes.append(.encoder(encoder))
        return encoder
    }
}

private struct SingleContainer: SingleValueEncodingContainer {
    let encoder: ValueEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    private func put(_ value: JSONValue) { encoder.node = .value(value) }

    func encodeNil() { put(.null) }
    func encode(_ value: Bool) { put(.bool(value)) }
    func encode(_ value: String) { put(.string(value)) }
    func encode(_ value: Double) { put(.double(value)) }
    func encode(_ value: Float) { put(JSONValue(value)) }
    func encode(_ value: Int) { put(JSONValue(value)) }
    func encode(_ value: Int8) { put(JSONValue(value)) }
    func encode(_ value: Int16) { put(JSONValue(value)) }
    func encode(_ value: Int32) { put(JSONValue(value)) }
    func encode(_ value: Int64) { put(JSONValue(value)) }
    func encode(_ value: UInt) { put(JSONValue(value)) }
    func encode(_ value: UInt8) { put(JSONValue(value)) }
    func encode(_ value: UInt16) { put(JSONValue(value)) }
    func encode(_ value: UInt32) { put(JSONValue(value)) }
    func encode(_ value: UInt64) { put(JSONValue(value)) }
    func encode(_ value: some Encodable) throws {
        encoder.node = try ValueEncoder.encoded(value, codingPath: encoder.codingPath)
    }
}

extension JSONValue {
    /// A `Float` as the shortest number that stands for it.
    fileprivate init(_ value: Float) { self = .double(value.isFinite ? Double(value.description) ?? Double(value) : Double(value)) }
}
