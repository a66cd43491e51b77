import Foundation

/// A value behind a lock, for classes that are called from any thread.
///
/// `Synchronization.Mutex` would do the same; it needs a newer macOS than the rest of this library.
final class Locked<Value: Sendable>: @unchecked Sendable {
    // Unchecked: `value` is touched only while `lock` is held.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
