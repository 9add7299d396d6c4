internal import OmniportBoundary

/// What came back: the text of an answer, and whether it says what input the call needs.
struct Answer: Sendable {
    let text: String
    let isInput: Bool
}

/// Who hears of the notifications of one call.
final class CallHandlers: Sendable {
    let progress: (@Sendable (CallProgress) async -> Void)?
    let log: (@Sendable (LogMessage) async -> Void)?
    /// Where they run, one after the other.
    let lane: Lane

    init(progress: (@Sendable (CallProgress) async -> Void)?, log: (@Sendable (LogMessage) async -> Void)?, lane: Lane) {
        self.progress = progress
        self.log = log
        self.lane = lane
    }
}

/// Who waits for which answer, by the token that the boundary gave the call.
///
/// A token is told about by the reading task as soon as it exists, maybe before its caller could say that it waits; then what was told
/// waits here. Each token is told exactly one outcome, and each caller gets exactly one (F04).
final class Calls: Sendable {
    typealias Outcome = Result<Answer, any Error>

    private struct Entry {
        var waiting: CheckedContinuation<Answer, any Error>?
        var outcome: Outcome?
        /// The caller is gone: what is still told of it concerns nobody.
        var isAbandoned = false
        var handlers: CallHandlers?
        /// Notifications that came before their handlers.
        var early: [Told] = []
        /// Handlers that the answer comes after, if they had to do.
        var lane: Lane?

        /// Where the outcome has to wait. An answer comes after the progress that was told before it (X03); a failure waits for no handler.
        var busyLane: Lane? {
            guard case .success = outcome, let lane, !lane.isIdle else { return nil }
            return lane
        }
    }

    private let entries = Locked<[UInt64: Entry]>([:])

    /// How many calls are under way.
    var count: Int { entries.with { $0.count } }

    /// Waits for the outcome of a call. When the task is cancelled it throws `CancellationError` at once, and `withdraw` tells the server.
    func answer(_ token: UInt64, withdraw: @escaping @Sendable () -> Void) async throws -> Answer {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { attach($0, to: token) }
        } onCancel: {
            if abandon(token) { withdraw() }
        }
    }

    private func attach(_ continuation: CheckedContinuation<Answer, any Error>, to token: UInt64) {
        let (outcome, lane): (Outcome?, Lane?) = entries.with { entries in
            var entry = entries[token] ?? Entry()
            if entry.isAbandoned { return (.failure(CancellationError()), nil) }
            if let outcome = entry.outcome, entry.busyLane == nil {
                entries[token] = nil
                return (outcome, nil)
            }
            entry.waiting = continuation
            entries[token] = entry
            return (nil, entry.busyLane)
        }
        if let outcome { continuation.resume(with: outcome) }
        lane?.add { self.deliver(token) }
    }

    /// Lets the caller of a call go; whether the call was still under way.
    private func abandon(_ token: UInt64) -> Bool {
        let (waiting, isUnderWay) = entries.with { entries in
            let entry = entries[token] ?? Entry()
            if entry.outcome == nil {
                var abandoned = Entry()
                abandoned.isAbandoned = true
                entries[token] = abandoned
            } else if entry.waiting != nil {
                entries[token] = nil
            }
            return (entry.waiting, entry.outcome == nil)
        }
        waiting?.resume(throwing: CancellationError())
        return isUnderWay
    }

    /// The outcome of a call.
    func settle(_ token: UInt64, _ outcome: Outcome) {
        let (waiting, lane): (CheckedContinuation<Answer, any Error>?, Lane?) = entries.with { entries in
            guard var entry = entries[token] else {
                entries[token] = Entry(outcome: outcome)
                return (nil, nil)
            }
            entry.outcome = outcome
            let lane = entry.busyLane
            let isOver = entry.isAbandoned || (entry.waiting != nil && lane == nil)
            entries[token] = isOver ? nil : entry
            return isOver ? (entry.waiting, nil) : (nil, lane)
        }
        waiting?.resume(with: outcome)
        lane?.add { self.deliver(token) }
    }

    private func deliver(_ token: UInt64) {
        let ready: (CheckedContinuation<Answer, any Error>, Outcome)? = entries.with { entries in
            guard let waiting = entries[token]?.waiting, let outcome = entries[token]?.outcome else { return nil }
            entries[token] = nil
            return (waiting, outcome)
        }
        if let (waiting, outcome) = ready { waiting.resume(with: outcome) }
    }

    // MARK: Notifications

    /// Who hears of a notification.
    enum Hearer {
        case handlers(CallHandlers)
        /// It waits until `expect` says so.
        case later
        case nobody
    }

    /// Says who hears of the notifications of a call; returns those that came before.
    func expect(_ token: UInt64, _ handlers: CallHandlers) -> [Told] {
        entries.with { entries in
            var entry = entries[token] ?? Entry()
            let early = entry.early
            entry.early = []
            entry.handlers = handlers
            if !early.isEmpty { entry.lane = handlers.lane }
            entries[token] = entry
            return early
        }
    }

    func hearer(of notification: Told) -> Hearer {
        entries.with { entries in
            var entry = entries[notification.token] ?? Entry()
            if entry.isAbandoned { return .nobody }
            defer { entries[notification.token] = entry }
            guard let handlers = entry.handlers else {
                entry.early.append(notification)
                return .later
            }
            entry.lane = handlers.lane
            return .handlers(handlers)
        }
    }
}
