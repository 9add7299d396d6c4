import Foundation

/// A value behind a lock. `Mutex` of the standard library is the same, but needs macOS 15.
///
/// Sendable although the compiler cannot see why: the value is reached with the lock held only.
final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    @inline(__always)
    func withLock<R>(_ body: (inout Value) throws -> R) rethrows -> R {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
