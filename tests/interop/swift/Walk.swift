import Foundation
import Omniport

/// The checks of one case. Prints a line of JSON for each; the members of a case are explained in `walks.py`.
final class Walk {
    private let plan: JSONValue
    private let told = Told()
    private let client: Client
    private var tools: [Tool] = []
    private var resources: [Resource] = []
    private var templates: [ResourceTemplate] = []
    private var prompts: [Prompt] = []

    init(_ plan: JSONValue) throws {
        self.plan = plan
        let (told, answers) = (told, plan["answers"] ?? [:])
        let elicited = answers["elicit"] ?? [:]
        let handlers = ClientHandlers(
            sample: { _ in
                await told.ask("sample")
                return try (answers["sample"] ?? [:]).decode()
            },
            elicit: { _ in
                await told.ask("elicit")
                return elicited["action"] == "accept" ? .accept(elicited["content"]?.objectValue ?? [:]) : .decline
            },
            roots: {
                await told.ask("roots")
                return try (answers["roots"]?["roots"] ?? []).decode()
            },
            log: { await told.log($0) },
            change: { await told.change($0) })
        var options = ClientOptions(name: "omniport-walk")
        options.timeout = .seconds(20)
        if let era = plan["era"]?.stringValue.flatMap(ClientOptions.Era.init(rawValue:)) { options.era = era }
        client = Client(Walk.target(plan), options: options, handlers: handlers)
    }

    private static func target(_ plan: JSONValue) -> ClientTarget {
        if let url = plan["url"]?.stringValue { return .url(url) }
        let env = plan["env"]?.objectValue.map { Dictionary($0.map { ($0.key, $0.value.stringValue ?? "") }) { $1 } }
        return .command(plan["command"]?.arrayValue?.compactMap(\.stringValue) ?? [], env: env)
    }

    func run() async {
        if await check("connect", connect) {
            await check("list", listAll)
            await check("ping") { try await self.client.ping() }
            if offers("logging") { await check("log level") { try await self.client.setLogLevel(.debug) } }
            await watch()
            await callAll()
            await readAll()
            for prompt in prompts { await check("prompt \(prompt.name)") { try await self.get(prompt) } }
            for asked in items("completions") { await check("complete \(asked["argument"] ?? "")") { try await self.complete(asked) } }
            if let uri = text("subscribe") { await check("unsubscribe \(uri)") { try await self.client.unsubscribe(uri) } }
            if let many = plan["at_once"] { await check("calls at once") { try await self.callAtOnce(many) } }
            if let one = plan["cancel"] { await check("cancel \(one["tool"] ?? "")") { try await self.cancel(one) } }
        }
        await check("close") { await self.client.close() }
    }

    // MARK: The parts of a case

    private func connect() async throws {
        try await client.connect()
        let server = client.serverInfo
        try expect(client.protocolVersion, text("revision"), "revision")
        try expect(server?.name, text("name"), "name")
        try expect(server?.version.isEmpty, false, "whether the version is empty")
        if let version = text("version") { try expect(server?.version, version, "version") }
        try expect((client.instructions ?? "").holds(text("instructions")), true, "instructions")
    }

    private func listAll() async throws {
        if offers("tools") { tools = try await client.listTools() }
        if offers("resources") {
            resources = try await client.listResources()
            templates = try await client.listResourceTemplates()
        }
        if offers("prompts") { prompts = try await client.listPrompts() }
        let found = [
            "tools": tools.map(\.name), "resources": resources.map(\.uri), "templates": templates.map(\.uriTemplate),
            "prompts": prompts.map(\.name),
        ]
        for (kind, names) in plan["lists"]?.objectValue ?? [:] {
            let missing = names.arrayValue?.compactMap(\.stringValue).filter { found[kind]?.contains($0) != true }
            try expect(missing, [], "\(kind) not listed")
        }
    }

    private func watch() async {
        if let uri = text("subscribe") { await check("subscribe \(uri)") { try await self.client.subscribe(uri) } }
        if let listen = plan["listen"]?.objectValue { await check("listen") { _ = try await self.client.request("listen", listen) } }
    }

    /// The calls of the case, then the other tools. The one that is there to be given up is not called.
    private func callAll() async {
        var done: Set<String> = plan["cancel"]?["tool"]?.stringValue.map { [$0] } ?? []
        for call in items("calls") {
            let name = call["tool"]?.stringValue ?? ""
            done.insert(name)
            await check("tool \(name)") { try await self.call(name, call) }
        }
        for tool in tools where !done.contains(tool.name) {
            await check("tool \(tool.name)") { try await self.call(tool.name, ["arguments": example(of: tool.inputSchema)]) }
        }
    }

    /// Calls a tool and compares whatever the case says of its outcome.
    private func call(_ name: String, _ call: JSONValue) async throws {
        await told.clear()
        let timeout = call["timeout"]?.doubleValue
        let options = CallOptions(timeout: timeout.map { .seconds($0) }, onProgress: { [told] in await told.step($0) })
        let result: CallToolResult
        do {
            result = try await client.callTool(name, call["arguments"] ?? [:], options: options)
        } catch OmniportError.timeout where timeout != nil {
            return
        } catch let error as OmniportError {
            return try expectCode(error, call["error"])
        }
        let blocks = try (JSONValue(encoding: result)["content"]?.arrayValue ?? [])
        let said = blocks.map { $0["text"]?.stringValue ?? "" }.joined(separator: "\n")
        if timeout != nil || call["error"] != nil { throw Mismatch("no error but: \(said)") }
        try expect(result.isError ?? false, call["is_error"]?.boolValue ?? false, said)
        try expect(said.holds(call["text"]?.stringValue), true, "text: \(said)")
        if let length = call["length"]?.intValue { try expect(said.unicodeScalars.count, length, "length") }
        if let structured = call["structured"] { try expect(result.structuredContent, structured, "structured content") }
        if let types = call["content"]?.arrayValue { try expect(blocks.map { $0["type"] ?? .null }, types, "content") }
        if let steps = call["progress"]?.arrayValue { try expect(await told.steps, steps.compactMap(\.doubleValue), "progress") }
        if let asked = call["asked"]?.arrayValue { try expect(await told.asked, asked.compactMap(\.stringValue), "asked") }
        if let text = call["logged"]?.stringValue { try await told.untilLogged(text) }
        if let change = call["changed"] { try await told.untilChanged(change) }
        if let name = call["lists"]?.stringValue {
            try expect(try await client.listTools().contains { $0.name == name }, true, "whether \(name) is listed")
        }
    }

    private func readAll() async {
        let said = items("reads")
        let others = resources.map(\.uri).filter { uri in !said.contains { $0["uri"]?.stringValue == uri } }
        for read in said + others.map({ ["uri": .string($0)] }) {
            await check("resource \(read["uri"]?.stringValue ?? "")") { try await self.read(read) }
        }
        for template in templates.map(\.uriTemplate) {
            await check("template \(template)") {
                let contents = try await self.client.readResource(self.filled(template)).contents
                try expect(contents.isEmpty, false, "whether there are no contents")
            }
        }
    }

    private func read(_ read: JSONValue) async throws {
        do {
            let first = try await JSONValue(encoding: client.readResource(read["uri"]?.stringValue ?? ""))["contents"]?[0]
            if first == nil || read["error"] != nil { throw Mismatch("contents: \(first ?? .null)") }
            try expect((first?["text"]?.stringValue ?? "").holds(read["text"]?.stringValue), true, "text of \(first ?? .null)")
            if let blob = read["blob"] { try expect(first?["blob"], blob, "blob") }
        } catch let error as OmniportError {
            try expectCode(error, read["error"])
        }
    }

    /// The template with the values of the case, or "1".
    private func filled(_ template: String) -> String {
        let given = plan["templates"]?[template]
        return template.replacing(/\{[+#\/]?([^}]+?)\*?\}/) { given?[String($0.output.1)]?.stringValue ?? "1" }
    }

    private func get(_ prompt: Prompt) async throws {
        let given = plan["prompts"]?[prompt.name]
        var arguments: [String: String] = [:]
        if let said = given?["arguments"]?.objectValue {
            for (name, value) in said { arguments[name] = value.stringValue }
        } else {
            for argument in prompt.arguments ?? [] where argument.required == true { arguments[argument.name] = "text" }
        }
        let messages = try await client.getPrompt(prompt.name, arguments).messages
        try expect(messages.isEmpty, false, "whether there are no messages")
        let said = try messages.map { try JSONValue(encoding: $0.content)["text"]?.stringValue ?? "" }.joined(separator: "\n")
        try expect(said.holds(given?["text"]?.stringValue), true, "text: \(said)")
    }

    private func complete(_ asked: JSONValue) async throws {
        let reference: CompletionReference =
            asked["reference"]?["prompt"]?.stringValue.map { .prompt($0) } ?? .template(asked["reference"]?["template"]?.stringValue ?? "")
        var others: [String: String] = [:]
        for (name, value) in asked["arguments"]?.objectValue ?? [:] { others[name] = value.stringValue }
        let completion = try await client.complete(
            reference, argument: asked["argument"]?.stringValue ?? "", value: asked["value"]?.stringValue ?? "", others: others)
        try expect(completion.values, asked["values"]?.arrayValue?.compactMap(\.stringValue) ?? [], "values")
    }

    private func callAtOnce(_ many: JSONValue) async throws {
        let (tool, arguments) = (many["tool"]?.stringValue ?? "", many["arguments"] ?? [:])
        let calls = (0..<(many["times"]?.intValue ?? 1)).map { _ in client.startTool(tool, arguments) }
        for call in calls { try expect(try await call.value.text, many["text"]?.stringValue ?? "", "text") }
    }

    /// Gives up a call that is under way, as its first progress shows; the connection must be as good as before.
    private func cancel(_ one: JSONValue) async throws {
        let call = client.startTool(one["tool"]?.stringValue ?? "", one["arguments"] ?? [:])
        for await _ in call.progress { break }
        call.cancel()
        do {
            throw Mismatch("not cancelled: \(try await call.value)")
        } catch is CancellationError {
            try await client.ping()
        }
    }

    // MARK: Helpers

    private func text(_ member: String) -> String? { plan[member]?.stringValue }
    private func items(_ member: String) -> [JSONValue] { plan[member]?.arrayValue ?? [] }

    private func offers(_ capability: String) -> Bool {
        guard let capabilities = try? JSONValue(encoding: client.serverCapabilities) else { return false }
        return capabilities[capability] != nil
    }

    /// An error is as expected if the case says its code.
    private func expectCode(_ error: OmniportError, _ code: JSONValue?) throws {
        guard let code = code?.intValue else { throw error }
        try expect(error.code, code, "code of \(error)")
    }

    /// Runs one check and prints how it went.
    @discardableResult
    private func check(_ name: String, _ does: () async throws -> Void) async -> Bool {
        var problem = ""
        do {
            try await does()
        } catch {
            problem = "\(error)"
        }
        let line: JSONValue = ["check": .string(name), "ok": .bool(problem.isEmpty), "detail": .string(problem)]
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
        return problem.isEmpty
    }
}

extension String {
    fileprivate func holds(_ part: String?) -> Bool { part.map { $0.isEmpty || contains($0) } ?? true }
}
