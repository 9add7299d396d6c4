import Foundation

/// A value behind a lock. `Synchronization.Mutex` would need macOS 15 and iOS 18, and on Linux an `NSLock` is four allocations, twice for each
/// call.
final class Locked<Value>: @unchecked Sendable {  // the value is reached under the lock alone
    private let lock = UnsafeMutablePointer<Lock>.allocate(capacity: 1)
    private var value: Value

    init(_ value: sending Value) {
        self.value = value
        lock.create()
    }

    deinit {
        lock.destroy()
        lock.deallocate()
    }

    /// Must not wait for anything, nor call into what may take this lock.
    @inline(__always)
    func with<Result>(_ body: (inout Value) throws -> sending Result) rethrows -> sending Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

#if canImport(Darwin)
    private typealias Lock = os_unfair_lock

    extension UnsafeMutablePointer<os_unfair_lock> {
        fileprivate func create() { initialize(to: os_unfair_lock()) }
        fileprivate func destroy() { deinitialize(count: 1) }
        fileprivate func lock() { os_unfair_lock_lock(self) }
        fileprivate func unlock() { os_unfair_lock_unlock(self) }
    }
#else
    private typealias Lock = pthread_mutex_t

    extension UnsafeMutablePointer<pthread_mutex_t> {
        fileprivate func create() {
            initialize(to: pthread_mutex_t())
            pthread_mutex_init(self, nil)
        }
        fileprivate func destroy() { pthread_mutex_destroy(self) }
        fileprivate func lock() { pthread_mutex_lock(self) }
        fileprivate func unlock() { pthread_mutex_unlock(self) }
    }
#endif
