import BusProtocol

/// A client's subscriptions and the calls that wait for the broker's acknowledgement. Outlives connections.
struct SBPSubscriptionTable {
    typealias Handler = @Sendable (BusMessage) -> Void
    typealias Waiter = BusClientCore.Waiter

    private struct Entry {
        let pattern: SubjectPattern
        let queue: QueueName?
        let handler: Handler
        /// Deliveries until it ends by itself. Nil if it does not.
        var remaining: Int?
        /// The caller of `subscribe`, until the first acknowledgement.
        var waiter: Waiter?
        /// Whether an `unsub` is under way. It is then not subscribed again.
        var isEnding = false
    }

    /// The call that a sequence number was sent for.
    private enum Call {
        case subscribe(sid: Int)
        case unsubscribe(sid: Int, CheckedContinuation<Void, Never>)
    }

    private var entries: [Int: Entry] = [:]
    private var calls: [Int: Call] = [:]
    private var nextSequence = 0

    var sids: [Int] { entries.keys.sorted() }

    /// Returns a delivery's handler and counts the delivery. The last one of a subscription with a maximum ends it.
    mutating func handlerOfDelivery(to sid: Int) -> Handler? {
        guard let entry = entries[sid] else { return nil }
        if let remaining = entry.remaining {
            entries[sid]?.remaining = remaining - 1
            if remaining <= 1 { entries[sid] = nil }
        }
        return entry.handler
    }

    func pattern(of sid: Int) -> String { entries[sid]?.pattern.text ?? "" }

    mutating func add(
        _ sid: Int, _ pattern: SubjectPattern, queue: QueueName?, max: Int?, waiter: Waiter,
        handler: @escaping Handler
    ) {
        entries[sid] = Entry(pattern: pattern, queue: queue, handler: handler, remaining: max, waiter: waiter)
    }

    /// The frame that subscribes, on the first or a further connection. Nil without a subscription.
    mutating func subscribeFrame(_ sid: Int) -> SubMessage? {
        guard let entry = entries[sid] else { return nil }
        nextSequence += 1
        calls[nextSequence] = .subscribe(sid: sid)
        return SubMessage(sid: sid, subject: entry.pattern, queue: entry.queue, max: entry.remaining, seq: nextSequence)
    }

    /// The frame that unsubscribes. Nil when the subscription has ended. There is no answer to wait for then.
    mutating func unsubscribeFrame(_ sid: Int, _ continuation: CheckedContinuation<Void, Never>) -> UnsubMessage? {
        guard entries[sid] != nil else { return nil }
        entries[sid]?.isEnding = true
        nextSequence += 1
        calls[nextSequence] = .unsubscribe(sid: sid, continuation)
        return UnsubMessage(sid: sid, seq: nextSequence)
    }

    /// Removes a subscription. Returns the waiter for its acknowledgement, if any.
    mutating func remove(_ sid: Int) -> Waiter? { entries.removeValue(forKey: sid)?.waiter }

    /// Resolves the broker's answer to a sequence number. Returns the next action and, when a subscription without a
    /// waiter was refused, its pattern for the log.
    mutating func resolve(_ sequence: Int, _ error: BusError?) -> (resume: () -> Void, orphan: String?)? {
        guard let call = calls.removeValue(forKey: sequence) else { return nil }
        switch call {
        case .unsubscribe(let sid, let continuation):
            entries[sid] = nil
            return ({ continuation.resume() }, nil)
        case .subscribe(let sid):
            let pattern = pattern(of: sid)
            let waiter = entries[sid]?.waiter
            entries[sid]?.waiter = nil
            guard let error else { return ({ waiter?.resume(returning: .success(())) }, nil) }
            entries[sid] = nil
            return ({ waiter?.resume(returning: .failure(error)) }, waiter == nil ? pattern : nil)
        }
    }

    /// Forgets the calls under way, because the connection is lost. Subscriptions that were ending have ended. Returns
    /// the resumptions of their callers.
    mutating func connectionLost() -> [() -> Void] {
        var resumes: [() -> Void] = []
        for call in calls.values {
            if case .unsubscribe(let sid, let continuation) = call {
                entries[sid] = nil
                resumes.append { continuation.resume() }
            }
        }
        calls = [:]
        return resumes
    }

    /// Ends all subscriptions, because the client has ended. Returns closures that resume every waiter, with the error
    /// for those of `subscribe`.
    mutating func removeAll(_ error: BusError) -> [() -> Void] {
        let waiters = entries.values.compactMap(\.waiter)
        entries = [:]
        return connectionLost() + waiters.map { waiter in { waiter.resume(returning: .failure(error)) } }
    }
}
