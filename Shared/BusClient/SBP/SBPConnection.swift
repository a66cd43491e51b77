import BusProtocol
import EventLoop
import Logging

/// The part of an ``SBPClient`` that lives on the loop. It performs the decisions of ``ClientStateMachine``, and
/// matches arriving messages with their waiters.
package actor SBPConnection: BusConnection {
    package static let peerName = "broker"

    nonisolated let loop: UVLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let configuration: SBPClient.Configuration
    let broadcast: StateBroadcast
    package let core: BusClientCore
    let logger: Logger
    var machine: ClientStateMachine
    var link: SBPLink?
    /// `_INBOX.<id>` of the current connection.
    var inbox = ""
    var subscriptions = SBPSubscriptionTable()
    /// Events that wait for a connection, as frames.
    var buffered: [UInt8] = []
    var bufferedCount = 0
    /// Number of connection attempts. It distinguishes the result of an abandoned attempt from a later one's.
    private var attempt = 0

    /// The number of the ping that follows the subscriptions of a new connection. Flushes have larger numbers.
    static let resubscribedPing = 0

    init(_ configuration: SBPClient.Configuration, loop: UVLoop, broadcast: StateBroadcast, logger: Logger) {
        self.configuration = configuration
        self.loop = loop
        self.broadcast = broadcast
        self.logger = logger
        core = BusClientCore(loop: loop, broadcast: broadcast, logger: logger)
        machine = ClientStateMachine(configuration)
    }

    package var sids: [Int] { subscriptions.sids }

    package func start() { handle(.start) }

    package func stop() { handle(.stop) }

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
        case .fail(let error): core.connectionFailed(error, subscriptions.connectionLost())
        case .wait(let duration): core.wait(duration) { self.handle(.tick) }
        case .end(let reason):
            core.end(reason, events: bufferedCount, subscriptions.removeAll(reason))
            (buffered, bufferedCount) = ([], 0)
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
            let link: SBPLink
            do throws(BusError) {
                link = try SBPLink(stream, url: configuration.url)
            } catch {
                stream.close()
                return handle(.lost(error))
            }
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
    /// in order, so everything this client sends from now on finds all of it in place. For others that is so when the
    /// pong comes.
    private func becomeReady(_ inbox: String) {
        self.inbox = inbox
        guard let pattern = try? SubjectPattern("\(inbox).*") else {
            return handle(.lost(BusError(.protocolViolation, "the broker gave an inbox that is not a subject")))
        }
        let inboxSubscription = SubMessage(sid: BusClientCore.inboxSid, subject: pattern)
        write { (output) throws(BusViolation) in inboxSubscription.encode(into: &output) }
        for sid in subscriptions.sids { sendSubscribe(sid) }
        if !buffered.isEmpty { link?.write(buffered) }
        (buffered, bufferedCount) = ([], 0)
        write { (output) throws(BusViolation) in ControlFrame.ping(t: Self.resubscribedPing, into: &output) }
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
