internal import OmniportBoundary

/// One thing to register.
struct Definition: Sendable {
    enum What: String, Sendable { case tool, resource, template, prompt }

    let what: What
    /// What the engine knows it by: the name, or the URI of a resource or template.
    let name: String
    let definition: JSONObject
    let options: JSONObject
    let handler: Handler
    /// Members of the handler's type that the variables of the template have to fill; nil: whatever there is.
    var variables: Variables?

    struct Variables: Sendable {
        let known: Set<String>
        let required: Set<String>
    }

    var subject: String { handler.subject }
}

/// Suggestions for one argument.
struct CompletionDefinition: Sendable {
    let reference: CompletionReference
    let argument: String
    let handler: Handler
}

/// What a server has registered, and the pump whose engine knows it.
///
/// Registering does not throw, so that a server reads like a list of what it offers: what cannot be registered is kept, and whoever serves is
/// told.
final class Registry: Sendable {
    private let options: JSONObject
    private let fixed: [Kind: Handler]
    private let onEvent: Observer?
    private let onAudit: Observer?
    private let state = Locked(State())

    private struct State {
        var definitions: [Definition] = []
        var completions: [CompletionDefinition] = []
        var problems: [OmniportError] = []
        var pump: Pump?
        var table = Locked(SlotTable())
    }

    init(
        options: JSONObject, fixed: [Kind: Handler], onEvent: Observer?, onAudit: Observer?
    ) {
        self.options = options
        self.fixed = fixed
        self.onEvent = onEvent
        self.onAudit = onAudit
    }

    /// What could not be registered.
    var problems: [OmniportError] {
        state.with { state in
            do {
                _ = try Self.pump(&state, self)
                return state.problems
            } catch {
                // No engine can be made with such options, so nothing of it could be registered.
                return [error as? OmniportError ?? .definition(.init(text(of: error)))] + state.problems
            }
        }
    }

    /// The pump, made on first use.
    ///
    /// - Throws: the first of the problems.
    func pump() throws -> Pump {
        try state.with { state in
            let pump = try Self.pump(&state, self)
            if let problem = state.problems.first { throw problem }
            return pump
        }
    }

    /// The pump, if there is one.
    var existing: Pump? { state.with { $0.pump } }

    /// Registers, or replaces what has the same name.
    func add(_ subject: String, _ make: () throws -> Definition) {
        let made = Result(catching: make)  // runs decoders of users: not under the lock
        // What it replaces is let go here: with a handler may go what it holds, whose `deinit` may come back to this server.
        let (pump, _, _) = state.with { state -> (Pump?, [Definition], Handler?) in
            var (replaced, dropped): ([Definition], Handler?) = ([], nil)
            Self.collect(&state, subject) { state in
                let definition = try made.get()
                let isSame: (Definition) -> Bool = { $0.what == definition.what && $0.name == definition.name }
                replaced = state.definitions.filter(isSame)
                state.definitions.removeAll(where: isSame)
                state.definitions.append(definition)
                if let pump = state.pump { dropped = try Self.register(definition, pump.engine, state.table) }
            }
            return (state.pump, replaced, dropped)
        }
        pump?.asked()  // or clients would hear of it with the next call that ends
    }

    func add(_ completion: CompletionDefinition) {
        _ = state.with { state -> ([CompletionDefinition], Handler?) in
            var (replaced, dropped): ([CompletionDefinition], Handler?) = ([], nil)
            Self.collect(&state, completion.handler.subject) { state in
                let isSame: (CompletionDefinition) -> Bool = {
                    $0.reference == completion.reference && $0.argument == completion.argument
                }
                replaced = state.completions.filter(isSame)
                state.completions.removeAll(where: isSame)
                state.completions.append(completion)
                if let pump = state.pump { dropped = try Self.register(completion, pump.engine, state.table) }
            }
            return (replaced, dropped)
        }
    }

    /// Whether there was such a thing; connected clients are told.
    func remove(_ kinds: [Definition.What], _ name: String) -> Bool {
        let (removed, pump, _) = state.with { state -> (Definition?, Pump?, [Handler]) in
            guard let place = state.definitions.firstIndex(where: { kinds.contains($0.what) && $0.name == name }) else {
                return (nil, nil, [])
            }
            let removed = state.definitions.remove(at: place)
            guard let pump = state.pump else { return (removed, nil, []) }
            _ = try? pump.engine.remove(kind: removed.what.rawValue, name: name)
            return (removed, pump, state.table.with { $0.remove(.definition(removed.what, name)) })
        }
        pump?.asked()
        return removed != nil
    }

    /// Nobody holds the server any more.
    func abandon() { existing?.abandon() }

    // MARK: Filling an engine

    private static func pump(_ state: inout State, _ registry: Registry) throws -> Pump {
        if let pump = state.pump { return pump }
        let engine = try guarded { try Engine(options: JSONValue.object(registry.options).text()) }
        let table = Locked(SlotTable())
        let fixed = registry.fixed
        let setup = Pump.Setup(
            find: { kind, slot in table.with { $0.handlers[kind]?[slot] } ?? fixed[kind] },
            onEvent: registry.onEvent, onAudit: registry.onAudit,
            onEnd: { [weak registry] ended in registry?.forget(ended) })
        for definition in state.definitions {
            collect(&state, definition.subject) { _ in _ = try register(definition, engine, table) }
        }
        for completion in state.completions {
            collect(&state, completion.handler.subject) { _ in _ = try register(completion, engine, table) }
        }
        let pump = Pump(engine: engine, setup: setup)
        (state.pump, state.table) = (pump, table)
        return pump
    }

    /// A pump has ended; the next use makes another.
    private func forget(_ ended: Pump) {
        state.with { if $0.pump === ended { $0.pump = nil } }
    }

    private static func collect(_ state: inout State, _ subject: String, _ act: (inout State) throws -> Void) {
        do {
            try act(&state)
        } catch {
            let problem = named(error as? OmniportError ?? .definition(.init(text(of: error))), subject)
            if state.pump != nil { log(.error, "\(problem)") }
            if !state.problems.contains(problem) { state.problems.append(problem) }
        }
    }

    /// The error with what it is about in its message; most of the engine's say it themselves.
    private static func named(_ error: OmniportError, _ subject: String) -> OmniportError {
        let name = subject.drop { $0 != "`" }.dropFirst().prefix { $0 != "`" }
        if name.isEmpty || error.message.contains(name) { return error }
        var facts = error.facts
        facts.message = "\(subject): \(facts.message)"
        return OmniportError(kind: error.kind, facts)
    }

    /// The handler that is not needed any more.
    private static func register(_ definition: Definition, _ engine: Engine, _ table: Locked<SlotTable>) throws -> Handler? {
        let what = try JSONValue.object(definition.definition).text()
        let options = try JSONValue.object(definition.options).text()
        if let variables = definition.variables { try check(definition, variables, engine) }
        return try table.with { table in
            let slot: UInt32
            let kind: Kind
            switch definition.what {
            case .tool: (slot, kind) = (try guarded { try engine.addTool(definition: what, options: options) }, .call)
            case .resource: (slot, kind) = (try guarded { try engine.addResource(definition: what, options: options) }, .read)
            case .template: (slot, kind) = (try guarded { try engine.addTemplate(definition: what, options: options) }, .read)
            case .prompt: (slot, kind) = (try guarded { try engine.addPrompt(definition: what, options: options) }, .get)
            }
            return table.put(definition.handler, kind, slot, .definition(definition.what, definition.name))
        }
    }

    private static func register(_ completion: CompletionDefinition, _ engine: Engine, _ table: Locked<SlotTable>) throws -> Handler? {
        try table.with { table in
            let slot = try guarded {
                try engine.addCompletion(reference: try completion.reference.json.text(), argument: completion.argument)
            }
            return table.put(completion.handler, .complete, slot, .completion(completion.reference, completion.argument))
        }
    }

    private static func check(_ definition: Definition, _ members: Definition.Variables, _ engine: Engine) throws {
        let variables = try guarded { try engine.templateVariables(template: definition.name) }
        if let unknown = variables.first(where: { !members.known.contains($0) }) {
            throw OmniportError.definition(.init("\(definition.subject): the type has no member for the variable `\(unknown)`"))
        }
        if let unfilled = members.required.subtracting(variables).sorted().first {
            throw OmniportError.definition(.init("\(definition.subject): no variable of the URI fills the member `\(unfilled)`"))
        }
    }
}
