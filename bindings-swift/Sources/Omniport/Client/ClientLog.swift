import Foundation

/// How severe a report is, as the engine counts.
enum Severity {
    static let warning = 30
    static let error = 40
}

/// Says what was noticed to the operator: on stderr, since stdout may be where messages of the protocol go (F09).
func report(_ text: String, severity: Int) {
    guard severity >= Severity.warning else { return }
    let word = severity >= Severity.error ? "error" : "warning"
    FileHandle.standardError.write(Data("omniport: \(word): \(text)\n".utf8))
}
