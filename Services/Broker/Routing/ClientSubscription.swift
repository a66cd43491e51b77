import BusProtocol

/// One subscription of one connection. For `@exclusivity(unchecked)` see `BrokerConnection`.
final class ClientSubscription {
    /// The kind of a subscription, which decides where it is stored.
    enum Kind {
        /// An ordinary subscription, in the router.
        case ordinary
        /// A subscription under the connection's inbox, stored with the connection.
        case inbox
        /// A trace, separately in the router: it does not consume messages or count as a receiver.
        case tap
    }

    let connection: BrokerConnection
    let sid: Int
    /// The pattern, which for a trace is without `$SYS.TAP.`.
    let pattern: SubjectPattern
    let queue: QueueName?
    let overflow: SubMessage.Overflow
    let kind: Kind
    /// The number of deliveries after which it ends. Nil for no limit.
    @exclusivity(unchecked) var max: Int?
    /// The number of deliveries since `sub`.
    @exclusivity(unchecked) var delivered = 0
    /// The number of messages dropped since the last `slow_drop`.
    var dropped = 0
    /// Whether it has not ended. Routes in use may still contain an ended one.
    @exclusivity(unchecked) var isActive = true
    /// The index in its trie node, for removal without a search.
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
