import BusProtocol

/// One subscription of one connection. For `@exclusivity(unchecked)` see `BrokerConnection`.
final class Subscription {
    /// Where it is stored.
    enum Kind {
        /// In the router.
        case ordinary
        /// With its connection, because only the owner may subscribe there.
        case inbox
        /// In the router, separately: a trace does not consume messages or count as a receiver.
        case tap
    }

    let connection: BrokerConnection
    let sid: Int
    /// The pattern it matches. For a tap the pattern without `$SYS.TAP.`.
    let pattern: SubjectPattern
    let queue: QueueName?
    let overflow: SubMessage.Overflow
    let kind: Kind
    /// Number of deliveries after which it ends.
    @exclusivity(unchecked) var max: Int?
    /// Number of deliveries since `sub`.
    @exclusivity(unchecked) var delivered = 0
    /// Messages dropped since the last `slow_drop`.
    var dropped = 0
    /// False once it ended: routes in use may still contain it.
    @exclusivity(unchecked) var isActive = true
    /// Its index in its trie node, for removal without a search.
    var nodeIndex = 0

    init(_ connection: BrokerConnection, _ message: SubMessage, pattern: SubjectPattern, kind: Kind) {
        self.connection = connection
        sid = message.sid
        self.pattern = pattern
        queue = message.queue
        overflow = message.overflow
        self.kind = kind
        max = message.max
    }

    var isInbox: Bool { kind == .inbox }
    var isTap: Bool { kind == .tap }
}
