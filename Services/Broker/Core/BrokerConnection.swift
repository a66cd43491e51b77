import BusProtocol

/// The broker's state of one connection. Only `BrokerCore` changes it.
///
/// Properties used for every message are marked `@exclusivity(unchecked)`: these run-time checks were a fifth of a
/// delivery's cost. They guard against a closure that changes what its caller is changing; here everything belongs to
/// one thread, and no access to a marked property lasts while other code of the broker runs.
final class BrokerConnection {
    /// State of a connection.
    enum State: Equatable {
        /// Accepted, `hello` sent, `connect` not yet seen.
        case awaitingConnect
        /// Signed in.
        case ready
        /// The broker's last frame to it is written or about to be. Frames from it are ignored.
        case ending
    }

    let cid: Int
    /// Address and port of the other side, for logs and monitoring.
    let peer: String
    let acceptedAt: Duration
    /// The same on the wall clock, milliseconds since 1970, for monitoring.
    let acceptedTime: Int
    /// `_INBOX.<id>`: only this connection may subscribe under it.
    let inbox: String

    @exclusivity(unchecked) var state = State.awaitingConnect
    var decoder = FrameDecoder(limits: .beforeConnect)
    var subscriptions: [Int: Subscription] = [:]
    /// Number of subscriptions it had when it ended, for monitoring.
    var releasedSubscriptions = 0
    /// Subscriptions under its inbox. Other subjects never match them, so they are not in the router.
    @exclusivity(unchecked) var inboxSubscriptions: SubjectTrie
    /// Sids recently ended by `max`, oldest first.
    var endedSids: [Int] = []
    @exclusivity(unchecked) var ledger: RequestLedger

    var name = ""
    var lang = ""
    var version = ""
    var user = ""
    /// The user's permissions; nil for no restrictions.
    var permissions: Permissions?
    var instance: String?
    @exclusivity(unchecked) var wantsEcho = true
    /// Whether it is notified of requests whose receiver has gone.
    var wantsLost = false
    var pingInterval: Duration
    /// Identity for affinity by key: the instance, or else this connection.
    var identityHash: UInt64 = 0

    /// Frames written in this turn and not yet passed to the socket.
    @exclusivity(unchecked) var output: [UInt8] = []
    /// Whether anything was flushed since the last tick.
    var hasFlushed = false
    /// Bytes the socket has not sent yet, as last reported.
    @exclusivity(unchecked) var socketPendingBytes = 0
    /// When the socket last sent bytes, or last had none to send.
    var lastWriteProgress: Duration
    /// How to end the socket after the output; set once.
    var ending: Ending?
    /// When the socket is closed, even with pending bytes.
    var endDeadline: Duration?
    @exclusivity(unchecked) var isDirty = false

    var lastInbound: Duration
    var pingsOut = 0
    /// When the incomplete frame began.
    var frameBegan: Duration?
    /// When `bye` is due while the broker drains.
    var byeAt: Duration?

    @exclusivity(unchecked) var traffic = TrafficCounters()
    /// Whether a whole frame has arrived. Until then the first byte may be a greeting of another protocol.
    @exclusivity(unchecked) var hasSentFrames = false
    /// Reason of the end: an error code, `bye`, `eof`, `http`, `tls` or `chaos`.
    var endReason = "eof"
    /// Messages dropped for `overflow: "drop"` since the last `slow_drop`.
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

    /// Bytes written to it that the network has not sent.
    var pendingBytes: Int { socketPendingBytes + output.count }

    /// Whether a pattern is under its inbox.
    func ownsInbox(_ subject: Span<UInt8>) -> Bool {
        let prefix = inbox.utf8.span
        return subject.count > prefix.count + 1 && subject[prefix.count] == UInt8(ascii: ".")
            && subject.extracting(0..<prefix.count).isEqual(prefix)
    }
}
