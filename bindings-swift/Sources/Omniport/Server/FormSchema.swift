/// The schema of a form, which has flat members only, and how its answer is read.
struct FormSchema {
    let schema: JSONValue
    /// The one member of a form that asks for a single value.
    private let single: String?

    private static let keywords: Set<String> = [
        "type", "title", "description", "default", "enum", "enumNames", "oneOf", "const", "format", "minLength", "maxLength", "minimum",
        "maximum", "pattern", "items", "minItems", "maxItems",
    ]
    private static let primitives: Set<String> = ["string", "number", "integer", "boolean"]

    /// The form with the members of a type, or with the type as its one member.
    ///
    /// - Throws: ``OmniportError/definition(_:)`` that names the member that no form has.
    init(of type: any Decodable.Type) throws {
        let schema = try SchemaFinder.schema(of: type, for: "form `\(type)`")
        guard let properties = schema["properties"]?.objectValue else {
            self = Self(asking: try Self.flat("value", schema))
            return
        }
        var form: JSONObject = ["type": "object"]
        form["properties"] = .object(JSONObject(try properties.map { ($0.key, try Self.flat($0.key, $0.value)) }))
        form.set("required", schema["required"])
        self.schema = .object(form)
        single = nil
    }

    /// The form that asks for one value.
    init(asking member: JSONValue) {
        schema = ["type": "object", "properties": ["value": member], "required": ["value"]]
        single = "value"
    }

    /// A form as it is given; what clients may refuse fails here, where its author sees it.
    ///
    /// - Throws: ``OmniportError/definition(_:)`` that names what no form has.
    init(checking schema: JSONValue) throws {
        guard case .object(var members) = schema, schema["type"] == "object" else {
            throw OmniportError.definition("the schema of a form has the type \"object\"")
        }
        for (name, member) in schema["properties"]?.objectValue ?? [:] { _ = try Self.flat(name, member) }
        if members["properties"] == nil { members["properties"] = [:] }
        self.schema = .object(members)
        single = nil
    }

    /// The answer as a value of the type.
    ///
    /// - Throws: ``OmniportError/invalidParams(_:)`` that says what is wrong with the user's answer.
    func read<Answer: Decodable>(_ content: JSONValue) throws -> Answer {
        guard let answer = single.map({ content[$0] }) ?? content else {
            throw OmniportError.invalidParams("The answer to the form is not valid: `value` is missing")
        }
        do {
            return try answer.decode()
        } catch {
            throw OmniportError.invalidParams(.init("The answer to the form is not valid: \(text(of: error))"))
        }
    }

    private static func flat(_ name: String, _ member: JSONValue) throws -> JSONValue {
        if let branch = member["anyOf"]?.arrayValue?.first(where: { $0["type"] != "null" }) { return try flat(name, branch) }
        let type = member["type"]?.stringValue ?? ""
        let isChoice = member["enum"] != nil || member["oneOf"] != nil
        let isMultiple = type == "array" && (member["items"]?["enum"] != nil || member["items"]?["anyOf"] != nil)
        guard primitives.contains(type) || isChoice || isMultiple else {
            throw OmniportError.definition(
                .init("the member `\(name)` of the form is no text, number, boolean or choice; a form has flat members only"))
        }
        return .object(JSONObject((member.objectValue ?? [:]).filter { keywords.contains($0.key) }.map { ($0.key, $0.value) }))
    }
}
