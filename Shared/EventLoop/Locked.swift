internal import CLibUV
import Glibc

/// A value behind a lock, used like the standard library's `Mutex`.
///
/// It is built on `pthread_mutex_t`, which ThreadSanitizer knows. ThreadSanitizer does not know `Mutex` and reports
/// every access behind one as a race.
package final class Locked<Value: ~Copyable>: @unchecked Sendable {
    // Why unchecked: the value is reached through `withLock` only.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    /// Takes `initial` over.
    package init(_ initial: consuming sending Value) {
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        value = .allocate(capacity: 1)
        value.initialize(to: initial)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Calls `body` with the value while no other thread has it. Keep it short, and never lock again inside.
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value.pointee)
    }
}
