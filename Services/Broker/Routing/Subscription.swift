import BusProtocol

/// One subscription of one connection. On `@exclusivity(unchecked)` see `BrokerConnection`.
final class Subscription {
    /// Where it is kept.
    enum Kind {
        /// In the router.
        case ordinary
        /// With its connection, because nobody else may subscribe there.
        case inbox
        /// In the router, apart: a trace takes nothing away and does not count as a taker.
        case tap
    }

    let connection: BrokerConnection
    let sid: Int
    /// What it matches. For a tap the pattern without `$SYS.TAP.`.
    let pattern: SubjectPattern
    let queue: QueueName?
    let overflow: SubMessage.Overflow
    let kind: Kind
    /// Deliveries after which it ends.
    @exclusivity(unchecked) var max: Int?
    /// Deliveries since `sub`.
    @exclusivity(unchecked) var delivered = 0
    /// Messages dropped since the last `slow_drop`.
    var dropped = 0
    /// False once it ended: routes that are being walked may still hold it.
    @exclusivity(unchecked) var isActive = true
    /// Its place in its trie node, for removal without a search.
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
