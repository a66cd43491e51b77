import BusClient
import BusProtocol
internal import CNATS
import Dispatch
import EventLoop

/// One connection of libnats. A client has one at a time.
///
/// libnats has threads of its own, and its calls may block. So three kinds of threads meet here. The loop gives orders.
/// The `wire` queue carries them out in their order, except flushes, which wait on a second queue. libnats's delivery
/// thread brings messages. The whole process has one such thread, so that messages keep their order. They are collected
/// and handed to the loop once per turn.
final class NATSLink: @unchecked Sendable {
    // Why unchecked: `connection`, `subscriptions` and `isOver` are touched on the wire queue alone (and `connection`
    // on the flush queue, before the last order there destroys it); everything else is locked or never changes.

    /// The events of a connection, reported on the loop.
    enum Event: Sendable {
        /// A server has accepted the client. It accepts payloads up to `payloadMax` bytes.
        case opened(payloadMax: Int)
        case lost(BusError)
        /// The server does not let the user publish or subscribe somewhere.
        case refused(String)
        /// Messages and ends that came in, in order. `dropped` messages were lost since the last time.
        case received([NATSIncoming], dropped: Int)
    }

    enum Order: Sendable {
        case publish(NATSOutgoing)
        case subscribe(sid: Int, subject: String, queue: String?, max: Int?)
        /// Ends it once everything that was delivered before has been handled.
        case unsubscribe(sid: Int)
        case flush(number: Int, timeout: Duration)
        case close
    }

    private struct Orders {
        var waiting: [Order] = []
        var bytes = 0
    }

    private struct Incoming {
        var items: [NATSIncoming] = []
        var bytes = 0
        var dropped = 0
    }

    private let inbox: String
    private let loop: UVLoop
    private let handle: @Sendable (Event) -> Void
    private let wire: DispatchQueue
    private let flushes: DispatchQueue
    private let orders = Locked(Orders())
    private let incoming = Locked(Incoming())
    private var connection: OpaquePointer?
    private var subscriptions: [Int: OpaquePointer] = [:]
    private var isOver = false

    /// - Parameter handle: Called on the loop.
    init(name: String, inbox: String, loop: UVLoop, handle: @escaping @Sendable (Event) -> Void) {
        self.inbox = inbox
        self.loop = loop
        self.handle = handle
        wire = DispatchQueue(label: "storebus.nats.\(name).wire")
        flushes = DispatchQueue(label: "storebus.nats.\(name).flush")
    }

    /// Tries each server once.
    func open(_ configuration: NATSClient.Configuration) {
        wire.async { self.connect(configuration) }
    }

    /// Has an order carried out after those before it.
    /// - Returns: False, without effect, if too many bytes wait already.
    @discardableResult
    func give(_ order: Order) -> Bool {
        var size = 0
        if case .publish(let message) = order { size = message.size }
        let (isTaken, isFirst) = orders.withLock { orders in
            guard size == 0 || orders.bytes + size <= NATSLimits.outgoingBytesMax else { return (false, false) }
            orders.waiting.append(order)
            orders.bytes += size
            return (true, orders.waiting.count == 1)
        }
        if isFirst { wire.async { self.carryOut() } }
        return isTaken
    }

    // MARK: On the wire queue

    private func connect(_ configuration: NATSClient.Configuration) {
        guard !isOver else { return }
        let options: OpaquePointer
        switch NATSOptions.make(configuration, link: self) {
        case .success(let made): options = made
        case .failure(let error): return tell(.lost(error))
        }
        var made: OpaquePointer?
        let status = natsConnection_Connect(&made, options)
        natsOptions_Destroy(options)
        guard status == NATS_OK, let made else {
            var last = status
            let detail = nats_GetLastError(&last).map { String(cString: $0) }
            return tell(.lost(BusError(connection: status, last == status ? detail : nil)))
        }
        connection = made
        guard natsConnection_HasHeaderSupport(made) == NATS_OK else {
            return tell(.lost(BusError(.protocolViolation, "this server does not carry headers", origin: .broker)))
        }
        tell(.opened(payloadMax: Int(natsConnection_GetMaxPayload(made))))
    }

    private func carryOut() {
        let batch = orders.withLock { orders in
            defer { (orders.waiting, orders.bytes) = ([], 0) }
            return orders.waiting
        }
        for order in batch where !isOver {
            switch order {
            case .publish(let message): publish(message)
            case .subscribe(let sid, let subject, let queue, let max): subscribe(sid, subject, queue, max)
            case .unsubscribe(let sid): unsubscribe(sid)
            case .flush(let number, let timeout): flush(number, timeout)
            case .close: close()
            }
        }
    }

    /// Publishes a message. A failure needs no answer: libnats reports a lost connection in its own way, and earlier
    /// checks rule the others out.
    private func publish(_ message: NATSOutgoing) {
        guard let connection else { return }
        var made: OpaquePointer?
        let status = message.body.withUnsafeBytes { body in
            natsMsg_Create(
                &made, message.subject, message.reply, body.baseAddress?.assumingMemoryBound(to: CChar.self),
                Int32(body.count))
        }
        guard status == NATS_OK, let made else { return }
        for (name, value) in message.headers { natsMsgHeader_Set(made, name, value) }
        natsConnection_PublishMsg(connection, made)
        natsMsg_Destroy(made)
    }

    private func subscribe(_ sid: Int, _ subject: String, _ queue: String?, _ max: Int?) {
        guard let connection else { return }
        let context = NATSSubscriptionContext(link: self, sid: sid)
        guard let subscription = context.subscribe(connection, subject, queue: queue) else { return }
        subscriptions[sid] = subscription
        if let max { natsSubscription_AutoUnsubscribe(subscription, Int32(clamping: max)) }
    }

    private func unsubscribe(_ sid: Int) {
        guard let subscription = subscriptions[sid], natsSubscription_Drain(subscription) == NATS_OK else {
            // It has ended already, by its maximum or with the connection.
            return take(.ended(sid: sid))
        }
    }

    private func flush(_ number: Int, _ timeout: Duration) {
        guard let connection else { return }
        let work = NATSFlush(link: self, connection: connection, barrier: "\(inbox).flush", number: number)
        flushes.async { work.run(timeout: timeout) }
    }

    private func close() {
        isOver = true
        NATSLinks.remove(self)
        guard let connection else { return }
        self.connection = nil
        let subscriptions = self.subscriptions.values.map { UInt(bitPattern: $0) }
        self.subscriptions = [:]
        let address = UInt(bitPattern: connection)
        // Ends the waiting flushes; after that the connection is unused and can be destroyed.
        natsConnection_Close(connection)
        flushes.async {
            for subscription in subscriptions { natsSubscription_Destroy(OpaquePointer(bitPattern: subscription)) }
            natsConnection_Destroy(OpaquePointer(bitPattern: address))
        }
    }

    private func forget(_ sid: Int) {
        guard let subscription = subscriptions.removeValue(forKey: sid) else { return }
        natsSubscription_Destroy(subscription)
    }

    // MARK: From libnats's threads

    func tell(_ event: Event) {
        loop.execute { self.handle(event) }
    }

    /// Reports that everything for the subscription has come.
    func ended(_ sid: Int) {
        take(.ended(sid: sid))
        wire.async { self.forget(sid) }
    }

    /// Collects an item for the loop.
    func take(_ item: NATSIncoming) {
        let isFirst = incoming.withLock { incoming in
            let isMessage = if case .message = item { true } else { false }
            if isMessage,
                incoming.items.count >= NATSLimits.incomingMax
                    || incoming.bytes + item.size > NATSLimits.incomingBytesMax
            {
                incoming.dropped += 1
                return false
            }
            incoming.items.append(item)
            incoming.bytes += item.size
            return incoming.items.count == 1
        }
        guard isFirst else { return }
        loop.execute {
            let (items, dropped) = self.incoming.withLock { incoming in
                defer { incoming = Incoming() }
                return (incoming.items, incoming.dropped)
            }
            self.handle(.received(items, dropped: dropped))
        }
    }
}

/// One flush: a ping to the server, then a marker in libnats's delivery thread. The marker comes behind every message
/// that libnats had received by the time of the pong.
///
/// The marker is the completion of a subscription that is made and ended for this: libnats posts it at the end of the
/// delivery thread's list.
final class NATSFlush: @unchecked Sendable {
    // Why unchecked: the connection is an opaque pointer; the flush queue, where alone it is used, also destroys it.
    private let link: NATSLink
    private let connection: OpaquePointer
    private let barrier: String
    private let number: Int
    private var refusal: String?

    init(link: NATSLink, connection: OpaquePointer, barrier: String, number: Int) {
        self.link = link
        self.connection = connection
        self.barrier = barrier
        self.number = number
    }

    /// Blocks until the server has answered. The link gets the outcome with the other items.
    func run(timeout: Duration) {
        let status = natsConnection_FlushTimeout(connection, timeout.natsMilliseconds)
        guard status == NATS_OK else {
            return end(
                status == NATS_TIMEOUT
                    ? BusError(.timeout, "the server did not answer within \(timeout)") : BusError(connection: status))
        }
        // libnats reports a refusal on another thread, perhaps after the pong; the connection's last error is set by
        // now.
        var text: UnsafePointer<CChar>?
        if natsConnection_GetLastError(connection, &text) == NATS_NOT_PERMITTED, let text {
            refusal = String(cString: text)
        }
        putMarker()
    }

    private func putMarker() {
        let context = Unmanaged.passRetained(self)
        var subscription: OpaquePointer?
        guard natsConnection_Subscribe(&subscription, connection, barrier, ignoreMessage, nil) == NATS_OK,
            natsSubscription_SetOnCompleteCB(subscription, markerReached, context.toOpaque()) == NATS_OK
        else {
            context.release()
            natsSubscription_Destroy(subscription)
            return end(BusError(.disconnected, "the connection was lost"))
        }
        // Ends it, too.
        natsSubscription_Destroy(subscription)
    }

    fileprivate func end(_ failure: BusError?) {
        link.take(.flushed(number: number, failure: failure, refusal: refusal))
    }
}

private func ignoreMessage(
    _: OpaquePointer?, _: OpaquePointer?, _ message: OpaquePointer?, _: UnsafeMutableRawPointer?
) {
    natsMsg_Destroy(message)
}

private func markerReached(_ closure: UnsafeMutableRawPointer?) {
    guard let closure else { return }
    Unmanaged<NATSFlush>.fromOpaque(closure).takeRetainedValue().end(nil)
}

/// The context of libnats's callbacks for one subscription. The library libnats owns a reference from the
/// subscription's beginning to its completion, and never calls it after that.
final class NATSSubscriptionContext: Sendable {
    private let link: NATSLink
    private let sid: Int

    init(link: NATSLink, sid: Int) {
        self.link = link
        self.sid = sid
    }

    /// - Returns: Nil when the connection is gone.
    func subscribe(_ connection: OpaquePointer, _ subject: String, queue: String?) -> OpaquePointer? {
        let context = Unmanaged.passRetained(self)
        var subscription: OpaquePointer?
        let status =
            if let queue {
                natsConnection_QueueSubscribe(
                    &subscription, connection, subject, queue, onMessage, context.toOpaque())
            } else {
                natsConnection_Subscribe(&subscription, connection, subject, onMessage, context.toOpaque())
            }
        guard status == NATS_OK, let subscription else {
            context.release()
            return nil
        }
        // The loop's own bound is the one that counts; see `NATSLink.take`.
        natsSubscription_SetPendingLimits(subscription, -1, -1)
        if natsSubscription_SetOnCompleteCB(subscription, onComplete, context.toOpaque()) != NATS_OK {
            // The connection was lost between the two calls, so no completion will be reported. A message may still be
            // on its way to the context: leaking its reference is safer than releasing it.
            end()
        }
        return subscription
    }

    fileprivate func take(_ message: BusMessage) { link.take(.message(sid: sid, message)) }

    fileprivate func end() { link.ended(sid) }
}

private func onMessage(
    _: OpaquePointer?, _: OpaquePointer?, _ message: OpaquePointer?, _ closure: UnsafeMutableRawPointer?
) {
    guard let message, let closure else { return }
    defer { natsMsg_Destroy(message) }
    Unmanaged<NATSSubscriptionContext>.fromOpaque(closure).takeUnretainedValue().take(BusMessage(copying: message))
}

private func onComplete(_ closure: UnsafeMutableRawPointer?) {
    guard let closure else { return }
    Unmanaged<NATSSubscriptionContext>.fromOpaque(closure).takeRetainedValue().end()
}
