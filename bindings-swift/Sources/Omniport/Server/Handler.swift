/// What runs for one kind of event and slot.
struct Handler: Sendable {
    /// What the log calls it: "tool `add`".
    let subject: String
    /// From the text of the event to the text that the engine completes the call with.
    let run: @Sendable (_ text: String, _ cx: Context) async throws -> String
}

/// Arguments that could be no values of the handler's type. The model reads why, and can act on it.
struct ArgumentError: Error {
    let message: String

    /// Decodes the arguments of a call.
    static func catching<T>(_ decode: () throws -> T) throws -> T {
        do {
            return try decode()
        } catch {
            throw ArgumentError(message: "Invalid arguments: \(text(of: error))")
        }
    }
}
