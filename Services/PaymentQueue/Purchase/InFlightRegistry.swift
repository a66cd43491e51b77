import EventLoop
import StoreModels

/// The purchases (or subscriptions) this process works on, and the tasks that wait for their outcome.
///
/// Nothing rests on it but speed: two processes may well work on one purchase, and the database decides.
final class InFlightRegistry: Sendable {
    private struct Contents {
        var worked: Set<ExactText> = []
        var listeners: [ExactText: [Int: AsyncStream<Void>.Continuation]] = [:]
        var nextListener = 0
    }

    private let contents = Locked(Contents())

    /// - Returns: Whether the caller is to work on the purchase now; then it calls ``end(_:)``.
    func begin(_ id: String) -> Bool { contents.withLock { $0.worked.insert(id).inserted } }

    func end(_ id: String) { contents.withLock { _ = $0.worked.remove(id) } }

    func contains(_ id: String) -> Bool { contents.withLock { $0.worked.containsExactly(id) } }

    /// Wakes all that wait for this purchase, to look again.
    func announce(_ id: String) {
        let woken = contents.withLock { $0.listeners.removeValue(forKey: ExactText(id)) }
        for continuation in woken.map({ Array($0.values) }) ?? [] {
            continuation.yield()
            continuation.finish()
        }
    }

    /// A stream that yields once, at the next announcement. Listen first and look then: nothing is missed in between.
    func listen(_ id: String) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number = contents.withLock { contents in
            contents.nextListener += 1
            contents.listeners[id, default: [:]][contents.nextListener] = continuation
            return contents.nextListener
        }
        continuation.onTermination = { [weak self] _ in self?.forget(number, id) }
        return stream
    }

    private func forget(_ number: Int, _ id: String) {
        let dropped = contents.withLock { contents in
            let dropped = contents.listeners[id]?.removeValue(forKey: number)
            if contents.listeners[id]?.isEmpty == true { contents.listeners[id] = nil }
            return dropped
        }
        // Released here, outside of the lock.
        _ = dropped
    }

    /// How many wait, for tests that look for leftovers.
    var listenerCount: Int { contents.withLock { $0.listeners.values.reduce(0) { $0 + $1.count } } }
}

extension AsyncStream<Void> {
    /// Waits for the announcement or the deadline, whichever is first.
    func wait(until deadline: ContinuousClock.Instant) async {
        await withTaskGroup { group in
            group.addTask { for await _ in self { break } }
            group.addTask { try? await Task.sleep(until: deadline, clock: .continuous) }
            await group.next()
            group.cancelAll()
        }
    }
}
