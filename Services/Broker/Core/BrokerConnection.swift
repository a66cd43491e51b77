import BusProtocol

/// The broker's state of one connection. Only `BrokerCore` changes it.
///
/// Properties used for every message are marked `@exclusivity(unchecked)`: the run-time checks were a fifth of a
/// delivery's cost. The checks find overlapping accesses. Here all state belongs to one thread, and no access to a
/// marked property lasts while other code of the broker runs.
final class BrokerConnection {
    /// The state of a connection.
    enum State: Equatable {
        /// The broker has sent `hello` and waits for `connect`.
        case awaitingConnect
        /// The client has signed in.
        case ready
        /// The connection is being closed. Frames from it are ignored.
        case ending
    }

    let cid: Int
    /// The address and port of the client, for logs and monitoring.
    let peer: String
    let acceptedAt: Duration
    /// The time of acceptance by the wall clock, in milliseconds since 1970, for monitoring.
    let acceptedTime: Int
    /// The prefix `_INBOX.<id>`, under which only this connection may subscribe.
    let inbox: String

    @exclusivity(unchecked) var state = State.awaitingConnect
    var decoder = FrameDecoder(limits: .beforeConnect)
    var subscriptions: [Int: ClientSubscription] = [:]
    /// The number of subscriptions when the connection ended, for monitoring.
    var releasedSubscriptions = 0
    /// The subscriptions under its inbox. Other subjects never match them, so they are not in the router.
    @exclusivity(unchecked) var inboxSubscriptions: SubjectTrie
    /// The sids recently ended by `max`, oldest first.
    var endedSids: [Int] = []
    @exclusivity(unchecked) var ledger: RequestLedger

    var name = ""
    var lang = ""
    var version = ""
    var user = ""
    /// The user's permissions. Nil for no restrictions.
    var permissions: Permissions?
    var instance: String?
    @exclusivity(unchecked) var wantsEcho = true
    /// Whether the client is notified of requests whose receiver has disconnected.
    var wantsLost = false
    var pingInterval: Duration
    /// The identity for affinity by key: the instance, or else the connection.
    var identityHash: UInt64 = 0

    /// The frames written in this turn and not yet passed to the socket.
    @exclusivity(unchecked) var output: [UInt8] = []
    /// Whether output was flushed since the last tick.
    var hasFlushed = false
    /// The number of bytes the socket has not sent yet, as last reported.
    @exclusivity(unchecked) var socketPendingBytes = 0
    /// The time at which the socket last sent bytes, or last had none to send.
    var lastWriteProgress: Duration
    /// How to close the socket after the output. Nil while the connection is open.
    var ending: Ending?
    @exclusivity(unchecked) var isDirty = false

    var lastInbound: Duration
    var pingsOut = 0
    /// The time at which the incomplete frame began. Nil without one.
    var frameBegan: Duration?
    /// The time at which `bye` is due. Nil unless the broker drains.
    var byeAt: Duration?

    @exclusivity(unchecked) var traffic = TrafficCounters()
    /// Whether a whole frame has arrived. Until then the first byte may belong to another protocol.
    @exclusivity(unchecked) var hasSentFrames = false
    /// The reason of the end: an error code, `bye`, `eof`, `http`, `tls` or `chaos`.
    var endReason = "eof"
    /// Whether messages were dropped for `overflow: "drop"` since the last `slow_drop`.
    var hasDropped = false

    init(cid: Int, peer: String, inbox: String, limits: BrokerLimits, now: Duration, time: Int) {
        self.cid = cid
        self.peer = peer
        self.inbox = inbox
        inboxSubscriptions = SubjectTrie(prefixBytes: inbox.utf8.count + 1)
        acceptedAt = now
        acceptedTime = time
        ledger = RequestLedger(limits: limits)
        pingInterval = limits.pingInterval
        lastWriteProgress = now
        lastInbound = now
    }

    /// The number of bytes written to the connection that the network has not sent.
    var pendingBytes: Int { socketPendingBytes + output.count }

    /// Whether a subject or pattern is under its inbox.
    func ownsInbox(_ subject: Span<UInt8>) -> Bool {
        let prefix = inbox.utf8.span
        return subject.count > prefix.count + 1 && subject[prefix.count] == UInt8(ascii: ".")
            && subject.extracting(0..<prefix.count).isEqual(prefix)
    }
}

/// How a connection is closed.
package enum Ending: Sendable, Equatable {
    /// Writes pending bytes, then closes. A client that does not take them within the linger time is cut off.
    case afterFlush
    /// Closes immediately and discards pending bytes.
    case now
}
