import Foundation

/// How urgent a line of the log is.
enum LogLevel: UInt32 {
    case debug = 10
    case info = 20
    case warning = 30
    case error = 40

    /// The level of a report of the engine.
    init(report: UInt32) { self = LogLevel(rawValue: report / 10 * 10) ?? .error }

    var word: String { String(describing: self) }
}

/// Writes a line to stderr: stdout belongs to the protocol (F09). What only helps to find faults is left out.
func log(_ level: LogLevel, _ text: String) {
    guard level.rawValue >= LogLevel.warning.rawValue else { return }
    FileHandle.standardError.write(Data("omniport: \(level.word): \(text)\n".utf8))
}
