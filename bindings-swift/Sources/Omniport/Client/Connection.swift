import Foundation
internal import OmniportBoundary

/// One connection from its opening to its end: who waits for which answer, and where everything else goes.
final class Connection: Sendable {
    let native: NativeClient
    /// Names it in the inbox.
    let number: UInt64
    let target: ClientTarget
    private let http: JSONObject
    private let handlers: ClientHandlers
    /// The iterations over changes; they outlive a connection that is suspended.
    private let feeds: Feeds
    let calls = Calls()
    private let progressLane = Lane()
    private let newsLane = Lane()
    private let condition = Locked(Condition())
    /// Opens when it is made, or was not.
    let opened = Latch()
    private let closed = Latch()

    private struct Condition {
        var state = ClientState.connecting
        var cause: String?
        var said = Said()
        var ending: Ending?
        /// Why it is over.
        var error: OmniportError?
        var questions: [UInt64: Task<Void, Never>] = [:]
    }

    /// Why it ends by our own will.
    enum Ending {
        case closed
        case suspended

        var error: OmniportError {
            switch self {
            case .closed: .closed("the client was closed")
            case .suspended: .closed(.init("the client was suspended", retry: true))
            }
        }
    }

    init(target: ClientTarget, options: ClientOptions, handlers: ClientHandlers, feeds: Feeds) throws {
        let text = try options.text(for: handlers)
        native = try guarded { try NativeClient(inbox: ClientInbox.shared.native, options: text) }
        number = native.number()
        self.target = target
        self.handlers = handlers
        self.feeds = feeds
        http = options.http
    }

    deinit {
        ClientInbox.shared.strike(number)
    }

    var state: ClientState { condition.with { $0.state } }
    /// Why it is recovering or failed.
    var cause: String? { condition.with { $0.cause } }
    var said: Said { condition.with { $0.said } }
    /// Whether it was closed or suspended, or is being so.
    var isEnding: Bool { condition.with { $0.ending != nil } }
    /// Whether nothing can be asked any more.
    var isOver: Bool { condition.with { $0.ending != nil || $0.error != nil } }

    // MARK: Its life

    /// Begins to connect. Calls can be started as soon as it returned; `opened` says when and whether it is made.
    func open() throws {
        ClientInbox.shared.enrol(self)
        atExit(of: target)
        let token: UInt64
        do {
            token = try calls.begin { try target.connect(native, http: http) }
        } catch {
            ClientInbox.shared.strike(number)
            condition.with { $0.ending = .closed }
            finish(lost(error as? OmniportError ?? .io(.init(text(of: error)))), nil)
            closed.open()
            opened.open(.failure(error))
            throw error
        }
        Task.detached { await self.makeSure(of: token) }
    }

    private func makeSure(of token: UInt64) async {
        do {
            let said = Said(try JSONValue(parsing: try await calls.answer(token) {}.text))
            condition.with { $0.said = said }
            if state == .connecting { set(.ready, nil) }
            opened.open()
        } catch {
            let reason = condition.with { $0.ending?.error }
            await close(.closed)
            opened.open(.failure(reason ?? error))
        }
    }

    /// Ends it; returns when nothing is left: the server process has exited, the session is deleted. Twice is once.
    func close(_ ending: Ending) async {
        let isFirst = condition.with { condition in
            defer { condition.ending = condition.ending ?? ending }
            return condition.ending == nil
        }
        guard isFirst else {
            try? await closed.pass()
            if ending == .closed, state == .suspended { set(.closed, nil) }
            return
        }
        // In a task of its own: who is cancelled while it closes must not leave half of it behind.
        await Task.detached {
            if let token = try? self.calls.begin(nil, self.native.close) { _ = try? await self.calls.answer(token) {} }
            let questions = self.condition.with { condition in
                defer { condition.questions = [:] }
                return condition.questions.values.map { $0 }
            }
            for question in questions { question.cancel() }
            self.finish(ending.error, ending)
            ClientInbox.shared.strike(self.number)
            self.calls.end(ending.error)
            self.closed.open()
        }.value
    }

    /// As `close`, for who cannot wait.
    func abandon() {
        let isFirst = condition.with { condition in
            defer { condition.ending = condition.ending ?? .closed }
            return condition.ending == nil
        }
        if isFirst { _ = try? native.close() }
    }

    /// It is over: by our own will, or for the reason given.
    private func finish(_ error: OmniportError, _ ending: Ending?) {
        let isFirst = condition.with { condition in
            defer { condition.error = condition.error ?? error }
            return condition.error == nil
        }
        guard isFirst else { return }
        switch ending {
        case .closed:
            set(.closed, nil)
            feeds.end(nil)
        case .suspended: set(.suspended, nil)
        case nil:
            set(.failed, cause ?? error.message)
            feeds.end(error)
        }
    }

    private func set(_ state: ClientState, _ cause: String?) {
        let isNew = condition.with { condition in
            defer { (condition.state, condition.cause) = (state, cause) }
            return (condition.state, condition.cause) != (state, cause)
        }
        if isNew, let tell = handlers.state { newsLane.add { await tell(state, cause) } }
    }

    // MARK: Calls

    /// Sends a request; its token.
    func start(_ request: Request) throws -> UInt64 {
        try calls.begin(hearing(request)) {
            try guarded { try native.request(what: request.what, params: request.params, options: request.options) }
        }
    }

    private func hearing(_ request: Request) -> CallHandlers? {
        guard handlers.progress != nil || handlers.log != nil else { return request.handlers }
        let own = request.handlers
        // A call of a handler must not come after that very handler: it would wait for itself.
        let shared = Lane.current === progressLane ? Lane() : progressLane
        return CallHandlers(
            progress: own?.progress ?? handlers.progress, log: own?.log ?? handlers.log, lane: own?.lane ?? shared)
    }

    /// Waits for the answer to a request. When the task is cancelled, the server is told.
    func answer(_ token: UInt64) async throws -> Answer {
        try await calls.answer(token) { [native] in native.cancel(token: token, reason: "The caller gave up") }
    }

    // MARK: What is told

    /// Something that the boundary tells; called by the reading task, which must not wait.
    func told(_ message: Told) {
        switch message.kind {
        case .result: calls.settle(message.token, .success(Answer(text: message.text, isInput: false)))
        case .input: calls.settle(message.token, .success(Answer(text: message.text, isInput: true)))
        case .error: calls.settle(message.token, .failure(failure(message.text)))
        case .progress, .log: noticed(message)
        case .asked: asked(message.token, message.text)
        case .withdrawn: condition.with { $0.questions.removeValue(forKey: message.token) }?.cancel()
        case .change: changed(message)
        case .state:
            let said = try? JSONValue(parsing: message.text)
            let state = said?["state"]?.stringValue.flatMap(ClientState.init(rawValue:))
            // Of a connection that ends by our own will, we say how.
            if let state, !isEnding { set(state, said?["cause"]?.stringValue) }
        case .stderr: run(newsLane, handlers.stderr) { message.text }
        case .report: log(LogLevel(report: UInt32(truncatingIfNeeded: message.token)), message.text)
        case .closed: finish(lost(error(message.text)), condition.with { $0.ending })
        }
    }

    private func error(_ text: String) -> OmniportError {
        (try? JSONValue(parsing: text)).map(OmniportError.init(told:)) ?? .internalError(.init(text))
    }

    /// Why a call failed. The engine does not know that a client that is suspended goes on.
    private func failure(_ text: String) -> OmniportError {
        let failure = error(text)
        if case .closed = failure, condition.with({ $0.ending }) == .suspended { return Ending.suspended.error }
        return failure
    }

    private func lost(_ error: OmniportError) -> OmniportError {
        if case .closed = error { error } else { .closed(error.facts) }
    }

    private func noticed(_ message: Told) {
        let hearing = message.token == 0 ? nil : calls.handlers(for: message)
        if message.kind == .log {
            run(hearing?.lane ?? newsLane, hearing?.log ?? handlers.log) { try JSON.decode(LogMessage.self, from: message.text) }
        } else {
            run(hearing?.lane ?? progressLane, hearing?.progress) { try JSON.decode(CallProgress.self, from: message.text) }
        }
    }

    private func changed(_ message: Told) {
        guard let change = try? JSON.decode(Change.self, from: message.text), change.kind != .ended || !isEnding else {
            return native.handled(count: 1)
        }
        feeds.put(change, token: message.token)
        run(newsLane, change.kind == .ended ? nil : handlers.change) { change }
    }

    /// Runs a handler after those before it, and lets the boundary know when it is through: when too many wait, further ones are dropped.
    private func run<V: Sendable>(
        _ lane: Lane, _ handler: (@Sendable (V) async -> Void)?, _ value: @escaping @Sendable () throws -> V
    ) {
        guard let handler else { return native.handled(count: 1) }
        lane.add { [native] in
            do {
                let value = try value()
                await handler(value)
            } catch {
                log(.warning, "what a server told could not be read: \(text(of: error))")
            }
            native.handled(count: 1)
        }
    }

    /// Questions run besides each other and everything else: one may wait long for its user.
    private func asked(_ number: UInt64, _ question: String) {
        condition.with { condition in
            condition.questions[number] = Task.detached { [weak self, handlers] in
                let answer = await handlers.answer(question)
                self?.answered(number, answer)
            }
        }
    }

    private func answered(_ number: UInt64, _ answer: String) {
        let isWanted = condition.with { $0.questions.removeValue(forKey: number) != nil }
        if isWanted { native.answer(number: number, answer: answer) }
    }
}
