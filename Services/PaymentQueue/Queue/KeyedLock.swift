import EventLoop

/// Runs one body at a time for each key; others of the key wait in the order they came.
///
/// Bodies of different keys run beside each other. A body may take the lock again for another key, never for its own.
final class KeyedLock<Key: Hashable & Sendable>: Sendable {
    /// The bodies that wait, by keys that are taken.
    private let waiting = Locked<[Key: [CheckedContinuation<Void, Never>]]>([:])

    /// Keys that are taken.
    var count: Int { waiting.withLock { $0.count } }

    /// Bodies of `key` that wait.
    func waiters(of key: Key) -> Int { waiting.withLock { $0[key]?.count ?? 0 } }

    /// Runs `body` when those of `key` that came before have ended.
    /// - Throws: What `body` throws.
    func withLock<Result>(_ key: Key, _ body: () async throws -> Result) async rethrows -> Result {
        await take(key)
        defer { release(key) }
        return try await body()
    }

    private func take(_ key: Key) async {
        await withCheckedContinuation { continuation in
            let isFree = waiting.withLock { waiting in
                guard waiting[key] != nil else {
                    waiting[key] = []
                    return true
                }
                waiting[key]?.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    private func release(_ key: Key) {
        let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
            guard waiting[key]?.isEmpty == false else {
                waiting[key] = nil
                return nil
            }
            return waiting[key]?.removeFirst()
        }
        next?.resume()
    }
}
