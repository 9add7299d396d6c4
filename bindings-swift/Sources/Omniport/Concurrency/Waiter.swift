/// A place where one task waits for one outcome. Whoever comes first settles it, and it is resumed exactly once (F04).
final class Waiter<Value: Sendable>: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Value, any Error>)
        case settled(Result<Value, any Error>)
    }

    private let state = Locked<State>(.open)

    /// Later outcomes are ignored.
    func settle(_ outcome: Result<Value, any Error>) {
        let waiting: CheckedContinuation<Value, any Error>? = state.with { state in
            defer { if case .settled = state {} else { state = .settled(outcome) } }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume(with: outcome)
    }

    /// The outcome; `CancellationError` when the waiting task is cancelled first.
    func value() async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let settled: Result<Value, any Error>? = state.with { state in
                    if case .settled(let outcome) = state { return outcome }
                    state = .waiting(continuation)
                    return nil
                }
                if let settled { continuation.resume(with: settled) }
            }
        } onCancel: {
            settle(.failure(CancellationError()))
        }
    }
}
