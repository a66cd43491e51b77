import BusClient
import BusProtocol

/// The subscriptions of a client and the calls that wait for the server's word on them. Outlives connections.
struct NATSSubscriptionTable {
    typealias Handler = @Sendable (BusMessage) -> Void
    typealias Waiter = CheckedContinuation<Result<Void, BusError>, Never>

    private struct Entry {
        let pattern: String
        let queue: String?
        let handler: Handler
        /// Deliveries until it ends by itself; nil: it does not.
        var remaining: Int?
        /// `subscribe`, until the first acknowledgement.
        var waiter: Waiter?
        /// `unsubscribe` is under way: it is not subscribed again.
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

    /// The order that subscribes on a link; nil for a subscription that is gone or about to end.
    func order(_ sid: Int) -> NATSLink.Order? {
        guard let entry = entries[sid], entry.ending.isEmpty else { return nil }
        return .subscribe(sid: sid, subject: entry.pattern, queue: entry.queue, max: entry.remaining)
    }

    /// Whether `subscribe` still waits for this one.
    func isAwaited(_ sid: Int) -> Bool { entries[sid]?.waiter != nil }

    /// Whom a delivery goes to, and counts it: the last one of a subscription with a maximum ends it.
    mutating func handlerOfDelivery(to sid: Int) -> Handler? {
        guard let entry = entries[sid] else { return nil }
        if let remaining = entry.remaining {
            entries[sid]?.remaining = remaining - 1
            if remaining <= 1, entry.ending.isEmpty { entries[sid] = nil }
            if remaining < 1 { return nil }
        }
        return entry.handler
    }

    /// The server has processed everything up to now. Returns the waiter for this subscription, if any.
    mutating func acknowledge(_ sid: Int) -> Waiter? {
        defer { entries[sid]?.waiter = nil }
        return entries[sid]?.waiter
    }

    /// The server does not allow a pattern. Returns the waiters, and whether the subscription had been acknowledged to
    /// a caller.
    mutating func refuse(_ pattern: String) -> (waiters: [Waiter], wasAcknowledged: Bool) {
        let refused = entries.filter { $0.value.pattern == pattern }
        for sid in refused.keys { entries[sid] = nil }
        return (refused.values.compactMap(\.waiter), refused.values.contains { $0.waiter == nil })
    }

    /// A caller ends the subscription. Returns false, and stores nothing, when it is gone.
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

    /// The link reports that a subscription has ended. Returns the waiters for its end.
    mutating func ended(_ sid: Int) -> [CheckedContinuation<Void, Never>] {
        guard let entry = entries[sid], !entry.ending.isEmpty else { return [] }
        entries[sid] = nil
        return entry.ending
    }

    /// The connection is gone: what was ending has ended.
    mutating func connectionLost() -> [CheckedContinuation<Void, Never>] {
        entries.keys.flatMap { ended($0) }
    }

    /// The client has ended: removes and returns every waiter.
    mutating func removeAll() -> (beginning: [Waiter], ending: [CheckedContinuation<Void, Never>]) {
        defer { entries = [:] }
        return (entries.values.compactMap(\.waiter), entries.values.flatMap(\.ending))
    }
}
