import BusProtocol

/// One publish on its way to its subscriptions.
struct Delivery {
    let publisher: BrokerConnection
    let now: Duration
    /// Where the subject stands in the publisher's header.
    let subject: Range<Int>
    /// Where the reply subject stands in the publisher's header.
    let reply: Range<Int>?
    /// `StableHash` of the key's text.
    let keyHash: UInt64?
    /// Subscriptions it was queued for.
    var count = 0
    /// Queue groups that matched without one eligible member.
    var ineligibleGroups = 0

    init(_ publish: PublishHeader, _ header: Span<UInt8>, _ publisher: BrokerConnection, _ now: Duration) {
        self.publisher = publisher
        self.now = now
        subject = publish.subject
        reply = publish.reply
        keyHash = publish.key.map { StableHash.hash($0.text(in: header).utf8) }
    }

    /// Whether the message may go there at all: not back to a publisher that asked for no echo.
    func reaches(_ subscription: Subscription) -> Bool {
        subscription.connection !== publisher || publisher.wantsEcho
    }
}
