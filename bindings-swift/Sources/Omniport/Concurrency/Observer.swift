/// Tells one observer what happens, in order and one thing at a time; whoever tells does not wait.
final class Observer: Sendable {
    private let told: AsyncStream<String>.Continuation

    init(_ hear: @escaping @Sendable (String) async -> Void) {
        let (stream, told) = AsyncStream.makeStream(of: String.self)
        self.told = told
        Task.detached {
            for await text in stream { await hear(text) }
        }
    }

    deinit { told.finish() }

    func tell(_ text: String) { told.yield(text) }
}
