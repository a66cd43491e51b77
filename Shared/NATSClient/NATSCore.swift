import BusClient
import BusProtocol
import EventLoop
import Logging

/// The part of a ``NATSClient`` that lives on the loop. It performs what ``NATSConnectionMachine`` decides, and matches
/// arriving messages with their waiters.
actor NATSCore {
    nonisolated let loop: UVLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let configuration: NATSClient.Configuration
    let broadcast: StateBroadcast
    let logger: Logger
    /// `_INBOX.<id>`, this client's own on all its connections.
    let inbox: String
    var machine: NATSConnectionMachine
    var link: NATSLink?
    /// Bytes of headers and body that the server accepts.
    var payloadMax = Int.max
    var subscriptions = NATSSubscriptionTable()
    var pending = PendingRequests()
    var deadlines = DeadlineQueue()
    var flushes: [Int: CheckedContinuation<Result<Void, BusError>, Never>] = [:]
    /// Events that wait for a connection.
    var buffered: [NATSOutgoing] = []
    var bufferedBytes = 0
    /// The requests and events that were open when the client ended.
    private(set) var abandoned = (requests: 0, events: 0)
    private var machineTimer: LoopTimer?
    private var deadlineTimer: LoopTimer?
    private var hasWarned = false

    /// The sid of the inbox; subscriptions of users begin above it.
    static let inboxSid = 1
    /// The flush that follows the subscriptions of a new connection. Flush numbers are negative when they acknowledge a
    /// subscription, and positive when a caller asked for the flush.
    static let resubscribedFlush = 0

    init(_ configuration: NATSClient.Configuration, loop: UVLoop, broadcast: StateBroadcast, logger: Logger) {
        var configuration = configuration
        inbox = configuration.makeInbox()
        self.configuration = configuration
        self.loop = loop
        self.broadcast = broadcast
        self.logger = logger
        machine = NATSConnectionMachine(random: configuration.random)
    }

    /// Feeds the state machine and performs its actions.
    func handle(_ event: NATSConnectionMachine.Event) {
        for action in machine.handle(event, now: loop.uptime()) { perform(action) }
    }

    private func perform(_ action: NATSConnectionMachine.Action) {
        switch action {
        case .open: open()
        case .becomeReady: becomeReady()
        case .close:
            link?.give(.close)
            link = nil
        case .fail(let error): connectionFailed(error)
        case .wait(let duration): wait(duration)
        case .end(let reason): end(reason)
        }
    }

    private func open() {
        // An abandoned link may still report events: its number identifies it.
        let mine = NATSLinkNumber()
        let link = NATSLink(name: configuration.name, inbox: inbox, loop: loop) { [weak self] event in
            self?.assumeIsolated { $0.receive(event, from: mine) }
        }
        current = mine
        self.link = link
        link.open(configuration)
    }

    /// The number of the link in use, by which links are distinguished.
    private var current: NATSLinkNumber?

    func isCurrent(_ number: NATSLinkNumber) -> Bool { number === current && link != nil }

    /// Restores inbox, subscriptions and buffered events after a server has accepted the client. A flush follows.
    /// Orders are carried out in order, so everything this client sends from now on finds all of it in place.
    private func becomeReady() {
        link?.give(.subscribe(sid: Self.inboxSid, subject: "\(inbox).*", queue: nil, max: nil))
        for sid in subscriptions.sids { sendSubscribe(sid) }
        for message in buffered { link?.give(.publish(message)) }
        (buffered, bufferedBytes) = ([], 0)
        link?.give(.flush(number: Self.resubscribedFlush, timeout: BusClientLimits.handshakeTimeout))
    }

    /// Broadcasts `connected`, now that the server has taken all subscriptions.
    func resubscribed() {
        hasWarned = false
        logger.info("connected to the bus", metadata: ["url": "\(configuration.url)"])
        broadcast.set(.connected)
    }

    private func connectionFailed(_ error: BusError) {
        let ended = subscriptions.connectionLost()
        let waiters = pending.removeAll()
        deadlines.removeAll()
        let flushes = Array(flushes.values)
        self.flushes = [:]
        // Warn once per outage; later attempts are logged for debugging.
        let level: Logger.Level = hasWarned ? .debug : .warning
        hasWarned = true
        logger.log(level: level, "no connection to the bus", metadata: ["error": "\(error)"])
        broadcast.set(.disconnected(error))
        let failure = error.isFinal ? error : BusError(.disconnected, error.message, origin: error.origin)
        for waiter in waiters { waiter.fail(failure) }
        for flush in flushes { flush.resume(returning: .failure(failure)) }
        for continuation in ended { continuation.resume() }
        if !error.isFinal { broadcast.set(.connecting) }
    }

    private func end(_ reason: BusError) {
        machineTimer?.close()
        deadlineTimer?.close()
        (machineTimer, deadlineTimer) = (nil, nil)
        abandoned = (pending.count, buffered.count)
        // The state first: resumed waiters read it.
        broadcast.end(reason)
        for waiter in pending.removeAll() { waiter.fail(reason) }
        for flush in flushes.values { flush.resume(returning: .failure(reason)) }
        flushes = [:]
        let (beginning, ending) = subscriptions.removeAll()
        for waiter in beginning { waiter.resume(returning: .failure(reason)) }
        for continuation in ending { continuation.resume() }
        (buffered, bufferedBytes) = ([], 0)
    }

    private func wait(_ duration: Duration) {
        let timer = machineTimer ?? LoopTimer(loop: loop)
        machineTimer = timer
        timer.start(after: duration) { self.handle(.tick) }
    }

    /// Arms the timer for the earliest deadline.
    func armDeadlines() {
        guard let earliest = deadlines.earliest else {
            deadlineTimer?.stop()
            return
        }
        let timer = deadlineTimer ?? LoopTimer(loop: loop)
        deadlineTimer = timer
        timer.start(after: earliest - loop.uptime()) { self.deadlinesPassed() }
    }

    private func deadlinesPassed() {
        let now = loop.uptime()
        while let token = deadlines.popExpired(now: now) {
            pending.remove(token)?.fail(BusError(.timeout, "no answer came in time"))
        }
        deadlines.compact(live: pending.count) { pending.contains($0) }
        armDeadlines()
    }

    /// Subscribes on the link, and requests an acknowledgement when a caller waits for it.
    func sendSubscribe(_ sid: Int) {
        guard let order = subscriptions.order(sid) else { return }
        link?.give(order)
        guard subscriptions.isAwaited(sid) else { return }
        link?.give(.flush(number: -sid, timeout: BusClientLimits.handshakeTimeout))
    }
}

/// The identity of a link for its callbacks, which must not keep it alive.
final class NATSLinkNumber: Sendable {}
