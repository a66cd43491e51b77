import BusClient
import BusProtocol
internal import CNATS
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

    package static func request(_ message: BusMessage) throws(BusError) -> NATSOutgoing { try NATSOutgoing(message) }

    package static func event(_ message: BusMessage) throws(BusError) -> NATSOutgoing { try NATSOutgoing(message) }

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

extension NATSConnection {
    /// Handles an event of a link. Those of an abandoned link are ignored.
    func receive(_ event: NATSLink.Event, from number: NATSLinkNumber) {
        guard isCurrent(number) else { return }
        switch event {
        case .opened(let payloadMax):
            self.payloadMax = payloadMax
            handle(.opened)
        case .lost(let error): handle(.lost(error))
        case .refused(let text): refused(text)
        case .received(let items, let dropped):
            if dropped > 0 {
                logger.warning("messages were dropped, this process is too slow", metadata: ["count": "\(dropped)"])
            }
            for item in items {
                // A handler may have closed the client.
                guard isCurrent(number) else { return }
                take(item)
            }
        }
    }

    private func take(_ item: NATSIncoming) {
        switch item {
        case .message(BusClientCore.inboxSid, let message): core.reply(message, inbox: inbox)
        case .message(let sid, let message): subscriptions.handlerOfDelivery(to: sid)?(message)
        case .ended(let sid):
            for continuation in subscriptions.ended(sid) { continuation.resume() }
        case .flushed(let number, let failure, let refusal):
            if let refusal { refused(refusal) }
            flushed(number, failure)
        }
    }

    private func flushed(_ number: Int, _ failure: BusError?) {
        if number == Self.resubscribedFlush {
            if let failure { handle(.lost(failure)) } else { core.connected(to: configuration.url) }
        } else if number < 0 {
            // Without an answer the connection is about to be lost, and the next one subscribes again.
            if failure == nil { subscriptions.acknowledge(-number)?.resume(returning: .success(())) }
        } else {
            core.endFlush(number, failure.map { .failure($0) } ?? .success(()))
        }
    }

    /// Fails the requests or subscriptions of a refused subject. The server names the subject only, and refuses it to
    /// all of them.
    private func refused(_ text: String) {
        guard let refusal = NATSRefusal(text) else { return }
        if refusal.isSubscription {
            let (waiters, wasAcknowledged) = subscriptions.refuse(refusal.subject)
            for waiter in waiters { waiter.resume(returning: .failure(refusal.error)) }
            guard wasAcknowledged else { return }
            logger.error("a subscription was refused", metadata: ["subject": "\(refusal.subject)"])
            return
        }
        guard !core.failRequests(to: refusal.subject, refusal.error) else { return }
        logger.warning("the server refused", metadata: ["subject": "\(refusal.subject)"])
    }
}

extension NATSConnection {
    private static let tooMuch = BusError(.bufferFull, "64 MiB wait to be written already")

    /// Sends a request. The waiter is resumed in any case: with a reply, an error or at the deadline.
    package func request(_ message: NATSOutgoing, _ token: UInt64, _ waiter: PendingRequests.Waiter, timeout: Duration)
    {
        guard machine.isReady, let link else { return waiter.fail(core.notConnected) }
        if let error = sizeError(message) { return waiter.fail(error) }
        if let error = core.requestsError { return waiter.fail(error) }
        var message = message
        message.reply = "\(inbox).\(token)"
        guard link.give(.publish(message)) else { return waiter.fail(Self.tooMuch) }
        core.add(waiter, token: token, subject: message.subject, timeout: timeout)
    }

    package func publish(_ message: NATSOutgoing) -> BusError? {
        if machine.isReady, let link {
            if let error = sizeError(message) { return error }
            return link.give(.publish(message)) ? nil : Self.tooMuch
        }
        if broadcast.state == .closed { return core.notConnected }
        guard bufferedBytes + message.size <= BusClientLimits.bufferedBytesMax else {
            return BusError(.bufferFull, "1 MiB of events wait for a connection already")
        }
        bufferedBytes += message.size
        buffered.append(message)
        return nil
    }

    /// Checks the server's payload limit, which may be lower than the bus's.
    private func sizeError(_ message: NATSOutgoing) -> BusError? {
        guard message.size > payloadMax else { return nil }
        return BusError(.payloadTooLarge, "the message has \(message.size) bytes; the server accepts \(payloadMax)")
    }

    package func subscribe(
        _ sid: Int, _ pattern: SubjectPattern, _ queue: QueueName?, max: Int?,
        _ waiter: BusClientCore.Waiter, _ handler: @escaping @Sendable (BusMessage) -> Void
    ) {
        if broadcast.state == .closed { return waiter.resume(returning: .failure(core.notConnected)) }
        subscriptions.add(sid, pattern, queue: queue, max: max, waiter: waiter, handler: handler)
        if machine.isReady { sendSubscribe(sid) }
    }

    /// Ends a subscription whose caller was cancelled before the server answered.
    package func cancelSubscribe(_ sid: Int) {
        guard subscriptions.isAwaited(sid) else { return }
        let removed = subscriptions.remove(sid)
        if machine.isReady { link?.give(.unsubscribe(sid: sid)) }
        removed.beginning?.resume(returning: .failure(BusError(.cancelled, "the task was cancelled")))
    }

    package func unsubscribe(_ sid: Int, _ continuation: CheckedContinuation<Void, Never>) {
        guard machine.isReady, let link else {
            let removed = subscriptions.remove(sid)
            removed.beginning?.resume(returning: .failure(BusError(.cancelled, "it was unsubscribed")))
            for earlier in removed.ending { earlier.resume() }
            return continuation.resume()
        }
        guard subscriptions.end(sid, continuation) else { return continuation.resume() }
        link.give(.unsubscribe(sid: sid))
    }

    package func flush(_ number: Int, _ timeout: Duration, _ waiter: BusClientCore.Waiter) {
        guard machine.isReady, let link else { return waiter.resume(returning: .failure(core.notConnected)) }
        core.addFlush(number, waiter)
        link.give(.flush(number: number, timeout: timeout))
    }
}

extension BusError {
    /// Translates libnats's status of a connection that failed or was lost.
    init(connection status: natsStatus, _ detail: String? = nil) {
        let text = String(cString: natsStatus_GetText(status))
        let sentence = detail.map { $0.isEmpty ? text : "\(text): \($0)" } ?? text
        switch status {
        case NATS_SSL_ERROR:
            // libnats speaks TLS with a server that wants it, also when the address is nats://.
            self.init(
                .tlsFailed,
                "\(sentence); the server's certificate must be for the host of BUS_URL, and with nats+tls:// signed by "
                    + "BUS_TLS_CA")
        case NATS_SECURE_CONNECTION_WANTED:
            self.init(.tlsFailed, "the server does not speak TLS; write nats:// in BUS_URL", origin: .broker)
        case NATS_CONNECTION_AUTH_FAILED: self.init(.authenticationFailed, sentence, origin: .broker)
        default: self.init(.disconnected, sentence)
        }
    }
}

/// The denied permission, parsed from the server's sentence:
/// `Permissions Violation for Subscription to "sb.secret" using queue "q"`
struct NATSRefusal: Equatable {
    let isSubscription: Bool
    let subject: String

    /// Nil for any other sentence.
    init?(_ text: String) {
        guard text.lowercased().contains("permissions violation") else { return nil }
        isSubscription = text.lowercased().contains("subscription")
        let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
        guard parts.count >= 2 else { return nil }
        subject = String(parts[1])
    }

    var error: BusError {
        BusError(
            .permissionDenied, "the user may not \(isSubscription ? "subscribe" : "publish") to \(subject)",
            origin: .broker)
    }
}
