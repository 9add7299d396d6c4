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

/// A question to the client, to be asked together with others by `together` of ``Context``.
public struct Question<Answer: Sendable>: Sendable {
    /// As the engine takes it.
    let json: JSONValue
    let read: @Sendable (JSONValue) throws -> Answer

    fileprivate init(_ what: String, _ params: JSONValue, key: String?, _ read: @escaping @Sendable (JSONValue) throws -> Answer) {
        var members: JSONObject = [what: params]
        members.set("key", key)
        json = .object(members)
        self.read = read
    }
}

extension Question {
    /// To the user: a form, whose members are those of `Form`: texts, numbers, booleans, choices.
    ///
    /// `key` names the question, so that a modern client can answer it beforehand.
    ///
    /// - Throws: ``OmniportError/definition(_:)`` when no form has such members.
    public static func elicit<Form: Decodable & Sendable>(
        _ message: String, _: Form.Type = Form.self, key: String? = nil
    ) throws -> Question where Answer == ElicitResult<Form> {
        elicit(message, try FormSchema.of(Form.self), key) { content in
            do {
                return try content.decode(Form.self)
            } catch {
                throw OmniportError.invalidParams(.init("The answer to the form is not valid: \(text(of: error))"))
            }
        }
    }

    /// To the user: to choose one of these texts.
    public static func elicit(_ message: String, choices: [String], key: String? = nil) -> Question where Answer == ElicitResult<String> {
        let value: JSONValue = ["type": "string", "enum": .array(choices.map { .string($0) })]
        return elicit(message, ["type": "object", "properties": ["value": value], "required": ["value"]], key) { content in
            guard let chosen = content["value"]?.stringValue else {
                throw OmniportError.invalidParams("The answer to the form is not valid: `value` is missing")
            }
            return chosen
        }
    }

    /// To the user: a form that a JSON Schema describes.
    public static func elicit(
        _ message: String, schema: JSONValue, key: String? = nil
    ) -> Question where Answer == ElicitResult<JSONValue> {
        elicit(message, schema, key) { $0 }
    }

    /// To the user: to open a page, for what must not pass through the client: credentials, payment.
    public static func elicitURL(
        _ message: String, url: String, key: String? = nil
    ) -> Question where Answer == ElicitResult<JSONValue> {
        Question("elicit", ["mode": "url", "message": .string(message), "url": .string(url)], key: key) { try result(of: $0) { $0 } }
    }

    /// To the client's model.
    ///
    /// The options are the protocol's own members: `maxTokens` (1024 when nothing is said), `systemPrompt`, `temperature`, `tools`.
    public static func sample(
        _ messages: [Message], options: JSONObject = [:], key: String? = nil
    ) -> Question where Answer == SampleResult {
        var params: JSONObject = ["maxTokens": 1024]
        for (name, value) in options { params[name] = value }
        params.set("messages", encoding: messages)
        return Question("sample", .object(params), key: key) { SampleResult(json: $0) }
    }

    /// To the client's model: one text.
    public static func sample(_ text: String, options: JSONObject = [:], key: String? = nil) -> Question where Answer == SampleResult {
        sample([.user(text)], options: options, key: key)
    }

    /// For the directories that the client offers.
    public static func listRoots(key: String? = nil) -> Question where Answer == [Root] {
        Question("roots", [:], key: key) { try $0["roots"]?.decode([Root].self) ?? [] }
    }

    private static func elicit<Form>(
        _ message: String, _ schema: JSONValue, _ key: String?, _ read: @escaping @Sendable (JSONValue) throws -> Form
    ) -> Question where Answer == ElicitResult<Form> {
        Question("elicit", ["message": .string(message), "requestedSchema": schema], key: key) { try result(of: $0, read) }
    }

    /// Content is looked at for "accept" only, and an action that nobody knows counts as "cancel" (Y17).
    private static func result<Form>(of raw: JSONValue, _ read: (JSONValue) throws -> Form) throws -> ElicitResult<Form> {
        switch raw["action"]?.stringValue {
        case "accept": .accept(try read(raw["content"] ?? [:]))
        case "decline": .decline
        default: .cancel
        }
    }
}

extension Context {
    /// Asks several questions in one round, and waits for all answers; the first that fails takes the others back.
    ///
    /// ```swift
    /// let (user, roots) = try await cx.together(Question.elicit("Who are you?", User.self), Question.listRoots())
    /// ```
    ///
    /// Tasks that ask at the same time (`async let`) mostly share a round, too; but they run on several cores, and nothing says when the last
    /// of them has asked.
    public func together<First, Second>(_ first: Question<First>, _ second: Question<Second>) async throws -> (First, Second) {
        let answers = try await ask([first.json, second.json])
        return (try first.read(answers[0]), try second.read(answers[1]))
    }

    /// Three questions in one round.
    public func together<First, Second, Third>(
        _ first: Question<First>, _ second: Question<Second>, _ third: Question<Third>
    ) async throws -> (First, Second, Third) {
        let answers = try await ask([first.json, second.json, third.json])
        return (try first.read(answers[0]), try second.read(answers[1]), try third.read(answers[2]))
    }

    /// Any number of questions of one kind in one round.
    public func together<Answer>(_ questions: [Question<Answer>]) async throws -> [Answer] {
        try zip(questions, try await ask(questions.map(\.json))).map { try $0.read($1) }
    }

    private func answer<Answer>(_ question: Question<Answer>) async throws -> Answer {
        try question.read(try await ask([question.json])[0])
    }

    /// Asks the user to fill in a form, whose members are those of `Form`: texts, numbers, booleans, choices.
    ///
    /// `key` names the question, so that a modern client can answer it beforehand.
    ///
    /// See [Elicitation](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation).
    ///
    /// - Throws: ``OmniportError/missingCapability(_:)`` when the client cannot ask.
    public func elicit<Form: Decodable & Sendable>(
        _ message: String, _: Form.Type = Form.self, key: String? = nil
    ) async throws -> ElicitResult<Form> { try await answer(Question.elicit(message, Form.self, key: key)) }

    /// Asks the user to choose one of these texts.
    public func elicit(_ message: String, choices: [String], key: String? = nil) async throws -> ElicitResult<String> {
        try await answer(Question.elicit(message, choices: choices, key: key))
    }

    /// Asks the user to fill in a form that a JSON Schema describes.
    public func elicit(_ message: String, schema: JSONValue, key: String? = nil) async throws -> ElicitResult<JSONValue> {
        try await answer(Question.elicit(message, schema: schema, key: key))
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
        try await answer(Question.elicitURL(message, url: url, key: key))
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
        try await answer(Question.sample(messages, options: options, key: key))
    }

    /// The directories that the client offers.
    ///
    /// See [Roots](https://modelcontextprotocol.io/specification/2026-07-28/client/roots).
    public func listRoots(key: String? = nil) async throws -> [Root] { try await answer(Question.listRoots(key: key)) }
}

/// The schemas of forms, which have flat members only.
enum FormSchema {
    private static let keywords: Set<String> = [
        "type", "title", "description", "default", "enum", "enumNames", "oneOf", "const", "format", "minLength", "maxLength", "minimum",
        "maximum", "pattern", "items", "minItems", "maxItems",
    ]
    private static let primitives: Set<String> = ["string", "number", "integer", "boolean"]

    /// - Throws: ``OmniportError/definition(_:)`` that names the member that no form has.
    static func of<Form: Decodable>(_ type: Form.Type) throws -> JSONValue {
        let schema = try SchemaFinder.schema(of: type, for: "form `\(type)`")
        guard let properties = schema["properties"]?.objectValue else {
            throw OmniportError.definition("the form `\(type)` has no members; a form is a structure of texts, numbers, booleans and choices")
        }
        var form: JSONObject = ["type": "object"]
        form["properties"] = .object(JSONObject(try properties.map { ($0.key, try flat($0.key, $0.value)) }))
        form.set("required", schema["required"])
        return .object(form)
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
