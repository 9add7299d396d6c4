/// What the user did with a question.
public enum ElicitResult<Answer: Sendable>: Sendable {
    /// The user answered.
    case accept(Answer)
    /// The user said no.
    case decline
    /// The user dismissed the question, or the client did.
    case cancel

    /// The answer; nil when the user gave none.
    public var content: Answer? {
        if case .accept(let answer) = self { answer } else { nil }
    }

    /// Whether the user answered.
    public var isAccepted: Bool { content != nil }
}

extension ElicitResult: Equatable where Answer: Equatable {}

/// What the client's model answered.
public struct SampleResult: Sendable {
    /// The protocol's own object.
    public let json: JSONValue

    /// Who speaks: "assistant".
    public var role: String { json["role"]?.stringValue ?? "assistant" }
    /// The model that answered, as the client names it.
    public var model: String { json["model"]?.stringValue ?? "" }
    /// Why it stopped, such as "endTurn", "maxTokens", "toolUse".
    public var stopReason: String? { json["stopReason"]?.stringValue }
    /// A content block, or a list of them.
    public var content: JSONValue { json["content"] ?? .null }

    /// All text of the answer.
    public var text: String { (content.arrayValue ?? [content]).compactMap { $0["text"]?.stringValue }.joined() }
}

extension Context {
    /// Asks the user to fill in a form, whose members are those of `Form`: texts, numbers, booleans, choices. A text, number, boolean or
    /// enumeration alone, `elicit("Your name?", String.self)`, is a form with that one member, called `value`.
    ///
    /// `key` names the question, so that a modern client can answer it beforehand.
    ///
    /// See [Elicitation](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation).
    ///
    /// - Throws: ``OmniportError/missingCapability(_:)`` when the client cannot ask; ``OmniportError/definition(_:)`` for a type that no form has.
    public func elicit<Form: Decodable & Sendable>(
        _ message: String, _: Form.Type = Form.self, key: String? = nil
    ) async throws -> ElicitResult<Form> {
        let form = try FormSchema(of: Form.self)
        return try await elicit(message, schema: form.schema, key: key) { try form.read($0) }
    }

    /// Asks the user to choose one of these texts.
    public func elicit(_ message: String, choices: [String], key: String? = nil) async throws -> ElicitResult<String> {
        let form = FormSchema(asking: ["type": "string", "enum": .array(choices.map { .string($0) })])
        return try await elicit(message, schema: form.schema, key: key) { try form.read($0) }
    }

    /// Asks the user to fill in a form that a JSON Schema describes.
    public func elicit(_ message: String, schema: JSONValue, key: String? = nil) async throws -> ElicitResult<JSONValue> {
        try await elicit(message, schema: FormSchema(checking: schema).schema, key: key) { $0 }
    }

    /// Asks the user for a bare confirmation.
    public func confirm(_ message: String, key: String? = nil) async throws -> ElicitResult<JSONValue> {
        try await elicit(message, schema: ["type": "object", "properties": [:]], key: key)
    }

    /// Asks the user to open a page, for what must not pass through the client: credentials, payment. That it is accepted does not
    /// say that the page was used.
    ///
    /// See [URL mode](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#url-mode-elicitation-requests).
    public func elicitURL(_ message: String, url: String, key: String? = nil) async throws -> ElicitResult<JSONValue> {
        let question: JSONValue = ["mode": "url", "message": .string(message), "url": .string(url)]
        return try Self.result(of: try await ask("elicit", question, key: key)) { $0 }
    }

    private func elicit<Answer: Sendable>(
        _ message: String, schema: JSONValue, key: String?, _ read: (JSONValue) throws -> Answer
    ) async throws -> ElicitResult<Answer> {
        let question: JSONValue = ["message": .string(message), "requestedSchema": schema]
        return try Self.result(of: try await ask("elicit", question, key: key), read)
    }

    /// Content is looked at for "accept" only, and an action that nobody knows counts as "cancel" (Y17).
    private static func result<Answer>(of raw: JSONValue, _ read: (JSONValue) throws -> Answer) throws -> ElicitResult<Answer> {
        switch raw["action"]?.stringValue {
        case "accept": .accept(try read(raw["content"] ?? [:]))
        case "decline": .decline
        default: .cancel
        }
    }

    /// Asks the client's model one thing.
    public func sample(_ text: String, options: JSONObject = [:], key: String? = nil) async throws -> SampleResult {
        try await sample([.user(text)], options: options, key: key)
    }

    /// Asks the client's model.
    ///
    /// The options are the protocol's own members: `maxTokens` (1024 when nothing is said), `systemPrompt`, `temperature`, `tools`.
    ///
    /// See [Sampling](https://modelcontextprotocol.io/specification/2026-07-28/client/sampling).
    public func sample(_ messages: [Message], options: JSONObject = [:], key: String? = nil) async throws -> SampleResult {
        var question: JSONObject = ["maxTokens": 1024]
        for (name, value) in options { question[name] = value }
        question.set("messages", encoding: messages)
        return SampleResult(json: try await ask("sample", .object(question), key: key))
    }

    /// The directories that the client offers.
    ///
    /// See [Roots](https://modelcontextprotocol.io/specification/2026-07-28/client/roots).
    public func listRoots(key: String? = nil) async throws -> [Root] {
        let raw = try await ask("roots", [:], key: key)
        return try raw["roots"]?.decode([Root].self) ?? []
    }
}
