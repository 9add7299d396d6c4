/// Setters of members that may not be there.
extension JSONObject {
    mutating func set(_ name: String, _ value: JSONValue?) { if let value { self[name] = value } }
    mutating func set(_ name: String, _ value: String?) { if let value { self[name] = .string(value) } }
    mutating func set(_ name: String, _ value: Int?) { if let value { self[name] = JSONValue(value) } }
    mutating func set(_ name: String, _ value: Bool?) { if let value { self[name] = .bool(value) } }
    /// In seconds.
    mutating func set(_ name: String, _ value: Duration?) { if let value { self[name] = .double(value.seconds) } }
    mutating func set(_ name: String, texts: [String]?) { if let texts { self[name] = .array(texts.map { .string($0) }) } }
    /// A value that the protocol's types encode; none of them fails to.
    mutating func set(_ name: String, encoding value: (some Encodable)?) { if let value { self[name] = try? JSON.value(of: value) } }
}

extension Duration {
    var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }

    /// Whole milliseconds; those of a time that no number holds are the most that one does.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isTooMany) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, isStillTooMany) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return isTooMany || isStillTooMany ? (seconds < 0 ? .min : .max) : sum
    }
}
