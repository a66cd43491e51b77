import BusProtocol
import EventLoop

/// One publish during its delivery to subscriptions.
struct Delivery {
    /// The receivers that may reply. A publisher can only grant publish rights it holds itself: a reply subject in a
    /// foreign inbox grants a reply only when the publisher could reply itself, as when it forwards a request. No
    /// publisher grants itself a right.
    private enum Granted {
        case nobody, others, everybody
    }

    let publisher: BrokerConnection
    let now: Duration
    /// The position of the subject in the publisher's header.
    let subject: Range<Int>
    /// The position of the reply subject in the publisher's header. Nil without one.
    let reply: Range<Int>?
    private let granted: Granted
    /// The `StableHash` of the key's text. Nil without a key.
    let keyHash: UInt64?
    /// The number of subscriptions for which the message was queued.
    var count = 0
    /// The number of queue groups that matched without an eligible member.
    var ineligibleGroups = 0

    init(_ publish: PublishHeader, _ header: Span<UInt8>, _ publisher: BrokerConnection, _ now: Duration) {
        self.publisher = publisher
        self.now = now
        subject = publish.subject
        reply = publish.reply
        granted = publish.reply.map { Self.granted(header.extracting($0), publisher, now) } ?? .nobody
        keyHash = publish.key.map { StableHash.hash($0.text(in: header).utf8) }
    }

    /// Whether receiving the message grants a reply.
    func grantsAnswer(to subscription: ClientSubscription) -> Bool {
        switch granted {
        case .nobody: false
        case .others: subscription.connection !== publisher
        case .everybody: true
        }
    }

    private static func granted(
        _ reply: Span<UInt8>, _ publisher: BrokerConnection, _ now: Duration
    ) -> Granted {
        if publisher.ownsInbox(reply) { return .everybody }
        guard reply.starts(with: "_INBOX.") else { return .others }
        return publisher.ledger.holds(reply, now: now) ? .others : .nobody
    }

    /// Whether the message may be sent to a subscription. A publisher without echo does not get its own messages.
    func reaches(_ subscription: ClientSubscription) -> Bool {
        subscription.connection !== publisher || publisher.wantsEcho
    }
}

/// An event for the log. The core collects events, and the server writes them.
package enum BrokerEvent: Sendable, Equatable {
    /// A client signed in.
    case connected(cid: Int, name: String, user: String, peer: String)
    /// A connection has ended. `reason` is an error code, `bye`, `eof`, `http`, `tls` or `chaos`.
    case disconnected(cid: Int, name: String, peer: String, reason: String)
    /// A connection was closed because its client is too slow.
    case slowConsumer(cid: Int, name: String, peer: String, pendingBytes: Int, why: String)
    /// Messages were dropped for a subscription with `overflow: "drop"`.
    case dropped(cid: Int, name: String, sid: Int, count: Int)
    /// A client used HTTP or TLS.
    case foreignGreeting(cid: Int, peer: String, what: String)
    /// TLS with a client failed.
    case tlsFailed(cid: Int, peer: String, error: TLSError)
    /// The rules for faults were changed.
    case chaos(seed: UInt64, rules: Int)
    /// A frame was rejected.
    case refused(cid: Int, name: String, code: BusErrorCode, message: String)
}
