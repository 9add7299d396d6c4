extension JSONValue {
    /// The JSON text.
    ///
    /// - Throws: ``OmniportError/definition(_:)`` for a number that no JSON has.
    public func text() throws -> String {
        guard let text = JSONWriter.text(of: self, strict: true) else {
            let (place, number) = unwritable(at: "") ?? ("", .nan)
            throw OmniportError.definition(
                .init("\(place.isEmpty ? "the value" : "`\(place.drop { $0 == "." })`") is \(number), and JSON has no such number"))
        }
        return text
    }

    /// The first number that no JSON has, and where it is: `rows[1].price`.
    private func unwritable(at place: String) -> (String, Double)? {
        switch self {
        case .double(let value): value.isFinite ? nil : (place, value)
        case .array(let items): items.indices.lazy.compactMap { items[$0].unwritable(at: "\(place)[\($0)]") }.first
        case .object(let members): members.lazy.compactMap { $0.value.unwritable(at: "\(place).\($0.key)") }.first
        default: nil
        }
    }
}

/// Writes JSON without spaces and line breaks.
struct JSONWriter {
    private var bytes: [UInt8] = []
    private var isWhole = true

    /// The text; nil when strict and there is a number that no JSON has, which is null otherwise.
    static func text(of value: JSONValue, strict: Bool) -> String? {
        var writer = JSONWriter()
        writer.write(value)
        return strict && !writer.isWhole ? nil : String(decoding: writer.bytes, as: UTF8.self)
    }

    private mutating func write(_ value: JSONValue) {
        switch value {
        case .null: append("null")
        case .bool(let value): append(value ? "true" : "false")
        case .int(let value): append(String(value))
        case .unsigned(let value): append(String(value))
        case .double(let value) where value.isFinite: append(number(value))
        case .double:
            isWhole = false
            append("null")
        case .string(let text): write(text)
        case .array(let items):
            bytes.append(UInt8(ascii: "["))
            for (place, item) in items.enumerated() {
                if place > 0 { bytes.append(UInt8(ascii: ",")) }
                write(item)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (place, member) in members.enumerated() {
                if place > 0 { bytes.append(UInt8(ascii: ",")) }
                write(member.key)
                bytes.append(UInt8(ascii: ":"))
                write(member.value)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// A whole number has no fraction: `50`, as peers send it, and not `50.0`. From 2^53 on not every whole number is a `Double`.
    private func number(_ value: Double) -> String {
        guard let whole = Int64(exactly: value), whole.magnitude < 1 << 53 else { return value.description }
        return String(whole)
    }

    private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    private mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            // In pieces: what needs no escape is most of a large text.
            var start = 0
            for (place, byte) in utf8.enumerated() where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start..<place]))
                escape(byte)
                start = place + 1
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start...]))
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case 0x0A: append("\\n")
        case 0x0D: append("\\r")
        case 0x09: append("\\t")
        default:
            append("\\u00")
            bytes.append(Self.digit(byte >> 4))
            bytes.append(Self.digit(byte & 15))
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
