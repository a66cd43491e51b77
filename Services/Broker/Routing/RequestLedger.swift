import BusProtocol

/// The requests that one connection has received and may still reply to.
///
/// It has one entry per reply subject, oldest first. It serves two rules. Receiving a message with `reply` grants
/// publishes to exactly that subject, for a limited time. The requests without a reply are the load of a queue member.
struct RequestLedger {
    private struct Entry {
        var deliveredAt: Duration
        /// The number of publishes still granted.
        var grants: Int
        /// The number of queue deliveries without a reply that count as load.
        var unanswered: Int
        /// Whether the connection was chosen in a queue group, so that no other member replies.
        var isOwn = false
        var previous: Int?
        var next: Int?
    }

    private let limits: BrokerLimits
    private var responses: PermissionRules.Responses
    private var entries = ByteTable<Entry>()
    private var oldest: Int?
    private var newest: Int?
    /// The oldest entry that may still count as load. Older ones do not.
    private var firstRemembered: Int?
    /// The number of queue requests that count as load, as of the last `forget`.
    private(set) var unanswered = 0

    init(limits: BrokerLimits) {
        self.limits = limits
        responses = PermissionRules.Responses(max: limits.grantsPerRequest, lifetime: limits.grantLifetime)
    }

    /// Sets the grants of each later request, which a user's permissions define.
    mutating func grant(_ responses: PermissionRules.Responses) { self.responses = responses }

    /// Whether no more grants fit, which makes the connection ineligible. Expired grants do not count.
    mutating func isFull(now: Duration) -> Bool {
        guard entries.count >= limits.grants else { return false }
        expire(now)
        return entries.count >= limits.grants
    }

    /// The number of grants, as of the last `expire`.
    var grantCount: Int { entries.count }

    /// Records a delivered request.
    ///
    /// - Parameter countsAsLoad: Whether the connection was chosen in a queue group.
    mutating func delivered(_ reply: Span<UInt8>, countsAsLoad: Bool, now: Duration) {
        expire(now)
        var entry = Entry(deliveredAt: now, grants: 0, unanswered: 0)
        if let slot = entries.slot(of: reply) {
            entry.grants = entries[slot: slot].grants
            entry.unanswered = entries[slot: slot].unanswered
            entry.isOwn = entries[slot: slot].isOwn
            remove(slot)
        } else if entries.count >= limits.grants {
            return
        }
        entry.grants += responses.max
        if countsAsLoad {
            entry.isOwn = true
            entry.unanswered += 1
            unanswered += 1
        }
        append(reply, entry)
    }

    /// Uses a grant for a publish to a subject. False without a grant.
    mutating func spend(_ subject: Span<UInt8>, now: Duration) -> Bool {
        if entries.count == 0 { return false }
        expire(now)
        guard let slot = entries.slot(of: subject) else { return false }
        if entries[slot: slot].unanswered > 0 {
            entries[slot: slot].unanswered -= 1
            unanswered -= 1
        }
        guard entries[slot: slot].grants > 0 else { return false }
        entries[slot: slot].grants -= 1
        if entries[slot: slot].grants == 0 { remove(slot) }
        return true
    }

    /// Whether a publish to a subject is granted.
    mutating func holds(_ subject: Span<UInt8>, now: Duration) -> Bool {
        expire(now)
        return entries.slot(of: subject).map { entries[slot: $0].grants > 0 } ?? false
    }

    /// Empties the ledger of a connection that has ended.
    /// - Returns: The reply subjects of queue requests that it could still have replied to, oldest first.
    mutating func takeUnanswered() -> [[UInt8]] {
        var replies: [[UInt8]] = []
        while let slot = oldest {
            if entries[slot: slot].isOwn { replies.append(entries.key(ofSlot: slot)) }
            remove(slot)
        }
        unanswered = 0
        return replies
    }

    /// Returns the delivery time of the oldest request that counts as load, if any.
    mutating func oldestUnanswered(now: Duration) -> Duration? {
        forget(now)
        guard unanswered > 0 else { return nil }
        var slot = firstRemembered
        while let at = slot {
            if entries[slot: at].unanswered > 0 { return entries[slot: at].deliveredAt }
            slot = entries[slot: at].next
        }
        return nil
    }

    /// Returns the load: the queue requests of the last five seconds without a reply.
    mutating func load(now: Duration) -> Int {
        forget(now)
        return unanswered
    }

    private mutating func forget(_ now: Duration) {
        while let slot = firstRemembered, now - entries[slot: slot].deliveredAt > limits.loadMemory {
            unanswered -= entries[slot: slot].unanswered
            entries[slot: slot].unanswered = 0
            firstRemembered = entries[slot: slot].next
        }
    }

    private mutating func expire(_ now: Duration) {
        while let slot = oldest, now - entries[slot: slot].deliveredAt > responses.lifetime {
            unanswered -= entries[slot: slot].unanswered
            remove(slot)
        }
    }

    private mutating func append(_ reply: Span<UInt8>, _ entry: Entry) {
        var entry = entry
        entry.previous = newest
        let slot = entries.insert(reply, entry)
        if let newest { entries[slot: newest].next = slot }
        newest = slot
        oldest = oldest ?? slot
        firstRemembered = firstRemembered ?? slot
    }

    private mutating func remove(_ slot: Int) {
        let entry = entries[slot: slot]
        if let previous = entry.previous { entries[slot: previous].next = entry.next } else { oldest = entry.next }
        if let next = entry.next { entries[slot: next].previous = entry.previous } else { newest = entry.previous }
        if firstRemembered == slot { firstRemembered = entry.next }
        entries.remove(slot: slot)
    }
}
