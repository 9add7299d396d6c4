internal import OmniportBoundary

/// The running call: what it may ask and tell its client, and what is known about the caller. Everything works in both eras of the protocol.
///
/// A question (``elicit(_:_:key:)``, `sample`, ``listRoots(key:)``) may run the handler again from its start, when the answer
/// comes with another request; wrap effects that must happen once in `step`.
public final class Context: Sendable {
    /// The Context of the running call, for code that it is not handed to; nil outside of one.
    @TaskLocal public static var current: Context?

    /// The URI that was asked for, in a handler that reads a resource; empty elsewhere.
    public let uri: String

    let pump: Pump
    let token: UInt64
    private let state = Locked(State())

    private struct State {
        var facts: JSONValue?
        var task: Task<Void, Never>?
        /// Why the caller took the request back.
        var cancelled: String?
        var questions: [UInt32: Waiter<String>] = [:]
    }

    init(pump: Pump, token: UInt64, uri: String) {
        self.pump = pump
        self.token = token
        self.uri = uri
    }

    // MARK: Notices

    /// Tells how far the call is; nothing is sent when the caller did not ask.
    public func progress(_ progress: Double, total: Double? = nil, message: String? = nil) {
        var notice: JSONObject = ["progress": .double(progress)]
        notice.set("total", total.map { .double($0) })
        notice.set("message", message)
        pump.notice(token, notice)
    }

    /// Sends a log message to the client, if it asked for this level.
    ///
    /// See [Logging](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging).
    public func log(_ level: LoggingLevel, _ data: JSONValue, logger: String? = nil) {
        var notice: JSONObject = ["level": .string(level.rawValue), "data": data]
        notice.set("logger", logger)
        pump.notice(token, notice)
    }

    /// Ends the event stream of this call without its answer, so that the client polls; no effect where that cannot be.
    public func closeStream() { pump.closeStream(token) }

    // MARK: Effects

    /// Runs an effect once, even if the handler is run again from its start after a question was answered elsewhere. The result is kept as
    /// JSON.
    public func step<T: Codable & Sendable>(_ name: String, _ effect: @Sendable () async throws -> T) async throws -> T {
        if let kept = pump.engine.step(token: token, name: name) { return try JSON.decode(T.self, from: kept) }
        let value = try await effect()
        let text = try JSON.encode(value)
        try guarded { try pump.engine.keepStep(token: token, name: name, value: text) }
        return value
    }

    /// The same for an effect without a result.
    public func step(_ name: String, _ effect: @Sendable () async throws -> Void) async throws {
        _ = try await step(name) {
            try await effect()
            return true
        }
    }

    // MARK: Cancellation

    /// Whether the caller has taken the request back, or ran out of time. The handler's task is cancelled then, too.
    public var isCancelled: Bool { state.with { $0.cancelled != nil } }

    /// The task that runs the handler, to be cancelled with the call.
    func runs(in task: Task<Void, Never>) {
        let isCancelled = state.with { state in
            state.task = task
            return state.cancelled != nil
        }
        if isCancelled { task.cancel() }
    }

    /// Ends the call for its handler.
    func cancel(_ reason: String) {
        let (task, questions) = state.with { state -> (Task<Void, Never>?, [Waiter<String>]) in
            guard state.cancelled == nil else { return (nil, []) }
            state.cancelled = reason
            defer { state.questions = [:] }
            return (state.task, Array(state.questions.values))
        }
        let error = OmniportError.cancelled(.init(reason.isEmpty ? "The caller took the request back" : reason))
        for question in questions { question.settle(.failure(error)) }
        task?.cancel()
    }

    // MARK: Questions

    /// Hands an answer to the handler that waits for it.
    func answer(_ number: UInt32, _ text: String) {
        state.with { $0.questions.removeValue(forKey: number) }?.settle(.success(text))
    }

    /// Asks the client in one round, and waits for all answers; the first that fails ends it.
    func ask(_ questions: [JSONValue]) async throws -> [JSONValue] {
        let texts = try questions.map { try $0.text() }
        let asked: [Asked] = try pump.inOneRound {
            // Under the lock, because another thread may hear the answer before this one knows the number.
            try state.with { state in
                if let reason = state.cancelled { throw OmniportError.cancelled(.init(reason)) }
                return try texts.map { text in
                    let asked = Asked(try guarded { try pump.engine.ask(token: token, question: text) })
                    if asked.known == nil { state.questions[asked.number] = asked.waiter }
                    return asked
                }
            }
        }
        if asked.contains(where: { $0.known == nil }) { pump.asked() }
        defer { state.with { state in for one in asked { state.questions[one.number] = nil } } }
        if asked.count == 1 { return [try await asked[0].result()] }
        return try await withThrowingTaskGroup(of: (Int, JSONValue).self) { group in
            for (place, one) in asked.enumerated() { group.addTask { (place, try await one.result()) } }
            let results = try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            return asked.indices.map { results[$0] ?? [:] }
        }
    }

    /// A question that was asked.
    private struct Asked: Sendable {
        let number: UInt32
        /// The answer that a replay knows.
        let known: String?
        let waiter = Waiter<String>()

        init(_ question: OmniportBoundary.Question) {
            number = question.number
            known = question.answer
        }

        func result() async throws -> JSONValue {
            let text: String
            if let known { text = known } else { text = try await waiter.value() }
            let outcome = try JSONValue(parsing: text)
            if let error = outcome["error"] { throw OmniportError(told: error) }
            return outcome["result"] ?? [:]
        }
    }

    // MARK: Facts

    /// All facts of the call; read from the engine once, while the call runs.
    private var facts: JSONValue {
        state.with { state in
            if let facts = state.facts { return facts }
            let facts = (try? JSONValue(parsing: pump.engine.context(token: token))) ?? [:]
            state.facts = facts
            return facts
        }
    }

    /// The id of the request, a text or an integer.
    public var requestID: JSONValue { facts["request_id"] ?? .null }

    /// The HTTP headers of this request, names in lower case; empty elsewhere.
    public var headers: [String: String] {
        let headers = facts["headers"]?.objectValue?.compactMap { name, value in value.stringValue.map { (name, $0) } } ?? []
        return Dictionary(headers) { _, last in last }
    }

    /// Who is calling; nil without authentication.
    public var principal: Principal? { facts["principal"].flatMap { try? $0.decode(Principal.self) } }

    /// The session of a client of a revision before 2026-07-28 over HTTP; nil elsewhere.
    public var sessionID: String? { facts["session_id"]?.stringValue }

    /// Name, version and title of the client, as it says itself.
    public var client: JSONObject? { facts["client"]?.objectValue }

    /// What the client declared.
    public var capabilities: JSONObject { facts["capabilities"]?.objectValue ?? [:] }

    /// The revision of the protocol that this client speaks, such as 2026-07-28.
    public var protocolVersion: String? { facts["protocol_version"]?.stringValue }

    /// The `_meta` of the request.
    public var meta: JSONObject { facts["meta"]?.objectValue ?? [:] }

    /// Whether the handler is run again to take the answers to questions it asked before.
    public var resumed: Bool { facts["resumed"]?.boolValue ?? false }
}
