import BusClient
import BusProtocol
import EventLoop
import Logging

/// The part of a ``NATSClient`` that lives on the loop. It performs the decisions of ``NATSConnectionMachine``, and
/// matches arriving messages with their waiters.
package actor NATSConnection: BusConnection {
    package static let peerName = "server"

    nonisolated let loop: UVLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let configuration: NATSClient.Configuration
    let broadcast: StateBroadcast
    package let core: BusClientCore
    let logger: Logger
    /// `_INBOX.<id>`, this client's own on all its connections.
    let inbox: String
    var machine: NATSConnectionMachine
    var link: NATSLink?
    /// Bytes of headers and body that the server accepts.
    var payloadMax = Int.max
    var subscriptions = NATSSubscriptionTable()
    /// Events that wait for a connection.
    var buffered: [NATSOutgoing] = []
    var bufferedBytes = 0

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
        core = BusClientCore(loop: loop, broadcast: broadcast, logger: logger)
        machine = NATSConnectionMachine(random: configuration.random)
    }

    package var sids: [Int] { subscriptions.sids }

    package func start() { handle(.start) }

    package func stop() { handle(.stop) }

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
        case .fail(let error): core.connectionFailed(error, subscriptions.connectionLost())
        case .wait(let duration): core.wait(duration) { self.handle(.tick) }
        case .end(let reason):
            core.end(reason, events: buffered.count, subscriptions.removeAll(reason))
            (buffered, bufferedBytes) = ([], 0)
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
        link?.give(.subscribe(sid: BusClientCore.inboxSid, subject: "\(inbox).*", queue: nil, max: nil))
        for sid in subscriptions.sids { sendSubscribe(sid) }
        for message in buffered { link?.give(.publish(message)) }
        (buffered, bufferedBytes) = ([], 0)
        link?.give(.flush(number: Self.resubscribedFlush, timeout: BusClientLimits.handshakeTimeout))
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
