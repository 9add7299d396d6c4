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
        let form = try FormSchema(of: Form.self)
        return elicit(message, form.schema, key) { try form.read($0) }
    }

    /// To the user: to choose one of these texts.
    public static func elicit(_ message: String, choices: [String], key: String? = nil) -> Question where Answer == ElicitResult<String> {
        let form = FormSchema(asking: ["type": "string", "enum": .array(choices.map { .string($0) })])
        return elicit(message, form.schema, key) { try form.read($0) }
    }

    /// To the user: a form that a JSON Schema describes.
    ///
    /// - Throws: ``OmniportError/definition(_:)`` when it has members that no form has.
    public static func elicit(
        _ message: String, schema: JSONValue, key: String? = nil
    ) throws -> Question where Answer == ElicitResult<JSONValue> {
        elicit(message, try FormSchema(checking: schema).schema, key) { $0 }
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
