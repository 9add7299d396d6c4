import Foundation

/// Hears SIGINT and SIGTERM once; after that they do what they did before.
final class StopSignals: Sendable {
    private struct Heard: @unchecked Sendable {  // sources are safe to use from any thread, and say so on Apple's systems only
        let signal: Int32
        let source: any DispatchSourceSignal
        let before: (@convention(c) (Int32) -> Void)?
    }

    private let heard: Locked<[Heard]>

    init(_ stop: @escaping @Sendable () -> Void) {
        heard = Locked([])
        for number in [SIGINT, SIGTERM] {
            let before = signal(number, SIG_IGN)  // the source hears it all the same
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [weak self] in
                self?.restore()
                stop()
            }
            source.resume()
            heard.with { $0.append(Heard(signal: number, source: source, before: before)) }
        }
    }

    func restore() {
        let heard = heard.with { heard in
            defer { heard = [] }
            return heard
        }
        for one in heard {
            one.source.cancel()
            signal(one.signal, one.before ?? SIG_DFL)
        }
    }
}
