import BusProtocol

/// Chooses the member of a queue group that gets a message.
struct MemberChoice {
    private let limits: BrokerLimits
    private var generator: BrokerGenerator

    init(limits: BrokerLimits, seed: UInt64) {
        self.limits = limits
        generator = BrokerGenerator(seed: seed)
    }

    /// Chooses among the eligible members.
    ///
    /// With a key it chooses the same member as long as the eligible ones stay the same (rendezvous hash). Without a
    /// key it draws two at random, and takes the one with fewer requests without a reply, then with fewer pending
    /// bytes.
    ///
    /// - Parameters:
    ///   - keyHash: The `StableHash` of the message's key. Nil without a key.
    ///   - publisher: The publisher, which is excluded when it wants no echo.
    /// - Returns: The member, or nil when none is eligible.
    mutating func choose(
        _ members: [ClientSubscription], keyHash: UInt64?, publisher: BrokerConnection, now: Duration
    ) -> ClientSubscription? {
        if members.count == 1 { return isAble(members[0], publisher, now) ? members[0] : nil }
        if keyHash == nil, let drawn = drawUnfiltered(members, publisher, now) { return drawn }
        let eligible = eligible(members, publisher, now)
        guard !eligible.isEmpty else { return nil }
        guard let keyHash else { return lighter(drawTwo(eligible), now) }
        return eligible.max { Self.isBefore($0, $1, keyHash) }
    }

    /// Draws two members of the whole group, or nil unless both are eligible and quick. This usual case needs no scan
    /// of the group.
    private mutating func drawUnfiltered(
        _ members: [ClientSubscription], _ publisher: BrokerConnection, _ now: Duration
    ) -> ClientSubscription? {
        let pair = drawTwo(members)
        guard isAble(pair.0, publisher, now), isAble(pair.1, publisher, now), !isSlow(pair.0, now), !isSlow(pair.1, now)
        else {
            return nil
        }
        return lighter(pair, now)
    }

    private func eligible(
        _ members: [ClientSubscription], _ publisher: BrokerConnection, _ now: Duration
    ) -> [ClientSubscription] {
        let able = members.filter { isAble($0, publisher, now) }
        let quick = able.filter { !isSlow($0, now) }
        return quick.isEmpty ? able : quick
    }

    /// Whether a member is eligible for messages at all.
    private func isAble(_ member: ClientSubscription, _ publisher: BrokerConnection, _ now: Duration) -> Bool {
        let connection = member.connection
        return member.isActive && connection.pendingBytes <= limits.softPendingBytes
            && !connection.ledger.isFull(now: now)
            && (connection !== publisher || publisher.wantsEcho)
    }

    private func isSlow(_ member: ClientSubscription, _ now: Duration) -> Bool {
        guard let oldest = member.connection.ledger.oldestUnanswered(now: now) else { return false }
        return now - oldest > limits.slowRequest
    }

    private mutating func drawTwo(_ members: [ClientSubscription]) -> (ClientSubscription, ClientSubscription) {
        let first = Int.random(in: 0..<members.count, using: &generator)
        guard members.count > 1 else { return (members[first], members[first]) }
        var second = Int.random(in: 0..<(members.count - 1), using: &generator)
        if second >= first { second += 1 }
        return (members[first], members[second])
    }

    private func lighter(_ pair: (ClientSubscription, ClientSubscription), _ now: Duration) -> ClientSubscription {
        let (first, second) = (pair.0.connection, pair.1.connection)
        let (firstLoad, secondLoad) = (first.ledger.load(now: now), second.ledger.load(now: now))
        if firstLoad != secondLoad { return firstLoad < secondLoad ? pair.0 : pair.1 }
        return first.pendingBytes <= second.pendingBytes ? pair.0 : pair.1
    }

    /// Orders members by their weight for a key. Two subscriptions of one connection are ordered by sid.
    private static func isBefore(_ left: ClientSubscription, _ right: ClientSubscription, _ keyHash: UInt64) -> Bool {
        let leftWeight = StableHash.mix(keyHash, left.connection.identityHash)
        let rightWeight = StableHash.mix(keyHash, right.connection.identityHash)
        return (leftWeight, left.sid) < (rightWeight, right.sid)
    }
}
