import Foundation
import Omniport

private typealias Scenario = @Sendable (Client) async throws -> Void

private let scenarios: [String: Scenario] = [
    "initialize": listTools,
    "tools_call": callFirstTool,
    "elicitation-sep1034-client-defaults": callFirstTool,
    "sse-retry": callFirstTool,
    "request-metadata": listTools,
    "sep-2322-client-request-state": answerInRounds,
    "http-standard-headers": useEachKind,
    "http-custom-headers": callWantedTools,
    "http-invalid-tool-headers": callEveryTool,
    "json-schema-ref-no-deref": listTools,
    "json-schema-2020-12-preservation": echoSchema,
]

/// Does what the scenario in MCP_CONFORMANCE_SCENARIO wants to see.
func runScenario(at url: String) async throws {
    let name = ProcessInfo.processInfo.environment["MCP_CONFORMANCE_SCENARIO"] ?? ""
    guard let scenario = scenarios[name] else { throw OmniportError.notFound("no scenario \(name)") }
    let handlers = ClientHandlers(
        sample: { _ in CreateMessageResult(content: .one(.text(TextContent(text: "A thought"))), model: "none", role: .assistant) },
        elicit: acceptDefaults,
        roots: { [Root(uri: "file:///home")] })
    try await withClient(.url(url), options: ClientOptions(name: "conformance"), handlers: handlers, scenario)
}

/// A user who changes nothing in the form.
@Sendable private func acceptDefaults(_ question: ElicitRequestFormParams) async throws -> ElicitAnswer {
    let members = try JSONValue(encoding: question.requestedSchema)["properties"]?.objectValue ?? [:]
    let defaults = members.compactMap { name, member in member["default"].map { (name, $0) } }
    return .accept(defaults.isEmpty ? ["confirmed": true] : JSONObject(defaults))
}

@Sendable private func listTools(_ client: Client) async throws { _ = try await client.listTools() }

@Sendable private func callFirstTool(_ client: Client) async throws {
    guard let tool = try await client.listTools().first else { throw OmniportError.notFound("the server has no tool") }
    _ = try await client.callTool(tool.name, tool.inputSchema["properties"] == nil ? [:] : ["a": 2, "b": 3])
}

@Sendable private func callEveryTool(_ client: Client) async throws {
    for tool in try await client.listTools() {
        let required = tool.inputSchema["required"]?.arrayValue?.compactMap(\.stringValue) ?? []
        _ = try await client.callTool(tool.name, .object(JSONObject(required.map { ($0, "x") })))
    }
}

@Sendable private func callWantedTools(_ client: Client) async throws {
    _ = try await client.listTools()
    let context = try JSONValue(parsing: ProcessInfo.processInfo.environment["MCP_CONFORMANCE_CONTEXT"] ?? "{}")
    for call in context["toolCalls"]?.arrayValue ?? [] {
        _ = try await client.callTool(call["name"]?.stringValue ?? "", call["arguments"] ?? [:])
    }
}

@Sendable private func useEachKind(_ client: Client) async throws {
    for tool in try await client.listTools() { _ = try await client.callTool(tool.name) }
    for resource in try await client.listResources() { _ = try await client.readResource(resource.uri) }
    for prompt in try await client.listPrompts() { _ = try await client.getPrompt(prompt.name) }
}

@Sendable private func answerInRounds(_ client: Client) async throws {
    async let echoed = client.callTool("test_mrtr_echo_state")
    async let unrelated = client.callTool("test_mrtr_unrelated")
    _ = try await (echoed, unrelated)
    _ = try await client.callTool("test_mrtr_no_state")
    _ = try await client.callTool("test_mrtr_no_result_type")
}

@Sendable private func echoSchema(_ client: Client) async throws {
    let tool = try await client.listTools().first { $0.name == "json_schema_2020_12_tool" }
    _ = try await client.callTool("json_schema_echo", ["schema": .object(tool?.inputSchema ?? [:])])
}
