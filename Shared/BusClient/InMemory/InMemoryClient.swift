import BusProtocol
import EventLoop

/// One client of an ``InMemoryBus``.
package final class InMemoryClient: BusClient {
    struct Contents {
        var pending = PendingRequests()
        var nextToken: UInt64 = 0
        var buffered: [(message: BusMessage, subject: Subject)] = []
        var bufferedBytes = 0
        /// Counts connections, so that a delivery queued for a lost one is dropped.
        var epoch = 1
    }

    /// The client's name, for people.
    package let name: String
    /// `_INBOX.<id>`, this client's own.
    let inbox: String
    /// Whether it gets its own publishes back.
    let echo: Bool
    private let bus: InMemoryBus
    private let broadcast = StateBroadcast()
    private let contents = Locked(Contents())

    init(bus: InMemoryBus, name: String, inbox: String, echo: Bool) {
        self.bus = bus
        self.name = name
        self.inbox = inbox
        self.echo = echo
        broadcast.set(.connected)
    }

    /// The bus's own loop. Nil for a bus without one.
    package var loop: UVLoop? { bus.loop }
    /// The capabilities that need no broker.
    package var capabilities: Set<BusCapability> {
        [.keyAffinity, .privateInboxes, .trustedStatus, .anyHeaderValue]
    }
    /// As ``BusClient/state``.
    package var state: BusConnectionState { broadcast.state }
    /// As ``BusClient/endReason``.
    package var endReason: BusError? { broadcast.endReason }
    /// As ``BusClient/states``. Each access makes a stream of its own.
    package var states: AsyncStream<BusConnectionState> { broadcast.stream() }

    var isConnected: Bool { broadcast.state == .connected }
    var epoch: Int { contents.withLock { $0.epoch } }
    func isConnected(since epoch: Int) -> Bool { isConnected && self.epoch == epoch }

    /// Cuts the connection. Requests in flight fail, and deliveries on their way are lost. Subscriptions are kept for
    /// ``reconnect()``.
    package func disconnect(_ reason: String = "the test cut the connection") {
        guard isConnected else { return }
        let error = BusError(.disconnected, reason)
        let waiters = contents.withLock { contents in
            contents.epoch += 1
            return contents.pending.removeAll()
        }
        broadcast.set(.disconnected(error))
        broadcast.set(.connecting)
        for waiter in waiters { waiter.fail(error) }
    }

    /// Restores the connection and sends the events that waited.
    package func reconnect() {
        guard state == .connecting else { return }
        broadcast.set(.connected)
        let buffered = contents.withLock { contents in
            defer { (contents.buffered, contents.bufferedBytes) = ([], 0) }
            return contents.buffered
        }
        for (message, subject) in buffered { bus.route(message, subject: subject, from: self) }
    }

    package func request(
        _ subject: String, body: [UInt8], headers: BusHeaders, key: String?, timeout: Duration
    ) async throws(BusError) -> BusMessage {
        let message = BusMessage(subject: subject, reply: nil, key: key, headers: headers, body: body)
        return try await exchange(message, timeout: timeout) { .one($0) }.get()
    }

    package func requestMany(
        _ subject: String, body: [UInt8], headers: BusHeaders, max: Int, timeout: Duration
    ) async throws(BusError) -> [BusMessage] {
        let message = BusMessage(subject: subject, reply: nil, headers: headers, body: body)
        return try await exchange(message, timeout: timeout) { .many($0, max: max, replies: []) }.get()
    }

    package func publish(
        _ subject: String, body: [UInt8], headers: BusHeaders, reply: String?, key: String?
    ) throws(BusError) {
        let message = BusMessage(subject: subject, reply: reply, key: key, headers: headers, body: body)
        let (checked, size) = try Self.check(message)
        if let endReason { throw endReason }
        if isConnected { return bus.route(message, subject: checked, from: self) }
        let fits = contents.withLock { contents in
            guard contents.bufferedBytes + size <= BusClientLimits.bufferedBytesMax else { return false }
            contents.bufferedBytes += size
            contents.buffered.append((message, checked))
            return true
        }
        if !fits { throw BusError(.bufferFull, "1 MiB of events wait for a connection already") }
    }

    package func subscribe(
        _ subject: String, queue: String?, max: Int?, handler: @escaping @Sendable (BusMessage) -> Void
    ) async throws(BusError) -> any BusSubscription {
        let pattern: SubjectPattern
        do {
            pattern = try SubjectPattern(subject)
            if let queue { _ = try QueueName(queue) }
        } catch {
            throw BusError(error)
        }
        if let endReason { throw endReason }
        if let max, max < 1 { throw BusError(.invalidMessage, "a subscription ends after 1 delivery or more") }
        let identifier = bus.add(pattern, queue: queue, max: max, client: self, handler: handler)
        return InMemorySubscription(bus: bus, id: identifier)
    }

    package func flush(timeout: Duration) async throws(BusError) {
        guard isConnected else { throw notConnected }
        await bus.barrier()
    }

    @discardableResult
    package func drain() async -> BusDrainReport {
        let isFlushed = isConnected
        await bus.barrier()
        let abandoned = end()
        return BusDrainReport(requests: abandoned.requests, events: abandoned.events, isFlushed: isFlushed)
    }

    package func close() async {
        kill()
    }

    /// Ends the client immediately, as when its process dies.
    package func kill() {
        _ = end()
    }

    private func end() -> (requests: Int, events: Int) {
        let reason = BusError(.closed, "the client was closed")
        broadcast.end(reason)
        bus.remove(self)
        let (waiters, events) = contents.withLock { contents in
            contents.epoch += 1
            defer { (contents.buffered, contents.bufferedBytes) = ([], 0) }
            return (contents.pending.removeAll(), contents.buffered.count)
        }
        for waiter in waiters { waiter.fail(reason) }
        return (waiters.count, events)
    }

    /// Hands a reply to the request that waits for it.
    func take(_ message: BusMessage, token: UInt64) {
        guard isConnected else { return }
        let resume = contents.withLock { $0.pending.reply(token, with: message) }
        resume?()
    }

    private var notConnected: BusError {
        endReason ?? BusError(.disconnected, "there is no connection to the bus")
    }

    private func fail(_ token: UInt64, _ error: BusError) {
        contents.withLock { $0.pending.remove(token) }?.fail(error)
    }

    private func exchange<Reply>(
        _ message: BusMessage, timeout: Duration,
        _ waiter: @Sendable (CheckedContinuation<Result<Reply, BusError>, Never>) -> PendingRequests.Waiter
    ) async throws(BusError) -> Result<Reply, BusError> {
        let (subject, _) = try Self.check(message)
        guard isConnected else { throw notConnected }
        let token = contents.withLock { contents in
            contents.nextToken += 1
            return contents.nextToken
        }
        // The clock of one request; it ends with the request.
        let clock = Task {
            guard (try? await Task.sleep(for: timeout)) != nil else { return }
            fail(token, BusError(.timeout, "no answer to \(message.subject) within \(timeout)"))
        }
        defer { clock.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                contents.withLock { $0.pending.add(waiter(continuation), token: token, subject: subject.text) }
                var message = message
                message.reply = "\(inbox).\(token)"
                bus.route(message, subject: subject, from: self)
                // The cancellation or the disconnect may have come before there was anything to fail.
                if Task.isCancelled { fail(token, BusError(.cancelled, "the task was cancelled")) }
                if !isConnected { fail(token, notConnected) }
            }
        } onCancel: {
            fail(token, BusError(.cancelled, "the task was cancelled"))
        }
    }

    /// Refuses a message that a real client would not send. Returns the subject and the bytes of the frame.
    private static func check(_ message: BusMessage) throws(BusError) -> (Subject, Int) {
        (try message.pub().subject, try message.frame().count)
    }
}

/// A subscription of an ``InMemoryClient``.
struct InMemorySubscription: BusSubscription {
    let bus: InMemoryBus
    let id: Int

    func unsubscribe() async {
        bus.remove(id)
        await bus.barrier()
    }
}

extension InMemoryBus {
    /// Returns when every delivery that was queued before has been handled.
    func barrier() async {
        await withCheckedContinuation { continuation in
            enqueue { continuation.resume() }
        }
    }
}
