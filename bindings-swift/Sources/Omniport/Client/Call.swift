/// A call of a tool under way, with its progress to iterate over.
///
/// ```swift
/// let call = client.startTool("index", ["path": "/srv"])
/// for await step in call.progress { print(step.progress) }
/// let result = try await call.value
/// ```
public struct Call<Value: Sendable>: Sendable {
    /// The progress of the call; it ends with the call, whose failure ``value`` throws. Of progress that nobody takes the newest thousand
    /// steps are kept.
    public let progress: AsyncStream<CallProgress>
    private let task: Task<Value, any Error>

    init(_ options: CallOptions?, _ ask: @escaping @Sendable (CallOptions) async throws -> Value) {
        let (progress, steps) = AsyncStream.makeStream(of: CallProgress.self, bufferingPolicy: .bufferingNewest(1000))
        var options = options ?? CallOptions()
        let given = options.onProgress
        options.onProgress = { step in
            steps.yield(step)
            await given?(step)
        }
        self.progress = progress
        task = Task { [options] in
            defer { steps.finish() }
            return try await ask(options)
        }
    }

    /// The answer. When the task that waits is cancelled, so is the call.
    public var value: Value {
        get async throws {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }

    /// Takes the call back: ``value`` throws `CancellationError`, and the server is told. No effect when it is over.
    public func cancel() { task.cancel() }
}

extension Client {
    /// Begins a call of a tool, without waiting for its answer.
    public func startTool(_ name: String, _ arguments: JSONValue = [:], options: CallOptions? = nil) -> Call<CallToolResult> {
        Call(options) { try await self.callTool(name, arguments, options: $0) }
    }
}
