import EventLoop
import StoreModels

/// Records the purchases, subscriptions or apps that this process works on, and the tasks waiting for them.
///
/// Correctness does not depend on it: two processes may work on one purchase, and the database decides.
final class InFlightRegistry: Sendable {
    private struct Contents {
        var worked: Set<ExactText> = []
        /// The continuations of waiting tasks, by purchase and the listener's number.
        var listeners: [ExactText: [Int: AsyncStream<Void>.Continuation]] = [:]
        var nextListener = 0
    }

    private let contents = Locked(Contents())

    /// Marks a purchase as worked on.
    /// - Returns: Whether the caller works on the purchase now. It must call ``end(_:)`` then.
    func begin(_ id: String) -> Bool { contents.withLock { $0.worked.insert(id).inserted } }

    func end(_ id: String) { contents.withLock { _ = $0.worked.remove(id) } }

    func contains(_ id: String) -> Bool { contents.withLock { $0.worked.containsExactly(id) } }

    /// Wakes all tasks that wait for this purchase.
    func announce(_ id: String) {
        let woken = contents.withLock { $0.listeners.removeValue(forKey: ExactText(id)) }
        for continuation in woken.map({ Array($0.values) }) ?? [] {
            continuation.yield()
            continuation.finish()
        }
    }

    /// Makes a stream that yields once, at the next announcement. Call it before reading, to catch every announcement.
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
