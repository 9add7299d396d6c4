import Omniport

/// Tools that wait: for their end, or for answers of the client.
func addQuestions(to app: Server, _ journal: Journal) {
    let second = Duration.seconds(1)
    for (name, options) in [("slow", .init()), ("timed", .init(timeout: second)), ("narrow", .init(concurrency: 1))] as [Tool] {
        app.tool(name, options: options) { (cx: Context) in
            try await journal.noting(name, cx) { try await Task.sleep(for: .seconds(3600)) }
        }
    }
    for (name, options) in [("ask_name", .init()), ("timed_ask", .init(timeout: second))] as [Tool] {
        app.tool(name, options: options) { (cx: Context) in try await askName(name, cx, journal) }
    }
    addSeveral(to: app, journal)
    app.tool("ask_url") { (cx: Context) in
        try await journal.noting("ask_url", cx) {
            greeting(word(for: try await cx.elicitURL("Please log in.", url: "https://example.com/login", key: "login")) { _ in "accept" })
        }
    }
    let sampling: [(String, JSONObject)] = [
        ("sample", ["maxTokens": 10]),
        ("sample_tools", ["maxTokens": 10, "tools": [["name": "t", "inputSchema": ["type": "object"]]]]),
    ]
    for (name, options) in sampling {
        app.tool(name) { (cx: Context) in
            try await journal.noting(name, cx) { greeting(try await cx.sample("Say something.", options: options, key: "sample").text) }
        }
    }
    app.tool("roots") { (cx: Context) in
        try await journal.noting("roots", cx) { greeting(try await cx.listRoots(key: "roots").map(\.uri).joined(separator: " ")) }
    }
    let runs = Counter()
    app.tool("step") { (cx: Context) in
        let count = try await cx.step("count") { await runs.next() }
        return "\(try await askName("step", cx, journal)) Runs: \(count)."
    }
}

/// Two questions, at once and one after the other.
private func addSeveral(to app: Server, _ journal: Journal) {
    app.tool("ask_two") { (cx: Context) in
        try await journal.noting("ask_two", cx) {
            let (first, last) = try await cx.together(
                Question.elicit("First name?", Form.self, key: "first"), Question.elicit("Last name?", Form.self, key: "last"))
            return greeting("\(word(for: first, \.name)) \(word(for: last, \.name))")
        }
    }
    app.tool("ask_twice") { (cx: Context) in
        try await journal.noting("ask_twice", cx) {
            let first = try await name(cx, "First name?", key: "first")
            return greeting("\(first) \(try await name(cx, "Last name?", key: "last"))")
        }
    }
}

private typealias Tool = (String, Server.ToolOptions)
private struct Form: Decodable { let name: String }

/// How often a step ran.
private actor Counter {
    private var count = 0

    func next() -> Int {
        count += 1
        return count
    }
}

/// Asks for a name and greets; for tools, resources and prompts.
func askName(_ handler: String, _ cx: Context, _ journal: Journal) async throws -> String {
    try await journal.noting(handler, cx) { greeting(try await name(cx, "Your name?", key: "name")) }
}

private func name(_ cx: Context, _ question: String, key: String) async throws -> String {
    word(for: try await cx.elicit(question, Form.self, key: key), \.name)
}

/// The answer's word, or else the action.
private func word<Answer>(for result: ElicitResult<Answer>, _ word: (Answer) -> String) -> String {
    switch result {
    case .accept(let answer): word(answer)
    case .decline: "decline"
    case .cancel: "cancel"
    }
}

private func greeting(_ answers: String) -> String { "Hello, \(answers)!" }
