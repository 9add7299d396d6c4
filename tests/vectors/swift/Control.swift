import Foundation
import Omniport

/// The runner's own line to the server: what to serve, whether everything has come to rest, and to stop.
final class Control: Sendable {
    private let descriptor: Int32
    private let obeying = NSLock()

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Longer than any run: what still runs after a stop stays so until the runner leaves.
    private static let grace = Duration.seconds(600)

    /// The next line; nil when the runner is done with this run.
    func line() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(descriptor, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }

    func say(_ text: String) { FileHandle(fileDescriptor: descriptor).write(Data("\(text)\n".utf8)) }

    /// Does what the runner says, on a thread of its own, and ends the process when it is done.
    func obeyed(by app: Server) {
        Thread.detachNewThread { [self] in
            while let word = line() {
                obeying.withLock {
                    if word == "stop" { Task { await app.stop(grace: Self.grace) } }
                    Rest.wait()
                    say(word == "stop" ? "stopped" : "settled")
                }
            }
            _exit(0)
        }
    }

    /// Waits until the runner has its answer: a server that was told to stop may be over before.
    func finish() { obeying.withLock {} }
}

/// Whether this process has come to rest: whatever it was told had its effect, and it waits for something from outside.
///
/// Tasks run on threads of the runtime, engine and program have threads of their own, and a thread that has something to do is runnable from
/// the moment at which it was given that. So when no thread ran between two looks, and all of them slept at the second, there was an instant
/// at which all slept. Linux only.
enum Rest {
    /// A thread that is about to sleep says that it does, and may find something to do after all; it does not stay like that.
    private static let looks = 3

    /// Returns when all threads but this one have come to rest.
    static func wait() {
        var alike = 0
        var before = look()
        while alike < looks {
            sched_yield()
            let now = look()
            alike = now != nil && now == before ? alike + 1 : 0
            before = now
        }
    }

    /// How often each thread was switched to and fro; nil when one of them does not sleep.
    private static func look() -> [String: Substring]? {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self"))?.split(separator: "/").last
        guard let own, let threads = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task") else { return nil }
        var switches: [String: Substring] = [:]
        for thread in threads where thread != own {
            guard let status = try? String(contentsOfFile: "/proc/self/task/\(thread)/status", encoding: .utf8),
                status.contains("\nState:\tS"), let counts = status.range(of: "voluntary_ctxt_switches:")
            else { return nil }
            switches[thread] = status[counts.lowerBound...]
        }
        return switches
    }
}
