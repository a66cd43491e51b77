import Foundation

/// A value behind a lock, for classes that are called from any thread.
///
/// The store's own `Locked` is in EventLoop, which this library does without: it is a package by itself (`Client/`).
/// `Synchronization.Mutex` needs a newer macOS than the rest of this library.
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
