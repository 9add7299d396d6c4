/// Something that comes about once and that any number of tasks wait for.
final class Latch: Sendable {
    typealias Waiting = CheckedContinuation<Void, any Error>

    private struct State {
        var outcome: Result<Void, any Error>?
        var waiting: [Int: Waiting] = [:]
        var isCancelled: Set<Int> = []
        var last = 0
    }

    private let state = Locked(State())

    /// Whether it came about, or failed to.
    var isOpen: Bool { state.with { $0.outcome != nil } }

    /// The first outcome counts.
    func open(_ outcome: Result<Void, any Error> = .success(())) {
        let waiting = state.with { state in
            guard state.outcome == nil else { return [Waiting]() }
            state.outcome = outcome
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for waiting in waiting { waiting.resume(with: outcome) }
    }

    /// Waits until there is an outcome, whatever it is and whatever becomes of the task.
    func wait() async {
        let number = number()
        try? await withCheckedThrowingContinuation { wait($0, number) }
    }

    /// Waits for the outcome, or for the end of the task. A task that is cancelled stops waiting, and takes nothing from the others.
    func pass() async throws {
        let number = number()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait($0, number) }
        } onCancel: {
            leave(number)
        }
    }

    private func number() -> Int {
        state.with { state in
            state.last += 1
            return state.last
        }
    }

    private func wait(_ continuation: Waiting, _ number: Int) {
        let outcome: Result<Void, any Error>? = state.with { state in
            if state.isCancelled.remove(number) != nil { return .failure(CancellationError()) }
            if state.outcome == nil { state.waiting[number] = continuation }
            return state.outcome
        }
        if let outcome { continuation.resume(with: outcome) }
    }

    private func leave(_ number: Int) {
        let waiting = state.with { state in
            let waiting = state.waiting.removeValue(forKey: number)
            if waiting == nil, state.outcome == nil { state.isCancelled.insert(number) }
            return waiting
        }
        waiting?.resume(throwing: CancellationError())
    }
}
