/// The answer of one round: the result, or what the server needs to know first.
public enum Round<Result: Sendable>: Sendable {
    /// The result: there is nothing left to ask.
    case complete(Result)
    /// What it needs. The next round answers, maybe in another process.
    case inputRequired(InputRequiredResult)
}

/// The requests whose rounds of input the caller drives, instead of the handlers of the client.
///
/// See [Multi round-trip requests](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr).
public struct ByHand: Sendable {
    let life: Life

    /// One round of a call of a tool.
    ///
    /// `inputResponses` are the answers, by the keys of the `inputRequests` that they are to; `requestState` is that of the result that asked.
    public func callTool(
        _ name: String, _ arguments: JSONValue = [:], inputResponses: InputResponses? = nil, requestState: String? = nil,
        options: CallOptions? = nil
    ) async throws -> Round<CallToolResult> {
        try await round("call_tool", ["name": .string(name), "arguments": arguments], inputResponses, requestState, options)
    }

    /// One round of reading a resource.
    public func readResource(
        _ uri: String, inputResponses: InputResponses? = nil, requestState: String? = nil, options: CallOptions? = nil
    ) async throws -> Round<ReadResourceResult> {
        try await round("read_resource", ["uri": .string(uri)], inputResponses, requestState, options)
    }

    /// One round of getting a prompt.
    public func getPrompt(
        _ name: String, _ arguments: [String: String] = [:], inputResponses: InputResponses? = nil, requestState: String? = nil,
        options: CallOptions? = nil
    ) async throws -> Round<GetPromptResult> {
        let arguments = JSONObject(arguments.map { ($0, .string($1)) })
        return try await round("get_prompt", ["name": .string(name), "arguments": .object(arguments)], inputResponses, requestState, options)
    }

    private func round<Result: Decodable & Sendable>(
        _ what: String, _ params: JSONObject, _ responses: InputResponses?, _ state: String?, _ options: CallOptions?
    ) async throws -> Round<Result> {
        var params = params
        if let responses { params["inputResponses"] = try JSONValue(encoding: responses) }
        if let state { params["requestState"] = .string(state) }
        let answer = try await life.ask(Request(what, params, options, manner: .byHand))
        return answer.isInput ? .inputRequired(try Lenient.read(of: answer)) : .complete(try Lenient.read(of: answer))
    }
}

extension Client {
    /// The requests whose rounds of input the caller drives.
    public var byHand: ByHand { ByHand(life: life) }
}
