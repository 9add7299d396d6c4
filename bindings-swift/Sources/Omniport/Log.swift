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
    say("omniport: \(level.word): \(text)")
}

/// Writes a line to stderr as it is. What nobody can take, a full disk or a closed pipe, is lost: `write(_:)` would end the process for it.
func say(_ line: String) { try? FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8)) }
