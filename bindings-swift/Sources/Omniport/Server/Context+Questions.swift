extension Context {
    /// Asks several questions in one round, and waits for all answers; the first that fails takes the others back.
    ///
    /// ```swift
    /// struct User: Decodable { let name: String }
    ///
    /// app.tool("greet") { (cx: Context) in
    ///     let (user, roots) = try await cx.together(Question.elicit("Who are you?", User.self), Question.listRoots())
    ///     return "\(user.content?.name ?? "Nobody") works in \(roots.count) folders."
    /// }
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

    /// Asks the user to fill in a form, whose members are those of `Form`: texts, numbers, booleans, choices. A text, number, boolean or
    /// enumeration alone, `elicit("Your name?", String.self)`, is a form with that one member, called `value`.
    ///
    /// `key` names the question, so that a modern client can answer it beforehand.
    ///
    /// See [Elicitation](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation).
    ///
    /// - Throws: ``OmniportError/missingCapability(_:)`` when the client cannot ask; ``OmniportError/definition(_:)`` for a type that no form
    ///   has.
    public func elicit<Form: Decodable & Sendable>(
        _ message: String, _: Form.Type = Form.self, key: String? = nil
    ) async throws -> ElicitResult<Form> { try await answer(Question.elicit(message, Form.self, key: key)) }

    /// Asks the user to choose one of these texts.
    public func elicit(_ message: String, choices: [String], key: String? = nil) async throws -> ElicitResult<String> {
        try await answer(Question.elicit(message, choices: choices, key: key))
    }

    /// Asks the user to fill in a form that a JSON Schema describes.
    public func elicit(_ message: String, schema: JSONValue, key: String? = nil) async throws -> ElicitResult<JSONValue> {
        try await answer(try Question.elicit(message, schema: schema, key: key))
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
