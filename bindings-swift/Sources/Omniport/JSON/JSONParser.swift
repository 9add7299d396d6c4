extension JSONValue {
    /// Reads a JSON text.
    ///
    /// - Throws: ``OmniportError/parse(_:)`` with the place in bytes; ``OmniportError/limit(_:)`` for a text that is nested deeper than 512
    ///   levels.
    public init(parsing text: String) throws {
        var text = text
        self = try text.withUTF8 { bytes in
            var parser = JSONParser(bytes)
            return try parser.document()
        }
    }
}

/// Reads JSON in one pass over its bytes.
struct JSONParser {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var at = 0
    private var depth = 0

    /// As far as the stack of a task is safe; the engine's `json_depth` is reached long before.
    private static let deepest = 512

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// The one value of the text.
    mutating func document() throws -> JSONValue {
        let value = try value()
        skipSpace()
        guard at == bytes.count else { throw wrong("more text behind the value") }
        return value
    }

    private mutating func value() throws -> JSONValue {
        skipSpace()
        guard let byte = peek else { throw wrong("the text ends too early") }
        switch byte {
        case UInt8(ascii: "{"): return .object(try object())
        case UInt8(ascii: "["): return .array(try array())
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw wrong("no JSON value begins like this")
        }
    }

    private mutating func object() throws -> JSONObject {
        try enter()
        var members = JSONObject()
        if skip(UInt8(ascii: "}")) { return leave(members) }
        repeat {
            skipSpace()
            guard peek == UInt8(ascii: "\"") else { throw wrong("a member begins with its name") }
            let name = try string()
            guard skip(UInt8(ascii: ":")) else { throw wrong("`:` is missing behind the name of a member") }
            members[name] = try value()
        } while skip(UInt8(ascii: ","))
        guard skip(UInt8(ascii: "}")) else { throw wrong("`,` or `}` is missing") }
        return leave(members)
    }

    private mutating func array() throws -> [JSONValue] {
        try enter()
        var items: [JSONValue] = []
        if skip(UInt8(ascii: "]")) { return leave(items) }
        repeat { items.append(try value()) } while skip(UInt8(ascii: ","))
        guard skip(UInt8(ascii: "]")) else { throw wrong("`,` or `]` is missing") }
        return leave(items)
    }

    private mutating func enter() throws {
        at += 1
        depth += 1
        guard depth <= Self.deepest else {
            throw OmniportError.limit(.init("nested deeper than \(Self.deepest) levels, at byte \(at)", context: ["limit": "json_depth"]))
        }
    }

    private mutating func leave<T>(_ made: T) -> T {
        depth -= 1
        return made
    }

    // MARK: Strings

    private mutating func string() throws -> String {
        at += 1
        let start = at
        while at < bytes.count {
            switch bytes[at] {
            case UInt8(ascii: "\""):
                at += 1
                return String(decoding: bytes[start..<(at - 1)], as: UTF8.self)
            case UInt8(ascii: "\\"): return try escapedString(from: start)
            case 0..<0x20: throw wrong("a control character within a string")
            default: at += 1
            }
        }
        throw wrong("a string has no end")
    }

    /// Goes on at the first escape of a string.
    private mutating func escapedString(from start: Int) throws -> String {
        var units = Array(bytes[start..<at])
        while at < bytes.count {
            let byte = bytes[at]
            at += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: units, as: UTF8.self)
            case UInt8(ascii: "\\"): units.append(contentsOf: try escape())
            case 0..<0x20: throw wrong("a control character within a string")
            default: units.append(byte)
            }
        }
        throw wrong("a string has no end")
    }

    private mutating func escape() throws -> String.UTF8View {
        guard let byte = peek else { throw wrong("a string has no end") }
        at += 1
        switch byte {
        case UInt8(ascii: "n"): return "\n".utf8
        case UInt8(ascii: "t"): return "\t".utf8
        case UInt8(ascii: "r"): return "\r".utf8
        case UInt8(ascii: "b"): return "\u{8}".utf8
        case UInt8(ascii: "f"): return "\u{c}".utf8
        case UInt8(ascii: "u"): return String(try scalar()).utf8
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return String(UnicodeScalar(byte)).utf8
        default: throw wrong("no such escape")
        }
    }

    /// A surrogate without its other half is U+FFFD: no Swift string can hold it.
    private mutating func scalar() throws -> Character {
        let first = try unit()
        guard UTF16.isSurrogate(first) else { return Character(UnicodeScalar(first) ?? "\u{FFFD}") }
        guard UTF16.isLeadSurrogate(first), at + 1 < bytes.count, bytes[at] == UInt8(ascii: "\\"), bytes[at + 1] == UInt8(ascii: "u")
        else { return "\u{FFFD}" }
        let back = at
        at += 2
        let second = try unit()
        guard UTF16.isTrailSurrogate(second) else {
            at = back
            return "\u{FFFD}"
        }
        return Character(UTF16.decode(UTF16.EncodedScalar([first, second])))
    }

    private mutating func unit() throws -> UInt16 {
        guard at + 4 <= bytes.count, let unit = UInt16(String(decoding: bytes[at..<(at + 4)], as: UTF8.self), radix: 16),
            bytes[at] != UInt8(ascii: "+"), bytes[at] != UInt8(ascii: "-")
        else { throw wrong("four hexadecimal digits are missing") }
        at += 4
        return unit
    }

    // MARK: Numbers

    private mutating func number() throws -> JSONValue {
        let start = at
        let isNegative = peek == UInt8(ascii: "-")
        if isNegative { at += 1 }
        var magnitude: UInt64 = 0
        var isExact = true
        let first = at
        while let digit = digit() {
            let (product, over) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, overToo) = product.addingReportingOverflow(digit)
            isExact = isExact && !over && !overToo
            magnitude = sum
        }
        guard at > first, at == first + 1 || bytes[first] != UInt8(ascii: "0") else { throw wrong("no number is written so") }
        let isWhole = try !fraction()
        if isWhole, isExact {
            if !isNegative { return JSONValue(magnitude) }
            if magnitude <= UInt64(Int64.max) + 1, magnitude > 0 { return .int(Int64(truncatingIfNeeded: 0 &- magnitude)) }
        }
        // One that no machine has is infinite: the rest of the message must not be lost for it.
        guard let value = Double(String(decoding: bytes[start..<at], as: UTF8.self)) else { throw wrong("no number is written so") }
        return .double(value)
    }

    /// Skips the fraction and the exponent; whether there is one.
    private mutating func fraction() throws -> Bool {
        let start = at
        if peek == UInt8(ascii: ".") {
            at += 1
            try digits()
        }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            at += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { at += 1 }
            try digits()
        }
        return at > start
    }

    private mutating func digits() throws {
        guard digit() != nil else { throw wrong("a digit is missing") }
        while digit() != nil {}
    }

    private mutating func digit() -> UInt64? {
        guard let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        at += 1
        return UInt64(byte - UInt8(ascii: "0"))
    }

    // MARK: Bytes

    private var peek: UInt8? { at < bytes.count ? bytes[at] : nil }

    private mutating func skipSpace() {
        while at < bytes.count, bytes[at] == 0x20 || bytes[at] == 0x0A || bytes[at] == 0x0D || bytes[at] == 0x09 { at += 1 }
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        skipSpace()
        guard peek == byte else { return false }
        at += 1
        return true
    }

    private mutating func literal(_ word: StaticString, _ value: JSONValue) throws -> JSONValue {
        let end = at + word.utf8CodeUnitCount
        guard end <= bytes.count, (at..<end).allSatisfy({ bytes[$0] == word.utf8Start[$0 - at] }) else {
            throw wrong("no JSON value begins like this")
        }
        at = end
        return value
    }

    private func wrong(_ what: String) -> OmniportError { .parse(.init("\(what), at byte \(at)")) }
}
