import Foundation

/// A value behind a lock. `Synchronization.Mutex` would need macOS 15 and iOS 18.
final class Locked<Value>: @unchecked Sendable {  // the value is reached under the lock alone
    private let lock = NSLock()
    private var value: Value

    init(_ value: sending Value) { self.value = value }

    /// Must not wait for anything, nor call into what may take this lock.
    @inline(__always)
    func with<Result>(_ body: (inout Value) throws -> sending Result) rethrows -> sending Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
