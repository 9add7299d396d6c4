import Foundation

/// Types of Foundation whose own coding is none that a JSON Schema would describe.
enum Foreign {
    private static let fractional = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    static func decode<T>(_: T.Type, from value: JSONValue, codingPath: [any CodingKey]) throws -> T? {
        let made: Any?
        let wanted: String
        if T.self == Date.self {
            (made, wanted) = (value.stringValue.flatMap(date), "an ISO 8601 date and time")
        } else if T.self == Data.self {
            (made, wanted) = (value.stringValue.flatMap { Data(base64Encoded: $0) }, "base64")
        } else if T.self == URL.self {
            (made, wanted) = (value.stringValue.flatMap { URL(string: $0) }, "a URL")
        } else if T.self == Decimal.self {
            (made, wanted) = (decimal(value), "a number")
        } else {
            return nil
        }
        if let made = made as? T { return made }
        throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: "must be \(wanted)"))
    }

    static func encode(_ value: Any, codingPath: [any CodingKey]) throws -> JSONValue? {
        switch value {
        case let date as Date: .string(try text(of: date, codingPath))
        case let data as Data: .string(data.base64EncodedString())
        case let url as URL: .string(url.absoluteString)
        case let number as Decimal: number.isNaN ? .double(.nan) : try? JSONValue(parsing: number.description)
        default: nil
        }
    }

    /// The years that ISO 8601 writes with four digits; for a date that is far beyond them its formatter ends the process.
    private static let years = Date(timeIntervalSince1970: -62_135_596_800)..<Date(timeIntervalSince1970: 253_402_300_800)

    private static func text(of date: Date, _ codingPath: [any CodingKey]) throws -> String {
        if years.contains(date) { return date.formatted(fractional) }
        // Without the date itself: whoever prints it comes to the same formatter.
        let place = codingPath.isEmpty ? "the value" : "`\(path(codingPath))`"
        throw OmniportError.definition(
            .init("\(place) is \(date.timeIntervalSince1970) seconds after 1970, a date of no year from 1 to 9999"))
    }

    private static func date(_ text: String) -> Date? {
        // The parser reads what it knows and leaves the rest.
        let isWhole = text.utf8.dropLast().allSatisfy { (UInt8(ascii: "+")...UInt8(ascii: ":")).contains($0) || $0 == UInt8(ascii: "T") }
        guard isWhole else { return nil }
        return (try? Date(text, strategy: .iso8601)) ?? (try? Date(text, strategy: fractional))
    }

    private static func decimal(_ value: JSONValue) -> Decimal? {
        switch value {
        case .int(let value): Decimal(value)
        case .unsigned(let value): Decimal(value)
        case .double(let value): Decimal(string: value.description)
        default: nil
        }
    }
}
