/// A decoder without a text: it writes down what is read and gives values to go on with.
struct RecordingDecoder: Decoder {
    let finder: SchemaFinder
    let shape: SchemaShape
    /// Where in the whole it reads, for messages.
    let path: String
    /// Values for members of an object, where others would be refused.
    var seeds: [String: JSONValue] = [:]

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy: Key.Type) -> KeyedDecodingContainer<Key> {
        shape.becomeObject()
        return KeyedDecodingContainer(RecordingMembers<Key>(decoder: self))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer {
        shape.becomeArray()
        return RecordingItems(decoder: self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { RecordingValue(decoder: self) }

    func path(to name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }
}

/// Members of an object.
private struct RecordingMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: RecordingDecoder

    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool {
        decoder.shape.seek(key.stringValue)
        return true
    }

    func decodeNil(forKey key: Key) -> Bool {
        decoder.shape.seek(key.stringValue)
        return false
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        let name = key.stringValue
        let (schema, sample) = try decoder.finder.read(type, at: decoder.path(to: name), seed: decoder.seeds[name])
        decoder.shape.add(name, schema, isRequired: true)
        return sample
    }

    private func optional<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T? {
        let name = key.stringValue
        let path = decoder.path(to: name)
        let schema: JSONValue
        do {
            schema = try decoder.finder.schema(of: type, at: path)
        } catch {
            // Nothing is needed to go on with, but a value that is allowed may be what its schema is found by.
            guard let seed = decoder.seeds[name] else { throw error }
            schema = try decoder.finder.read(type, at: path, seed: seed).schema
        }
        decoder.shape.add(name, schema, isRequired: false)
        return nil
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? { try optional(type, key) }
    // The library has ways of its own for these, which ask first and then decode.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try optional(type, key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try optional(type, key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try optional(type, key) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try optional(type, key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try optional(type, key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try optional(type, key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try optional(type, key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try optional(type, key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try optional(type, key) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedDecodingContainer<Nested> {
        nested(key.stringValue).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer { nested(key.stringValue).unkeyedContainer() }

    func superDecoder() -> any Decoder { nested("super") }

    func superDecoder(forKey key: Key) -> any Decoder { nested(key.stringValue) }

    private func nested(_ name: String) -> RecordingDecoder {
        RecordingDecoder(finder: decoder.finder, shape: decoder.shape.addNested(name), path: decoder.path(to: name))
    }
}

/// Items of an array. A type that asks whether there are more is given one; one that does not reads a fixed number.
private struct RecordingItems: UnkeyedDecodingContainer {
    let decoder: RecordingDecoder
    private(set) var currentIndex = 0

    init(decoder: RecordingDecoder) { self.decoder = decoder }

    var codingPath: [any CodingKey] { [] }
    var count: Int? { nil }

    var isAtEnd: Bool {
        decoder.shape.isList = true
        return currentIndex > 0
    }

    mutating func decodeNil() -> Bool { false }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let (schema, sample) = try decoder.finder.read(type, at: "\(decoder.path)[\(currentIndex)]", seed: nil)
        decoder.shape.add(item: schema)
        currentIndex += 1
        return sample
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
        throw unsupported
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { throw unsupported }

    mutating func superDecoder() throws -> any Decoder { throw unsupported }

    private var unsupported: OmniportError {
        decoder.finder.refusal("the items at `\(decoder.path)` are read by containers within an array; give them a type of their own")
    }
}

/// A single value, as enumerations with raw values and wrappers of one value read it.
private struct RecordingValue: SingleValueDecodingContainer {
    let decoder: RecordingDecoder

    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool {
        decoder.shape.isNullable = true
        return false
    }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let (schema, sample) = try decoder.finder.read(type, at: decoder.path, seed: nil)
        decoder.shape.be(schema)
        return sample
    }
}
