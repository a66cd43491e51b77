import BusProtocol

/// What the broker knows of one connection. Changed by `BrokerCore` only.
///
/// What every message touches is marked `@exclusivity(unchecked)`: these checks at run time were a fifth of a delivery's
/// cost. They guard against a closure that changes what its caller is changing; here everything belongs to one thread, and
/// no access to a marked property lasts while other code of the broker runs.
final class BrokerConnection {
    /// Where a connection stands.
    enum State: Equatable {
        /// Accepted, `hello` sent, `connect` not yet seen.
        case awaitingConnect
        /// Signed in.
        case ready
        /// The last frame to it is written or about to be; nothing it sends counts any more.
        case ending
    }

    let cid: Int
    /// Address and port of the other side, for logs and monitoring.
    let peer: String
    let acceptedAt: Duration
    /// The same on the wall clock, milliseconds since 1970, for monitoring.
    let acceptedTime: Int
    /// `_INBOX.<id>`: nobody else may subscribe under it.
    let inbox: String

    @exclusivity(unchecked) var state = State.awaitingConnect
    var decoder = FrameDecoder(limits: .beforeConnect)
    var subscriptions: [Int: Subscription] = [:]
    /// How many it had when it ended, which is what monitoring keeps.
    var releasedSubscriptions = 0
    /// Subscriptions under the own inbox. They are never asked for by other subjects, so they stay out of the router.
    @exclusivity(unchecked) var inboxSubscriptions: SubjectTrie
    /// Sids that `max` ended lately, oldest first.
    var endedSids: [Int] = []
    @exclusivity(unchecked) var ledger: RequestLedger

    var name = ""
    var lang = ""
    var version = ""
    var user = ""
    /// What the user may do; nil when nothing is asked.
    var permissions: Permissions?
    var instance: String?
    @exclusivity(unchecked) var wantsEcho = true
    /// Whether it is told of requests whose taker has gone.
    var wantsLost = false
    var pingInterval: Duration
    /// What affinity by key goes by: the instance, or else this very connection.
    var identityHash: UInt64 = 0

    /// Frames written in this turn and not handed to the socket yet.
    @exclusivity(unchecked) var output: [UInt8] = []
    /// Whether anything was flushed since the last tick.
    var hasFlushed = false
    /// Bytes the socket has not taken yet, as it last said.
    @exclusivity(unchecked) var socketPendingBytes = 0
    /// When the socket last took bytes, or when it last had none to take.
    var lastWriteProgress: Duration
    /// What to do with the socket after the output; set once.
    var ending: Ending?
    /// When the socket is closed, whatever is still pending.
    var endDeadline: Duration?
    @exclusivity(unchecked) var isDirty = false

    var lastInbound: Duration
    var pingsOut = 0
    /// When the frame began that is not complete yet.
    var frameBegan: Duration?
    /// When `bye` is due while the broker drains.
    var byeAt: Duration?

    @exclusivity(unchecked) var traffic = TrafficCounters()
    /// Whether a whole frame has arrived yet; until then the first byte may be a greeting in another protocol.
    @exclusivity(unchecked) var hasSentFrames = false
    /// Why it ends: an error code, `bye`, `eof`, `http` or `tls`.
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

    /// Bytes written to it that the network has not taken.
    var pendingBytes: Int { socketPendingBytes + output.count }

    /// Whether a pattern lies under the own inbox.
    func ownsInbox(_ subject: Span<UInt8>) -> Bool {
        let prefix = inbox.utf8.span
        return subject.count > prefix.count + 1 && subject[prefix.count] == UInt8(ascii: ".")
            && subject.extracting(0..<prefix.count).isEqual(prefix)
    }
}
