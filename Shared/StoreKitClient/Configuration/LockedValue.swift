/// A value behind a lock, for classes that are called from any thread.
///
/// EventLoop's is not available here: this library is also a separate package (`Client/`).
/// `Synchronization.Mutex` needs a newer macOS than the rest of this library.
package final class LockedValue<Value: Sendable>: @unchecked Sendable {
    // Unchecked: `value` is accessed only while `lock` is held.
    private let lock = NSLock()
    private var value: Value

    package init(_ value: Value) { self.value = value }

    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
