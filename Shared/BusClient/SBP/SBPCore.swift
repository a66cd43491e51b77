import BusProtocol
import EventLoop
import Logging

/// The part of an ``SBPClient`` that lives on the loop. It performs what ``ClientStateMachine`` decides, and matches
/// arriving messages with their waiters.
actor SBPCore {
    nonisolated let loop: UVLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let configuration: SBPClient.Configuration
    let broadcast: StateBroadcast
    let logger: Logger
    var machine: ClientStateMachine
    var link: SBPLink?
    /// `_INBOX.<id>` of the current connection.
    var inbox = ""
    var subscriptions = SubscriptionTable()
    var pending = PendingRequests()
    var deadlines = DeadlineQueue()
    var flushes: [Int: CheckedContinuation<Result<Void, BusError>, Never>] = [:]
    /// Events that wait for a connection, as frames.
    var buffered: [UInt8] = []
    var bufferedCount = 0
    /// The requests and events that were open when the client ended.
    private(set) var abandoned = (requests: 0, events: 0)
    /// Counts attempts. The result of an abandoned attempt is thus not taken for a later one's.
    private var attempt = 0
    private var machineTimer: LoopTimer?
    private var deadlineTimer: LoopTimer?
    private var hasWarned = false

    /// The sid of the inbox; subscriptions of users begin above it.
    static let inboxSid = 1
    /// The number of the ping that follows the subscriptions of a new connection. Flushes have larger numbers.
    static let resubscribedPing = 0

    init(_ configuration: SBPClient.Configuration, loop: UVLoop, broadcast: StateBroadcast, logger: Logger) {
        self.configuration = configuration
        self.loop = loop
        self.broadcast = broadcast
        self.logger = logger
        machine = ClientStateMachine(configuration)
    }

    /// Feeds the state machine and performs its actions.
    func handle(_ event: ClientStateMachine.Event) {
        for action in machine.handle(event, now: loop.uptime()) { perform(action) }
    }

    private func perform(_ action: ClientStateMachine.Action) {
        switch action {
        case .open: open()
        case .send(let message): write { (output) throws(BusViolation) in message.encode(into: &output) }
        case .becomeReady(let inbox): becomeReady(inbox)
        case .sendPing: write { (output) throws(BusViolation) in ControlFrame.ping(into: &output) }
        case .close(let goodbye):
            link?.close(goodbye: goodbye)
            link = nil
            attempt += 1
        case .fail(let error): connectionFailed(error)
        case .wait(let duration): wait(duration)
        case .end(let reason): end(reason)
        }
    }

    private func open() {
        attempt += 1
        let mine = attempt
        TCPStream.connect(
            loop: loop, host: configuration.url.host, port: configuration.url.port,
            timeout: BusClientLimits.connectTimeout
        ) { result in
            self.connectEnded(result, mine)
        }
    }

    private func connectEnded(_ result: Result<TCPStream, UVError>, _ mine: Int) {
        switch result {
        case .success(let stream) where mine == attempt:
            let link = SBPLink(stream)
            self.link = link
            link.start(
                input: { self.machine.noteInput(now: self.loop.uptime()) },
                handle: { header, body in self.receive(header, body) },
                end: { error in if link === self.link { self.handle(.lost(error)) } })
            handle(.opened)
        case .success(let stream): stream.close()
        case .failure(let error) where mine == attempt: handle(.lost(BusError(.disconnected, "\(error)")))
        case .failure: break
        }
    }

    /// Restores, after signing in, the inbox, the subscriptions and the buffered events, then pings. Frames are handled
    /// in order, so everything this client sends from now on finds all of it in place; for others that is so when the
    /// pong comes.
    private func becomeReady(_ inbox: String) {
        self.inbox = inbox
        guard let pattern = try? SubjectPattern("\(inbox).*") else {
            return handle(.lost(BusError(.protocolViolation, "the broker gave an inbox that is no subject")))
        }
        let inboxSubscription = SubMessage(sid: Self.inboxSid, subject: pattern)
        write { (output) throws(BusViolation) in inboxSubscription.encode(into: &output) }
        for sid in subscriptions.sids { sendSubscribe(sid) }
        if !buffered.isEmpty { link?.write(buffered) }
        (buffered, bufferedCount) = ([], 0)
        write { (output) throws(BusViolation) in ControlFrame.ping(t: Self.resubscribedPing, into: &output) }
    }

    /// Broadcasts `connected`, once the broker has taken all subscriptions. Other clients reach this one then.
    func resubscribed() {
        hasWarned = false
        logger.info("connected to the bus", metadata: ["url": "\(configuration.url)"])
        broadcast.set(.connected)
    }

    private func connectionFailed(_ error: BusError) {
        let resumes = subscriptions.connectionLost()
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
        for resume in resumes { resume() }
        if !error.isFinal { broadcast.set(.connecting) }
    }

    private func end(_ reason: BusError) {
        machineTimer?.close()
        deadlineTimer?.close()
        (machineTimer, deadlineTimer) = (nil, nil)
        abandoned = (pending.count, bufferedCount)
        // The state first: resumed waiters read it.
        broadcast.end(reason)
        for waiter in pending.removeAll() { waiter.fail(reason) }
        for flush in flushes.values { flush.resume(returning: .failure(reason)) }
        flushes = [:]
        for resume in subscriptions.removeAll(reason) { resume() }
        (buffered, bufferedCount) = ([], 0)
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

    /// Writes a frame that cannot be refused, if there is a connection.
    func write(_ encode: (inout [UInt8]) throws(BusViolation) -> Void) {
        do throws(BusViolation) {
            try link?.write(encode)
        } catch {
            logger.error("a frame was not sent", metadata: ["error": "\(error)"])
        }
    }

    func sendSubscribe(_ sid: Int) {
        guard let message = subscriptions.subscribeFrame(sid) else { return }
        write { (output) throws(BusViolation) in message.encode(into: &output) }
    }
}
