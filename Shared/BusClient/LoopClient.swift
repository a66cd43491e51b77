import BusProtocol
import EventLoop
import Logging

/// The part of a client that lives on the loop: the connection and its output.
package protocol BusConnection: Actor {
    /// A request as it is sent, checked.
    associatedtype Request: Sendable
    /// An event as it is sent, checked.
    associatedtype Event: Sendable

    /// The peer's name in errors: `broker` or `server`.
    static var peerName: String { get }

    /// Checks a message and makes it a request.
    static func request(_ message: BusMessage) throws(BusError) -> Request
    /// Checks a message and makes it an event.
    static func event(_ message: BusMessage) throws(BusError) -> Event

    /// Waiting requests and flushes, connection state and timers.
    var core: BusClientCore { get }
    /// The numbers of the callers' subscriptions, without the inbox.
    var sids: [Int] { get }

    func start()
    func stop()
    func request(_ message: Request, _ token: UInt64, _ waiter: PendingRequests.Waiter, timeout: Duration)
    /// Sends an event, or keeps it for the next connection. Returns the error when it does neither.
    func publish(_ event: Event) -> BusError?
    func subscribe(
        _ sid: Int, _ pattern: SubjectPattern, _ queue: QueueName?, max: Int?, _ waiter: BusClientCore.Waiter,
        _ handler: @escaping @Sendable (BusMessage) -> Void)
    /// Ends a subscription whose caller was cancelled before the acknowledgement.
    func cancelSubscribe(_ sid: Int)
    func unsubscribe(_ sid: Int, _ continuation: CheckedContinuation<Void, Never>)
    func flush(_ number: Int, _ timeout: Duration, _ waiter: BusClientCore.Waiter)
}

/// A client over a connection on a loop. The calls that do not depend on the message format are made here.
package protocol LoopClient: BusClient {
    associatedtype Connection: BusConnection

    /// The connection, confined to `eventLoop`.
    var connection: Connection { get }
    /// The connection's state, readable from any thread.
    var broadcast: StateBroadcast { get }
    /// The loop that runs the connection.
    var eventLoop: UVLoop { get }
    var logger: Logger { get }

    /// Numbers for requests, subscriptions (from 2) and flushes. One sequence serves them all.
    func nextNumber() -> UInt64
}

extension LoopClient {
    package var loop: UVLoop? { eventLoop }
    package var state: BusConnectionState { broadcast.state }
    package var endReason: BusError? { broadcast.endReason }
    package var states: AsyncStream<BusConnectionState> { broadcast.stream() }

    /// Begins to connect. Returns immediately. A second call changes nothing.
    package func start() {
        onLoop { $0.start() }
    }

    package func request(
        _ subject: String, body: [UInt8], headers: BusHeaders, key: String?, timeout: Duration
    ) async throws(BusError) -> BusMessage {
        let message = BusMessage(subject: subject, reply: nil, key: key, headers: headers, body: body)
        return try await exchange(try Connection.request(message), timeout) { .one($0) }.get()
    }

    package func requestMany(
        _ subject: String, body: [UInt8], headers: BusHeaders, max: Int, timeout: Duration
    ) async throws(BusError) -> [BusMessage] {
        let message = BusMessage(subject: subject, reply: nil, headers: headers, body: body)
        return try await exchange(try Connection.request(message), timeout) { .many($0, max: max, replies: []) }.get()
    }

    /// Publishes an event. A caller off the loop gets no error of the connection, which is logged instead.
    package func publish(
        _ subject: String, body: [UInt8], headers: BusHeaders, reply: String?, key: String?
    ) throws(BusError) {
        let event = try Connection.event(
            BusMessage(subject: subject, reply: reply, key: key, headers: headers, body: body))
        if eventLoop.isCurrent {
            if let error = connection.assumeIsolated({ $0.publish(event) }) { throw error }
            return
        }
        if let endReason { throw endReason }
        let logger = self.logger
        onLoop { connection in
            // The connection may be lost, and the buffer full, by the time this runs; an event may get lost.
            if let error = connection.publish(event) {
                logger.warning("an event was dropped", metadata: ["subject": "\(subject)", "error": "\(error)"])
            }
        }
    }

    package func subscribe(
        _ subject: String, queue: String?, max: Int?, handler: @escaping @Sendable (BusMessage) -> Void
    ) async throws(BusError) -> any BusSubscription {
        let (pattern, queueName) = try Self.pattern(subject, queue)
        if let max, !(1...BusLimits.integerMax).contains(max) {
            throw BusError(.invalidMessage, "a subscription ends after 1 delivery or more")
        }
        let sid = Int(nextNumber())
        let result: Result<Void, BusError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                onLoop { $0.subscribe(sid, pattern, queueName, max: max, continuation, handler) }
                if Task.isCancelled { onLoop { $0.cancelSubscribe(sid) } }
            }
        } onCancel: {
            onLoop { $0.cancelSubscribe(sid) }
        }
        try result.get()
        return LoopSubscription(client: self, sid: sid)
    }

    package func flush(timeout: Duration) async throws(BusError) {
        let number = Int(nextNumber())
        let limit = Task {
            guard (try? await eventLoop.sleep(for: timeout)) != nil else { return }
            let error = BusError(.timeout, "the \(Connection.peerName) did not answer within \(timeout)")
            onLoop { $0.core.endFlush(number, .failure(error)) }
        }
        defer { limit.cancel() }
        let cancelled = BusError(.cancelled, "the task was cancelled")
        let result: Result<Void, BusError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                onLoop { $0.flush(number, timeout, continuation) }
                if Task.isCancelled { onLoop { $0.core.endFlush(number, .failure(cancelled)) } }
            }
        } onCancel: {
            onLoop { $0.core.endFlush(number, .failure(cancelled)) }
        }
        try result.get()
    }

    @discardableResult
    package func drain() async -> BusDrainReport {
        let sids = await connection.sids
        let isFlushed = await withTaskGroup(of: Void.self) { group in
            group.addTask {
                // If the peer does not answer, closing releases all waiters below.
                if (try? await eventLoop.sleep(for: BusClientLimits.drainTimeout)) != nil { await close() }
            }
            await withDiscardingTaskGroup { inner in
                for sid in sids { inner.addTask { await unsubscribe(sid) } }
            }
            let isFlushed = (try? await flush(timeout: BusClientLimits.drainTimeout)) != nil
            group.cancelAll()
            return isFlushed
        }
        await close()
        let abandoned = await connection.abandoned
        return BusDrainReport(requests: abandoned.requests, events: abandoned.events, isFlushed: isFlushed)
    }

    package func close() async {
        await connection.stop()
    }

    fileprivate func unsubscribe(_ sid: Int) async {
        await withCheckedContinuation { continuation in
            onLoop { $0.unsubscribe(sid, continuation) }
        }
    }

    /// Runs `work` on the loop, immediately when called on it. Callers on the loop pay no hop.
    package func onLoop(_ work: @escaping @Sendable (isolated Connection) -> Void) {
        if eventLoop.isCurrent {
            connection.assumeIsolated { work($0) }
        } else {
            eventLoop.execute { [connection] in connection.assumeIsolated { work($0) } }
        }
    }

    /// Sends a request and waits for its replies.
    private func exchange<Reply>(
        _ message: Connection.Request, _ timeout: Duration,
        _ waiter: @escaping @Sendable (CheckedContinuation<Result<Reply, BusError>, Never>) -> PendingRequests.Waiter
    ) async -> Result<Reply, BusError> {
        let token = nextNumber()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                onLoop { $0.request(message, token, waiter(continuation), timeout: timeout) }
                // A cancellation that came before the request was there found nothing to cancel.
                if Task.isCancelled { onLoop { $0.core.cancel(token) } }
            }
        } onCancel: {
            onLoop { $0.core.cancel(token) }
        }
    }

    private static func pattern(_ text: String, _ queue: String?) throws(BusError) -> (SubjectPattern, QueueName?) {
        do throws(BusViolation) {
            guard let queue else { return (try SubjectPattern(text), nil) }
            return (try SubjectPattern(text), try QueueName(queue))
        } catch {
            throw BusError(error)
        }
    }
}

extension BusConnection {
    fileprivate var abandoned: (requests: Int, events: Int) { core.abandoned }
}

/// A subscription of a client, across its connections.
private struct LoopSubscription<Client: LoopClient>: BusSubscription {
    let client: Client
    let sid: Int

    func unsubscribe() async { await client.unsubscribe(sid) }
}
