import BusClient
import BusProtocol

/// A client's subscriptions and the calls that wait for the server's acknowledgement. Outlives connections.
struct NATSSubscriptionTable {
    typealias Handler = @Sendable (BusMessage) -> Void
    typealias Waiter = BusClientCore.Waiter

    private struct Entry {
        let pattern: String
        let queue: String?
        let handler: Handler
        /// Deliveries until it ends by itself, or nil if it does not.
        var remaining: Int?
        /// The caller of `subscribe`, until the first acknowledgement.
        var waiter: Waiter?
        /// The callers of `unsubscribe`. With a caller here, it is not subscribed again.
        var ending: [CheckedContinuation<Void, Never>] = []
    }

    private var entries: [Int: Entry] = [:]

    var sids: [Int] { entries.keys.sorted() }

    mutating func add(
        _ sid: Int, _ pattern: SubjectPattern, queue: QueueName?, max: Int?, waiter: Waiter, handler: @escaping Handler
    ) {
        entries[sid] = Entry(
            pattern: pattern.text, queue: queue?.text, handler: handler, remaining: max, waiter: waiter)
    }

    /// The order that subscribes on a link. Nil for an ended or ending one.
    func order(_ sid: Int) -> NATSLink.Order? {
        guard let entry = entries[sid], entry.ending.isEmpty else { return nil }
        return .subscribe(sid: sid, subject: entry.pattern, queue: entry.queue, max: entry.remaining)
    }

    /// Whether `subscribe` still waits for this one.
    func isAwaited(_ sid: Int) -> Bool { entries[sid]?.waiter != nil }

    /// Returns a delivery's handler and counts the delivery. The last one of a subscription with a maximum ends it.
    mutating func handlerOfDelivery(to sid: Int) -> Handler? {
        guard let entry = entries[sid] else { return nil }
        if let remaining = entry.remaining {
            entries[sid]?.remaining = remaining - 1
            if remaining <= 1, entry.ending.isEmpty { entries[sid] = nil }
            if remaining < 1 { return nil }
        }
        return entry.handler
    }

    /// Takes the waiter of a subscription that the server has processed, if any.
    mutating func acknowledge(_ sid: Int) -> Waiter? {
        defer { entries[sid]?.waiter = nil }
        return entries[sid]?.waiter
    }

    /// Removes the subscriptions to a pattern that the server refuses. Returns their waiters, and whether one of the
    /// subscriptions had been acknowledged to a caller.
    mutating func refuse(_ pattern: String) -> (waiters: [Waiter], wasAcknowledged: Bool) {
        let refused = entries.filter { $0.value.pattern == pattern }
        for sid in refused.keys { entries[sid] = nil }
        return (refused.values.compactMap(\.waiter), refused.values.contains { $0.waiter == nil })
    }

    /// Begins to end a subscription for a caller. Returns false, without storing the caller, if it has ended.
    mutating func end(_ sid: Int, _ continuation: CheckedContinuation<Void, Never>) -> Bool {
        guard entries[sid] != nil else { return false }
        entries[sid]?.ending.append(continuation)
        return true
    }

    /// Removes a subscription. Returns the waiters for its beginning and for its end.
    mutating func remove(_ sid: Int) -> (beginning: Waiter?, ending: [CheckedContinuation<Void, Never>]) {
        let entry = entries.removeValue(forKey: sid)
        return (entry?.waiter, entry?.ending ?? [])
    }

    /// Removes a subscription whose end the link reports and a caller awaits. Returns the waiters for its end.
    mutating func ended(_ sid: Int) -> [CheckedContinuation<Void, Never>] {
        guard let entry = entries[sid], !entry.ending.isEmpty else { return [] }
        entries[sid] = nil
        return entry.ending
    }

    /// Removes the subscriptions that were ending, because the connection is lost. Returns closures that resume the
    /// waiters for their ends.
    mutating func connectionLost() -> [() -> Void] {
        entries.keys.flatMap { ended($0) }.map { continuation in { continuation.resume() } }
    }

    /// Ends all subscriptions, because the client has ended. Returns closures that resume every waiter, with the error
    /// for those of `subscribe`.
    mutating func removeAll(_ error: BusError) -> [() -> Void] {
        let waiters = entries.values.compactMap(\.waiter)
        let ended = connectionLost()
        entries = [:]
        return waiters.map { waiter in { waiter.resume(returning: .failure(error)) } } + ended
    }
}
