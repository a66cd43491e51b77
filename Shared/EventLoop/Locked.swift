internal import CLibUV
import Glibc

/// A value behind a lock, used like the standard library's `Mutex`.
///
/// It is built on `pthread_mutex_t`, which ThreadSanitizer knows. ThreadSanitizer does not know `Mutex` and reports
/// every access behind one as a race.
///
/// It is public because the compiler specializes other modules' generic code only if that is public and inlinable.
public final class Locked<Value: ~Copyable>: @unchecked Sendable {
    // Why unchecked: the value is reached through `withLock` only.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline let value: UnsafeMutablePointer<Value>

    /// Takes `initial` over.
    public init(_ initial: consuming sending Value) {
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
    @inlinable
    public func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        lock()
        defer { unlock() }
        return try body(&value.pointee)
    }

    @usableFromInline
    func lock() { pthread_mutex_lock(mutex) }

    @usableFromInline
    func unlock() { pthread_mutex_unlock(mutex) }
}
