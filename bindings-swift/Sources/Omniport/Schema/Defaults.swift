/// What a type uses for members that are left out, read off a value that was made without them.
enum Defaults {
    static func filled(_ schema: JSONObject, from sample: Any) -> JSONObject {
        guard var properties = schema["properties"]?.objectValue else { return schema }
        let required = Set(schema["required"]?.arrayValue?.compactMap(\.stringValue) ?? [])
        let optional = properties.keys.filter { !required.contains($0) && properties[$0]?["default"] == nil }
        guard !optional.isEmpty else { return schema }
        let values = members(of: sample)
        for name in optional {
            guard let value = values[name], !value.isNull, case .object(var member)? = properties[name] else { continue }
            member["default"] = value
            properties[name] = .object(member)
        }
        var filled = schema
        filled["properties"] = .object(properties)
        return filled
    }

    /// By its own encoder, which knows the coding keys; else the stored properties, whose names are the keys most of the time.
    private static func members(of sample: Any) -> [String: JSONValue] {
        if let sample = sample as? any Encodable, let members = (try? JSON.value(of: sample))?.objectValue {
            return Dictionary(members.map { ($0.key, $0.value) }) { _, last in last }
        }
        var members: [String: JSONValue] = [:]
        for child in Mirror(reflecting: sample).children {
            if let name = child.label, let value = child.value as? any Encodable { members[name] = try? JSON.value(of: value) }
        }
        return members
    }
}
