import Glibc

/// State that several threads change one after the other, behind a POSIX mutex.
///
/// Why not `Mutex`: under contention it sleeps in the kernel, where ThreadSanitizer does not see who let whom go, and
/// reports races that are none. This bus is contended by design, in tests, and those run under ThreadSanitizer.
///
/// Unchecked, because the compiler cannot see that `value` is only touched while the mutex is held.
final class SharedState<Value>: @unchecked Sendable {
    private var value: Value
    /// At an address of its own, as POSIX wants it.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    init(_ value: sending Value) {
        self.value = value
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
