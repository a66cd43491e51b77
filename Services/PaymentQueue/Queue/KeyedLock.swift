import EventLoop

/// Runs one body at a time for each key, in the order of the calls.
///
/// Bodies of different keys run concurrently. A body may take the lock for another key, never for its own.
final class KeyedLock<Key: Hashable & Sendable>: Sendable {
    /// The waiting bodies of each taken key.
    private let waiting = Locked<[Key: [CheckedContinuation<Void, Never>]]>([:])

    /// The number of taken keys.
    var count: Int { waiting.withLock { $0.count } }

    /// Returns how many bodies wait for `key`.
    func waiters(of key: Key) -> Int { waiting.withLock { $0[key]?.count ?? 0 } }

    /// Runs `body` when the earlier bodies of `key` have ended.
    /// - Throws: The error of `body`.
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
