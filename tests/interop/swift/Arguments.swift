import Omniport

/// The least arguments that a JSON Schema takes, for tools of which servers.json says nothing; the other walkers have the same rules.
///
/// - Returns: an object with the required members only; of several choices the first.
func example(of schema: JSONObject) -> JSONValue {
    let root = JSONValue.object(schema)
    return one(root, root)
}

private func one(_ schema: JSONValue, _ root: JSONValue) -> JSONValue {
    if let reference = schema["$ref"]?.stringValue {
        let target = reference.split(separator: "/").dropFirst().reduce(root) { place, part in place[String(part)] ?? [:] }
        return one(target, root)
    }
    if let fixed = schema["const"] ?? schema["default"] ?? schema["enum"]?[0] ?? schema["examples"]?[0] { return fixed }
    if let choice = (schema["anyOf"] ?? schema["oneOf"] ?? schema["allOf"])?[0] { return one(choice, root) }
    let type = schema["type"]
    switch (type?[0] ?? type)?.stringValue ?? (schema["properties"] == nil ? "string" : "object") {
    case "object":
        let names = schema["required"]?.arrayValue?.compactMap(\.stringValue) ?? []
        return .object(JSONObject(names.map { ($0, one(schema["properties"]?[$0] ?? [:], root)) }))
    case "array":
        return .array((0..<(schema["minItems"]?.intValue ?? 0)).map { _ in one(schema["items"] ?? [:], root) })
    case "integer", "number": return max(1, schema["minimum"]?.doubleValue ?? 1) == 1 ? 1 : schema["minimum"] ?? 1
    case "boolean": return false
    case "null": return .null
    default: return "text"
    }
}
