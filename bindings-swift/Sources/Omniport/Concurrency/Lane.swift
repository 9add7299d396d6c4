/// Runs callbacks in the order of what they are told, one after the other, in a task that lives as long as there is something to do.
final class Lane: Sendable {
    typealias Step = @Sendable () async -> Void

    /// The lane whose step runs.
    @TaskLocal static var current: Lane?

    private struct State {
        var steps: [Step] = []
        var isRunning = false
    }

    private let state = Locked(State())

    /// Whether everything is through.
    var isIdle: Bool { state.with { !$0.isRunning } }

    /// Runs `step` after those before it.
    func add(_ step: @escaping Step) {
        let isFirst = state.with { state in
            state.steps.append(step)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if isFirst { Task.detached { await Lane.$current.withValue(self) { await self.run() } } }
    }

    private func run() async {
        while let steps = next() {
            for step in steps { await step() }
        }
    }

    private func next() -> [Step]? {
        state.with { state in
            defer { state.steps = [] }
            state.isRunning = !state.steps.isEmpty
            return state.isRunning ? state.steps : nil
        }
    }
}
