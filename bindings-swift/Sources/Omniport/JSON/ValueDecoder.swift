/// Decodes a type from a JSON value. Coding paths are written only where something nests or fails.
struct ValueDecoder: Decoder {
    let value: JSONValue
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Members(members: try members(), codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let items) = value else { throw mismatch([Any].self, "an array") }
        return Items(items: items, codingPath: codingPath)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    func members() throws -> JSONObject {
        guard case .object(let members) = value else { throw mismatch([String: Any].self, "an object") }
        return members
    }

    private func mismatch(_ type: Any.Type, _ wanted: String) -> DecodingError {
        let text = "must be \(wanted), not \(value.kind)"
        if value.isNull { return .valueNotFound(type, .init(codingPath: codingPath, debugDescription: text)) }
        return .typeMismatch(type, .init(codingPath: codingPath, debugDescription: text))
    }
}

extension JSONValue {
    /// What it is, for people.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .int, .unsigned: "an integer"
        case .double: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension ValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value.isNull }

    func decode(_: Bool.Type) throws -> Bool {
        guard case .bool(let value) = value else { throw mismatch(Bool.self, "a boolean") }
        return value
    }

    func decode(_: String.Type) throws -> String {
        guard case .string(let text) = value else { throw mismatch(String.self, "a string") }
        return text
    }

    func decode(_: Double.Type) throws -> Double {
        guard let value = value.doubleValue else { throw mismatch(Double.self, "a number") }
        return value
    }

    func decode(_: Float.Type) throws -> Float { Float(try decode(Double.self)) }
    func decode(_: Int.Type) throws -> Int { try integer() }
    func decode(_: Int8.Type) throws -> Int8 { try integer() }
    func decode(_: Int16.Type) throws -> Int16 { try integer() }
    func decode(_: Int32.Type) throws -> Int32 { try integer() }
    func decode(_: Int64.Type) throws -> Int64 { try integer() }
    func decode(_: UInt.Type) throws -> UInt { try integer() }
    func decode(_: UInt8.Type) throws -> UInt8 { try integer() }
    func decode(_: UInt16.Type) throws -> UInt16 { try integer() }
    func decode(_: UInt32.Type) throws -> UInt32 { try integer() }
    func decode(_: UInt64.Type) throws -> UInt64 { try integer() }

    private func integer<I: FixedWidthInteger>() throws -> I {
        if let integer = value.integer(I.self) { return integer }
        throw mismatch(I.self, value.doubleValue == nil ? "an integer" : "an integer from \(I.min) to \(I.max)")
    }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if T.self == JSONValue.self, let value = value as? T { return value }
        if let made = try Foreign.decode(type, from: value, codingPath: codingPath) { return made }
        return try T(from: self)
    }
}

/// The members of an object.
private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: JSONObject
    let codingPath: [any CodingKey]

    var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

    private func at(_ key: Key) throws -> ValueDecoder {
        guard let value = members[key.stringValue] else {
            throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "is missing"))
        }
        return ValueDecoder(value: value, codingPath: codingPath + [key])
    }

    func decodeNil(forKey key: Key) throws -> Bool { try at(key).decodeNil() }

    /// A member that is just what is wanted; the others' decoder, which says what is wrong, has a path to write.
    private func plain<T>(_ key: Key, _ read: (JSONValue) -> T?, _ decode: (ValueDecoder) throws -> T) throws -> T {
        if let value = members[key.stringValue], let made = read(value) { return made }
        return try decode(at(key))
    }

    private func integer<I: FixedWidthInteger>(_ key: Key, _ decode: (ValueDecoder) throws -> I) throws -> I {
        try plain(key, { $0.integer(I.self) }, decode)
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try plain(key, \.boolValue) { try $0.decode(type) } }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try plain(key, \.stringValue) { try $0.decode(type) } }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try plain(key, \.doubleValue) { try $0.decode(type) } }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try at(key).decode(type) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try integer(key) { try $0.decode(type) } }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try integer(key) { try $0.decode(type) } }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try integer(key) { try $0.decode(type) } }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try integer(key) { try $0.decode(type) } }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try integer(key) { try $0.decode(type) } }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try integer(key) { try $0.decode(type) } }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try integer(key) { try $0.decode(type) } }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try integer(key) { try $0.decode(type) } }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try integer(key) { try $0.decode(type) } }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try integer(key) { try $0.decode(type) } }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try at(key).decode(type) }

    func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type, forKey key: Key) throws -> KeyedDecodingContainer<Nested> {
        try at(key).container(keyedBy: Nested.self)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { try at(key).unkeyedContainer() }

    func superDecoder() throws -> any Decoder {
        let key = AnyKey("super")
        return ValueDecoder(value: members[key.stringValue] ?? .null, codingPath: codingPath + [key])
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { try at(key) }
}

/// The items of an array.
private struct Items: UnkeyedDecodingContainer {
    let items: [JSONValue]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    init(items: [JSONValue], codingPath: [any CodingKey]) {
        self.items = items
        self.codingPath = codingPath
    }

    var count: Int? { items.count }
    var isAtEnd: Bool { currentIndex >= items.count }

    private func current(_ type: Any.Type) throws -> ValueDecoder {
        let path = codingPath + [AnyKey(currentIndex)]
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(type, .init(codingPath: path, debugDescription: "is missing"))
        }
        return ValueDecoder(value: items[currentIndex], codingPath: path)
    }

    private mutating func next<T>(_ decode: (ValueDecoder) throws -> T) throws -> T {
        let made = try decode(try current(T.self))
        currentIndex += 1
        return made
    }

    mutating func decodeNil() throws -> Bool {
        guard try current(Any?.self).decodeNil() else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try next { try $0.decode(type) } }
    mutating func decode(_ type: String.Type) throws -> String { try next { try $0.decode(type) } }
    mutating func decode(_ type: Double.Type) throws -> Double { try next { try $0.decode(type) } }
    mutating func decode(_ type: Float.Type) throws -> Float { try next { try $0.decode(type) } }
    mutating func decode(_ type: Int.Type) throws -> Int { try next { try $0.decode(type) } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try next { try $0.decode(type) } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try next { try $0.decode(type) } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try next { try $0.decode(type) } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try next { try $0.decode(type) } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try next { try $0.decode(type) } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next { try $0.decode(type) } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try next { try $0.decode(type) } }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try next { try $0.decode(type) } }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try next { try $0.decode(type) } }
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next { try $0.decode(type) } }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
        try next { try $0.container(keyedBy: Nested.self) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next { try $0.unkeyedContainer() } }
    mutating func superDecoder() throws -> any Decoder { try next { $0 } }
}
