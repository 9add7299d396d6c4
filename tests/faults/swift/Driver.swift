import Omniport

/// One client, and what it was told.
actor Driver {
    private var client: Client?
    private var running: [Int: Task<JSONValue, any Error>] = [:]
    private var logged = 0
    private var changed = 0
    private var states: [String] = []

    func begin(_ order: JSONValue) -> Task<JSONValue, any Error> {
        let work = Task { try await self.perform(order) }
        if order["do"] == "call", let number = order["as"]?.intValue { running[number] = work }
        return work
    }

    func close() async {
        await client?.close()
        client = nil
    }

    private func perform(_ order: JSONValue) async throws -> JSONValue {
        switch order["do"]?.stringValue {
        case "connect": return try await connect(order)
        case "call": return try await call(order)
        case "list": return .array(try await connected().listTools().map { .string($0.name) })
        case "ping":
            try await connected().ping()
            return .null
        case "cancel":
            order["call"]?.intValue.flatMap { running[$0] }?.cancel()
            return .null
        case "tell": return ["log": JSONValue(logged), "change": JSONValue(changed), "states": .array(states.map { .string($0) })]
        case "close":
            await close()
            return .null
        default: throw OmniportError.notFound("there is no order \(order)")
        }
    }

    private func connect(_ order: JSONValue) async throws -> JSONValue {
        let target: ClientTarget
        if let url = order["target"]?["url"]?.stringValue {
            target = .url(url)
        } else {
            target = .command(order["target"]?["command"]?.arrayValue?.compactMap(\.stringValue) ?? [])
        }
        let handlers = ClientHandlers(
            log: { _ in await self.heard(logs: 1) }, change: { _ in await self.heard(changes: 1) },
            state: { state, _ in await self.heard(states: [state.rawValue]) })
        let client = Client(target, options: options(order["options"] ?? [:]), handlers: handlers)
        self.client = client
        try await client.connect()
        return ["protocol_version": .string(client.protocolVersion ?? "")]
    }

    private func heard(logs: Int = 0, changes: Int = 0, states: [String] = []) {
        logged += logs
        changed += changes
        self.states += states
    }

    private func options(_ given: JSONValue) -> ClientOptions {
        var options = ClientOptions()
        for (name, value) in given["headers"]?.objectValue ?? [:] { options.headers[name] = value.stringValue }
        for (name, value) in given["limits"]?.objectValue ?? [:] { options.limits[Limit(rawValue: name)] = value.doubleValue }
        if let era = given["era"]?.stringValue.flatMap(ClientOptions.Era.init(rawValue:)) { options.era = era }
        return options
    }

    private func call(_ order: JSONValue) async throws -> JSONValue {
        defer { order["as"]?.intValue.map { running[$0] = nil } }
        let options = CallOptions(
            timeout: order["timeout"]?.doubleValue.map { .seconds($0) }, safe: order["safe"]?.boolValue)
        let result = try await connected().callTool(order["tool"]?.stringValue ?? "", order["arguments"] ?? [:], options: options)
        return .array(
            result.content.map { block in
                if case .text(let content) = block { .string(content.text) } else { .null }
            })
    }

    private func connected() throws -> Client {
        guard let client else { throw OmniportError.closed("connect comes first") }
        return client
    }
}
