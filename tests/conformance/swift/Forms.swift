import Omniport

/// Tools that ask the client's user or model one question: forms with defaults and choices, a sample.
func addForms(to app: Server) {
    struct Message: Decodable { let message: String }
    struct User: Codable { let username: String, email: String }
    app.tool("test_elicitation", "Asks the user for a name and an address.") { (args: Message, cx) in
        "User response: \(outcome(try await cx.elicit(args.message, User.self)) { try? JSONValue(encoding: $0) })"
    }
    app.tool("test_elicitation_sep1034_defaults", "Asks with a default for each kind of member.") { (cx: Context) in
        let answer = try await cx.elicit("Please review and update the form fields with defaults", schema: withDefaults)
        return "Elicitation completed: \(outcome(answer) { $0 })"
    }
    app.tool("test_elicitation_sep1330_enums", "Asks with every kind of choice.") { (cx: Context) in
        let answer = try await cx.elicit("Please select options from the enum fields", schema: withChoices)
        return "Elicitation completed: \(outcome(answer) { $0 })"
    }
    struct Ask: Decodable { let prompt: String }
    app.tool("test_sampling", "Asks the client's model.") { (args: Ask, cx) in
        "LLM response: \(try await cx.sample(args.prompt, options: ["maxTokens": 100]).text)"
    }
    app.tool("test_missing_capability", "Needs a model, and fails for a client that did not declare one.") { (cx: Context) in
        try await cx.sample("Hello", options: ["maxTokens": 1]).text
    }
}

private func outcome<Answer>(_ answer: ElicitResult<Answer>, _ content: (Answer) -> JSONValue?) -> String {
    switch answer {
    case .accept(let form): "action=accept, content=\(content(form) ?? [:])"
    case .decline: "action=decline, content={}"
    case .cancel: "action=cancel, content={}"
    }
}

private let withDefaults: JSONValue = [
    "type": "object",
    "properties": [
        "name": ["type": "string", "description": "User name", "default": "John Doe"],
        "age": ["type": "integer", "description": "User age", "default": 30],
        "score": ["type": "number", "description": "User score", "default": 95.5],
        "status": [
            "type": "string", "description": "User status", "enum": ["active", "inactive", "pending"], "default": "active",
        ],
        "verified": ["type": "boolean", "description": "Verification status", "default": true],
    ],
    "required": [],
]

private let withChoices: JSONValue = [
    "type": "object",
    "properties": [
        "untitledSingle": ["type": "string", "description": "One option", "enum": ["option1", "option2", "option3"]],
        "titledSingle": [
            "type": "string", "description": "One option with titles",
            "oneOf": [
                ["const": "value1", "title": "First Option"], ["const": "value2", "title": "Second Option"],
                ["const": "value3", "title": "Third Option"],
            ],
        ],
        "legacyEnum": [
            "type": "string", "description": "One option, titles the old way", "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        ],
        "untitledMulti": [
            "type": "array", "description": "Several options", "minItems": 1, "maxItems": 3,
            "items": ["type": "string", "enum": ["option1", "option2", "option3"]],
        ],
        "titledMulti": [
            "type": "array", "description": "Several options with titles", "minItems": 1, "maxItems": 3,
            "items": [
                "anyOf": [
                    ["const": "value1", "title": "First Choice"], ["const": "value2", "title": "Second Choice"],
                    ["const": "value3", "title": "Third Choice"],
                ]
            ],
        ],
    ],
    "required": [],
]
