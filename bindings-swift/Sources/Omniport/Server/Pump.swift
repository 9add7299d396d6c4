import Foundation

internal import OmniportBoundary

/// The hot path: takes what the engine has queued, runs handlers, completes calls.
///
/// One task reads; each handler is a task of its own. What handlers answer and tell is collected, and handed to the engine by one of them at a
/// time, so that the answers of calls that run at once leave together.
final class Pump: Sendable {
    let engine: Engine
    /// Opens when everything is over.
    let ended = Latch()
    private let setup: Setup
    private let state = Locked(State())
    /// Held while the engine sends what was asked. No `Void`: of a value without a size the thread sanitizer watches the object itself.
    private let sending = Locked(false)

    /// What a pump runs.
    struct Setup: Sendable {
        /// The handler of an event.
        let find: @Sendable (_ kind: Kind, _ slot: UInt32) -> Handler?
        let onEvent: Observer?
        let onAudit: Observer?
        /// Called once when the pump has ended.
        let onEnd: @Sendable (Pump) -> Void
    }

    private struct State {
        var hasStarted = false
        var isClosing = false
        var isServed = false
        var isOver = false
        /// The engine was told to be silent: whatever begins now would never hear of it.
        var hasEnded = false
        var running: [UInt64: Context] = [:]
        var sinks: [UInt64: HTTPSink] = [:]
        /// What has to be handed to the engine.
        var pending: [Pending] = []
        var flush = Flush.idle
        /// Something besides `pending` waits for a flush of the engine.
        var isDirty = false
        /// Opened when the last handler has ended.
        var idle: Latch?
    }

    private enum Pending {
        case complete(UInt64, String)
        case fail(UInt64, Failure)
        case notice(UInt64, String)
        case closeStream(UInt64)
    }

    private enum Flush {
        case idle
        /// A task will flush, behind the handlers that are ready to run.
        case scheduled
        /// Somebody flushes, and will see what is added now.
        case running
    }

    init(engine: Engine, setup: Setup) {
        self.engine = engine
        self.setup = setup
    }

    // MARK: Life

    /// Begins to handle what the engine queues.
    func start() {
        let begins = state.with { state in
            defer { state.hasStarted = true }
            return !state.hasStarted
        }
        guard begins else { return }
        Task.detached { await self.read() }
    }

    /// How many calls run.
    var running: Int { state.with { $0.running.count } }

    /// Whether the engine was told to stop; it cannot be used again then.
    var isClosing: Bool { state.with { $0.isClosing } }

    /// No new calls; running ones may take `grace` more (nil: the server's limit).
    func close(_ grace: Duration?) {
        state.with { $0.isClosing = true }
        start()  // somebody has to hear that the end has come
        engine.close(grace: grace?.seconds ?? (try? engine.limit(name: Limit.shutdownGrace.rawValue)) ?? 0)
    }

    /// A transport is served from now on, and keeps the server alive.
    func serves() {
        state.with { $0.isServed = true }
        start()
    }

    /// Nobody holds the server any more. What is served goes on.
    func abandon() {
        let ends = state.with { state in
            defer { state.isClosing = state.isClosing || !state.isServed }
            return !state.isServed && !state.isClosing
        }
        if ends { engine.stop() }
    }

    private func read() async {
        while true {
            let events = await engine.events()
            if events.isEmpty { break }
            for event in events { dispatch(event) }
        }
    }

    private func dispatch(_ event: Event) {
        switch event.kind {
        case .call, .read, .get, .complete, .visible, .authenticate: begin(event)
        case .answer:
            state.with { $0.running[event.token] }?.answer(event.slot, event.text)
            // Other questions of the call may still be open, and nothing else would send them again.
            asked()
        case .cancel: state.with { $0.running[event.token] }?.cancel(event.text)
        case .event: setup.onEvent?.tell(event.text)
        case .audit: setup.onAudit?.tell(event.text)
        case .report: log(LogLevel(report: event.slot), event.text)
        case .http: respond(event)
        case .end: Task { await self.end() }
        }
    }

    /// Waits until the handlers have cleaned up after themselves, five seconds at most.
    private func end() async {
        let (running, idle) = state.with { state -> ([Context], Latch?) in
            guard !state.isOver else { return ([], nil) }
            state.isOver = true
            state.isClosing = true
            let idle = Latch()
            state.idle = idle
            if state.running.isEmpty { idle.open() }
            return (Array(state.running.values), idle)
        }
        guard let idle else { return }
        for cx in running { cx.cancel("The server has stopped") }
        let deadline = Task {
            try? await Task.sleep(for: .seconds(5))
            idle.open()
        }
        await idle.wait()
        deadline.cancel()
        engine.stop()
        let sinks = state.with { state in
            state.hasEnded = true
            defer { state.sinks = [:] }
            return Array(state.sinks.values)
        }
        for sink in sinks { sink.abort() }
        setup.onEnd(self)
        ended.open()
    }

    // MARK: Handlers

    private func begin(_ event: Event) {
        guard let handler = setup.find(event.kind, event.slot) else {
            return put(.fail(event.token, Failure("internal", "The handler is not there any more")))
        }
        let uri = event.kind == .read ? (try? JSONValue(parsing: event.text))?["uri"]?.stringValue : nil
        let cx = Context(pump: self, token: event.token, uri: uri ?? "")
        state.with { $0.running[event.token] = cx }
        cx.runs(in: Task.detached { await Context.$current.withValue(cx) { await self.run(handler, event.text, cx) } })
    }

    private func run(_ handler: Handler, _ text: String, _ cx: Context) async {
        var outcome: Pending?
        do {
            outcome = .complete(cx.token, try await handler.run(text, cx))
        } catch {
            if !cx.isCancelled {
                Failure.report(handler.subject, error)
                outcome = .fail(cx.token, Failure(error))
            } else if state.with({ $0.isOver }) {
                // A client of this process still waits.
                outcome = .fail(cx.token, Failure(OmniportError.closed("The server has stopped")))
            }
        }
        // Of a call that its caller took back the engine knows nothing any more, and nobody waits for its answer.
        finish(cx.token, outcome)
    }

    private func finish(_ token: UInt64, _ outcome: Pending?) {
        let (next, idle) = state.with { state -> (Next, Latch?) in
            state.running[token] = nil
            if let outcome { state.pending.append(outcome) }
            // Alone, it need not wait for others to leave with.
            return (leave(&state, isAlone: state.running.isEmpty), state.running.isEmpty ? state.idle : nil)
        }
        go(next)
        idle?.open()
    }

    // MARK: What leaves

    /// Progress or a log message of a running call.
    func notice(_ token: UInt64, _ notice: JSONObject) {
        guard let text = try? JSONValue.object(notice).text() else { return log(.warning, "a notice holds a number that no JSON has") }
        put(.notice(token, text))
    }

    /// Ends the event stream of a running call, behind what the call has told.
    func closeStream(_ token: UInt64) { put(.closeStream(token)) }

    /// Something was asked, or changed: it leaves behind what the handlers that are ready now have to say.
    func asked() {
        go(
            state.with { state in
                state.isDirty = true
                return leave(&state, isAlone: false)
            })
    }

    private func put(_ pending: Pending) {
        go(
            state.with { state in
                state.pending.append(pending)
                return leave(&state, isAlone: false)
            })
    }

    /// What has to be done so that what is pending leaves.
    private enum Next {
        case nothing
        case flush
        case schedule
    }

    private func leave(_ state: inout State, isAlone: Bool) -> Next {
        guard state.flush == .idle, state.isDirty || !state.pending.isEmpty else { return .nothing }
        state.flush = isAlone ? .running : .scheduled
        return isAlone ? .flush : .schedule
    }

    private func go(_ next: Next) {
        switch next {
        case .nothing: break
        case .flush: flush()
        case .schedule:
            Task.detached {
                // Behind the handlers that are ready to run: one turn for those that go on, one for those they start.
                await Task.yield()
                self.state.with { $0.flush = .running }
                self.flush()
            }
        }
    }

    /// Hands everything to the engine. Of one caller at a time: the engine's own batches begin and end here.
    private func flush() {
        while true {
            let pending = state.with { state -> [Pending]? in
                if state.pending.isEmpty, !state.isDirty {
                    state.flush = .idle
                    return nil
                }
                state.isDirty = false
                defer { state.pending.removeAll(keepingCapacity: true) }
                return state.pending
            }
            guard let pending else { return }
            for pending in pending { hand(pending) }
            sending.with { _ in engine.flush() }
        }
    }

    /// Asks questions of which none leaves without the others.
    func inOneRound<Asked: Sendable>(_ ask: () throws -> Asked) rethrows -> Asked { try sending.with { _ in try ask() } }

    private func hand(_ pending: Pending) {
        switch pending {
        case .complete(let token, let text): engine.complete(token: token, text: text)
        case .fail(let token, let failure):
            engine.fail(token: token, kind: failure.kind, code: failure.code, message: failure.message, data: failure.data)
        case .notice(let token, let text):
            do { try engine.notice(token: token, text: text) } catch { log(.warning, "a notice could not be sent: \(error)") }
        case .closeStream(let token): engine.closeStream(token: token)
        }
    }

    // MARK: Answers to a foreign web server

    /// Hands a request in; its answer comes to the sink. Nil when everything is over.
    func handle(_ head: String, _ body: Data) throws -> HTTPSink? {
        start()
        // Under the lock, because the answer may come before this thread knows the token.
        return try state.with { state in
            if state.hasEnded { return nil }
            let token = try guarded { try engine.handleHttp(head: head, body: body) }
            let sink = HTTPSink(engine: engine, token: token)
            state.sinks[token] = sink
            return sink
        }
    }

    /// Nobody reads the answer any more.
    func drop(_ token: UInt64) {
        if state.with({ $0.sinks.removeValue(forKey: token) }) != nil { engine.dropHttp(token: token) }
    }

    private func respond(_ event: Event) {
        let isEnd = event.slot == HTTPSink.end
        let sink = state.with { isEnd ? $0.sinks.removeValue(forKey: event.token) : $0.sinks[event.token] }
        sink?.put(part: event.slot, event.text)
    }
}
