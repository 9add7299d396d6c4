internal import OmniportBoundary

/// Who waits for which answer, by the token that the boundary gave the call.
///
/// A call is here from its beginning until its outcome was told and taken. The reading task may hear of the outcome before the caller could
/// say that it waits; then the outcome waits here. Each token is told exactly one outcome, and each caller gets exactly one (F04).
final class Calls: Sendable {
    typealias Outcome = Result<Answer, any Error>

    private struct Entry {
        var waiting: CheckedContinuation<Answer, any Error>?
        var outcome: Outcome?
        /// The caller is gone: what is still told of it concerns nobody.
        var isAbandoned = false
        var handlers: CallHandlers?
        /// Handlers that the answer comes after, if they had to do.
        var lane: Lane?

        /// Where the outcome has to wait. An answer comes after the progress that was told before it (X03); a failure waits for no handler.
        var busyLane: Lane? {
            guard case .success = outcome, let lane, !lane.isIdle else { return nil }
            return lane
        }
    }

    private let entries = Locked<[UInt64: Entry]>([:])
    private let end = Locked<(any Error)?>(nil)

    /// How many calls are under way.
    var count: Int { entries.with { $0.count } }

    /// Begins a call, by what gives its token. Where somebody hears of its notifications, under the lock: none is told before it is known who.
    func begin(_ handlers: CallHandlers? = nil, _ start: () throws -> UInt64) throws -> UInt64 {
        if let handlers {
            let token = try entries.with { entries in
                let token = try start()
                entries[token] = Entry(handlers: handlers)
                return token
            }
            if let error = end.with({ $0 }) { fail(token, error) }
            return token
        }
        let token = try start()
        entries.with { if $0[token] == nil { $0[token] = Entry() } }
        if let error = end.with({ $0 }) { fail(token, error) }
        return token
    }

    /// Nothing will be told any more: whatever still waits fails, and so does what begins from now on. A call that begins while its client is
    /// closed would wait for ever (F04).
    func end(_ error: any Error) {
        end.with { $0 = error }
        for token in entries.with({ Array($0.keys) }) { fail(token, error) }
    }

    private func fail(_ token: UInt64, _ error: any Error) {
        if entries.with({ $0[token].map { $0.outcome == nil } ?? false }) { settle(token, .failure(error)) }
    }

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
            // Cancelled before it could be waited for; the outcome may have come and gone since.
            guard var entry = entries[token], !entry.isAbandoned else { return (.failure(CancellationError()), nil) }
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
        let (waiting, isUnderWay): (CheckedContinuation<Answer, any Error>?, Bool) = entries.with { entries in
            guard let entry = entries[token] else { return (nil, false) }
            if entry.outcome == nil {
                entries[token] = Entry(isAbandoned: true)
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

    /// Who hears of a notification; nil when its call is over, which a log message may come after.
    func handlers(for notification: Told) -> CallHandlers? {
        entries.with { entries in
            guard let handlers = entries[notification.token]?.handlers else { return nil }
            entries[notification.token]?.lane = handlers.lane
            return handlers
        }
    }
}
