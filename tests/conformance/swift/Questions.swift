import Omniport

private struct Person: Decodable { let name: String }

/// Handlers of the `input_required` scenarios: each question bears the key under which the scenario answers it.
func addQuestions(to app: Server) {
    app.tool("test_input_required_result_elicitation", "Asks the user for a name.") { (cx: Context) in
        "Hello, \(try await name(cx, "What is your name?", key: "user_name"))!"
    }
    app.tool("test_input_required_result_sampling", "Asks the client's model.") { (cx: Context) in
        let sample = try await cx.sample("What is the capital of France?", options: ["maxTokens": 100], key: "capital_question")
        return "Sampling result: \(sample.text)"
    }
    app.tool("test_input_required_result_list_roots", "Asks for the client's roots.") { (cx: Context) in
        "Found \(try await cx.listRoots(key: "client_roots").count) root(s)"
    }
    app.tool(
        "test_input_required_result_request_state", "Asks for a confirmation; the sealed state comes back with the answer."
    ) { (cx: Context) in try await confirmed(cx, "state-ok") }
    app.tool(
        "test_input_required_result_tampered_state", "Asks for a confirmation; an altered state never gets here."
    ) { (cx: Context) in try await confirmed(cx, "integrity-ok") }
    app.tool("test_input_required_result_multiple_inputs", "Asks three questions at once.") { (cx: Context) in
        let (user, greeting, roots) = try await cx.together(
            Question.elicit("What is your name?", Person.self, key: "user_name"),
            Question.sample("Generate a greeting", options: ["maxTokens": 50], key: "greeting"),
            Question.listRoots(key: "client_roots"))
        return "Name: \(user.content?.name ?? "stranger"); Greeting: \(greeting.text); Roots: \(roots.count)"
    }
    app.tool("test_input_required_result_multi_round", "Asks twice, one question after the other.") { (cx: Context) in
        struct Color: Decodable { let color: String }
        let user = try await name(cx, "Step 1: What is your name?", key: "step1")
        let answer = try await cx.elicit("Step 2: What is your favorite color?", Color.self, key: "step2")
        return "\(user) likes \(answer.content?.color ?? "no color")"
    }
    app.tool("test_input_required_result_capabilities", "Asks only what the client can answer.") { (cx: Context) in
        async let asked = cx.capabilities["elicitation"] == nil ? 0 : value(cx)
        async let sampled = cx.capabilities["sampling"] == nil ? 0 : sample(cx)
        return "Got \(try await asked + sampled) answer(s)"
    }
    app.prompt("test_input_required_result_prompt", "Asks for a context to use in the prompt.") { (cx: Context) in
        struct Answer: Decodable { let context: String }
        let answer = try await cx.elicit("What context should the prompt use?", Answer.self, key: "user_context")
        return "Prompt with context: \(answer.content?.context ?? "none")"
    }
}

private func name(_ cx: Context, _ question: String, key: String) async throws -> String {
    try await cx.elicit(question, Person.self, key: key).content?.name ?? "stranger"
}

private func confirmed(_ cx: Context, _ word: String) async throws -> String {
    struct Confirmation: Decodable { let ok: Bool }
    return try await cx.elicit("Please confirm", Confirmation.self, key: "confirm").content?.ok == true ? word : "not confirmed"
}

@Sendable private func value(_ cx: Context) async throws -> Int {
    struct Value: Decodable { let value: String }
    _ = try await cx.elicit("Which value?", Value.self, key: "elicit_input")
    return 1
}

@Sendable private func sample(_ cx: Context) async throws -> Int {
    _ = try await cx.sample("Sample request", options: ["maxTokens": 50], key: "sample_input")
    return 1
}
