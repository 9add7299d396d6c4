import Omniport

/// What the server told and asked meanwhile: notifications may come after the answer, since over HTTP they have a stream of their own.
actor Told {
    private(set) var asked: [String] = []
    private var logged: [LogMessage] = []
    private var changed: [Change] = []
    private(set) var steps: [Double] = []

    private static let patience = Duration.seconds(20)

    func clear() { (asked, logged, changed, steps) = ([], [], [], []) }

    func ask(_ kind: String) { asked.append(kind) }
    func log(_ message: LogMessage) { logged.append(message) }
    func change(_ change: Change) { changed.append(change) }
    func step(_ progress: CallProgress) { steps.append(progress.progress) }

    /// Waits for a log message that holds the text.
    func untilLogged(_ text: String) async throws {
        try await until("log message") { $0.logged.contains { "\($0.data)".contains(text) || $0.logger == text } }
    }

    /// Waits for a change of that kind and, if it is said, of that resource.
    func untilChanged(_ wanted: JSONValue) async throws {
        try await until("change") { told in
            told.changed.contains { change in
                change.kind.rawValue == wanted["changed"]?.stringValue && (wanted["uri"] == nil || wanted["uri"]?.stringValue == change.uri)
            }
        }
    }

    private func until(_ what: String, _ isThere: (isolated Told) -> Bool) async throws {
        let end = ContinuousClock.now + Self.patience
        while !isThere(self) {
            guard ContinuousClock.now < end else { throw Mismatch("no such \(what): \(logged) \(changed)") }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}

/// A check that failed.
struct Mismatch: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

func expect<T: Equatable>(_ found: T, _ wanted: T, _ what: String) throws {
    if found != wanted { throw Mismatch("\(what): \(found), not \(wanted)") }
}
