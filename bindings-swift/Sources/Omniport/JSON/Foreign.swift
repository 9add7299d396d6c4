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

    static func encode(_ value: Any) -> JSONValue? {
        switch value {
        case let date as Date: .string(date.formatted(fractional))
        case let data as Data: .string(data.base64EncodedString())
        case let url as URL: .string(url.absoluteString)
        case let number as Decimal: try? JSONValue(parsing: number.description)
        default: nil
        }
    }

    private static func date(_ text: String) -> Date? {
        (try? Date(text, strategy: .iso8601)) ?? (try? Date(text, strategy: fractional))
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
