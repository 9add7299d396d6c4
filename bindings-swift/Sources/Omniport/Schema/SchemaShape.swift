/// What a decoder was seen to read at one place: the members of an object, the items of an array, or a single value.
///
/// A class, because containers of one decoder share it: a subclass and its superclass read members of the same object.
final class SchemaShape {
    /// One member of an object.
    struct Member {
        let name: String
        var schema: JSONValue
        var isRequired: Bool
    }

    private(set) var isObject = false
    private(set) var members: [Member] = []
    /// Members that the type asks after before it reads them, so it can do without.
    private var sought: Set<String> = []
    /// Members that are objects or arrays themselves, read through containers of their own.
    private var nested: [String: SchemaShape] = [:]

    private(set) var items: [JSONValue]?
    /// Whether the items are read until there are no more, rather than a fixed number of them.
    var isList = false
    private var single: JSONValue?
    var isNullable = false

    func becomeObject() { isObject = true }

    func becomeArray() { items = items ?? [] }

    func seek(_ name: String) { sought.insert(name) }

    /// The first way in which a member is read counts: what follows are attempts with other types.
    func add(_ name: String, _ schema: JSONValue, isRequired: Bool) {
        guard !members.contains(where: { $0.name == name }) else { return }
        members.append(Member(name: name, schema: schema, isRequired: isRequired && !sought.contains(name)))
    }

    func addNested(_ name: String) -> SchemaShape {
        if let shape = nested[name] { return shape }
        let shape = SchemaShape()
        add(name, .null, isRequired: true)
        nested[name] = shape
        return shape
    }

    func add(item: JSONValue) { items = (items ?? []) + [item] }

    func be(_ schema: JSONValue) { single = single ?? schema }

    /// The JSON Schema of what was seen.
    func schema() -> JSONValue {
        if isObject { return .object(objectSchema()) }
        if let items { return .object(arraySchema(items)) }
        let value = single ?? [:]
        return isNullable && value != [:] ? ["anyOf": [value, ["type": "null"]]] : value
    }

    private func objectSchema() -> JSONObject {
        let properties = members.map { ($0.name, nested[$0.name]?.schema() ?? $0.schema) }
        var schema: JSONObject = ["type": "object", "properties": .object(JSONObject(properties))]
        let required = members.filter(\.isRequired).map { JSONValue.string($0.name) }
        if !required.isEmpty { schema["required"] = .array(required) }
        return schema
    }

    private func arraySchema(_ items: [JSONValue]) -> JSONObject {
        var schema: JSONObject = ["type": "array"]
        if isList {
            if let item = items.first { schema["items"] = item }
        } else if !items.isEmpty {
            schema["prefixItems"] = .array(items)
            schema["minItems"] = JSONValue(items.count)
            schema["maxItems"] = JSONValue(items.count)
        }
        return schema
    }
}
