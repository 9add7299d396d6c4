import Foundation

/// Hears SIGINT and SIGTERM once; after that they do what they did before, when nobody else of this process hears them.
final class StopSignals: Sendable {
    private struct Source: @unchecked Sendable {  // safe to use from any thread, and says so on Apple's systems only
        let source: any DispatchSourceSignal
    }

    /// What the signals did before the first of those that hear now, and how many these are: servers may run beside each other.
    private struct Hearing {
        var count = 0
        var before: [(signal: Int32, action: sigaction)] = []
    }

    private static let hearing = Locked(Hearing())
    private let sources: Locked<[Source]>

    init(_ stop: @escaping @Sendable () -> Void) {
        sources = Locked([])
        Self.hearing.with { hearing in
            hearing.count += 1
            if hearing.count == 1 { hearing.before = [SIGINT, SIGTERM].map { ($0, Self.ignore($0)) } }
        }
        for number in [SIGINT, SIGTERM] {
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [weak self] in
                self?.restore()
                stop()
            }
            source.resume()
            sources.with { $0.append(Source(source: source)) }
        }
    }

    func restore() {
        let sources = sources.with { sources in
            defer { sources = [] }
            return sources
        }
        guard !sources.isEmpty else { return }
        for one in sources { one.source.cancel() }
        Self.hearing.with { hearing in
            hearing.count -= 1
            guard hearing.count == 0 else { return }
            for (number, before) in hearing.before {
                var action = before
                sigaction(number, &action, nil)
            }
            hearing.before = []
        }
    }

    /// Sources hear it all the same; what it did before.
    private static func ignore(_ number: Int32) -> sigaction {
        var before = sigaction()
        sigaction(number, nil, &before)
        signal(number, SIG_IGN)
        return before
    }
}
