import BusClient
import BusProtocol
import EventLoop
import Logging
import Synchronization

/// The client of a NATS cluster, through libnats. It makes ``BusClient``'s promises with what NATS has for them.
///
/// ```swift
/// let bus = NATSClient(configuration: .init(url: url, name: "catalog"), loop: loop, logger: logger)
/// bus.start()                                   // connects, and again after every loss, until `close` or `drain`
/// let reply = try await bus.request("sb.catalog.v1.products.get", body: body)
/// ```
/// Requests share one inbox subscription. Must be closed before its loop. What NATS cannot do: `docs/nats.md`.
package final class NATSClient: BusClient {
    private let core: NATSCore
    private let broadcast = StateBroadcast()
    private let eventLoop: UVLoop
    private let logger: Logger
    /// Numbers for requests, subscriptions (from 2) and flushes; one sequence serves them all.
    private let numbers = Atomic<UInt64>(UInt64(NATSCore.inboxSid))

    /// Creates a client; ``start()`` connects it.
    package init(configuration: Configuration, loop: UVLoop, logger: Logger) {
        eventLoop = loop
        self.logger = logger
        core = NATSCore(configuration, loop: loop, broadcast: broadcast, logger: logger)
    }

    /// The loop the client was created with.
    package var loop: UVLoop? { eventLoop }
    /// Credentials only: NATS has no affinity keys and reports no lost members.
    package var capabilities: Set<BusCapability> { [.authentication] }
    /// As ``BusClient/state``.
    package var state: BusConnectionState { broadcast.state }
    /// As ``BusClient/endReason``.
    package var endReason: BusError? { broadcast.endReason }
    /// As ``BusClient/states``; each access makes a stream of its own.
    package var states: AsyncStream<BusConnectionState> { broadcast.stream() }

    /// Begins to connect. Returns immediately; a second call changes nothing.
    package func start() {
        onLoop { $0.handle(.start) }
    }

    package func request(
        _ subject: String, body: [UInt8], headers: BusHeaders, key: String?, timeout: Duration
    ) async throws(BusError) -> BusMessage {
        let message = try NATSOutgoing(subject: subject, key: key, headers: headers, body: body)
        return try await exchange(message, timeout) { .one($0) }.get()
    }

    package func requestMany(
        _ subject: String, body: [UInt8], headers: BusHeaders, max: Int, timeout: Duration
    ) async throws(BusError) -> [BusMessage] {
        let message = try NATSOutgoing(subject: subject, headers: headers, body: body)
        return try await exchange(message, timeout) { .many($0, max: max, answers: []) }.get()
    }

    package func publish(
        _ subject: String, body: [UInt8], headers: BusHeaders, reply: String?, key: String?
    ) throws(BusError) {
        let message = try NATSOutgoing(subject: subject, reply: reply, key: key, headers: headers, body: body)
        if eventLoop.isCurrent {
            if let error = core.assumeIsolated({ $0.publish(message) }) { throw error }
            return
        }
        if let endReason { throw endReason }
        let logger = self.logger
        onLoop { core in
            // The connection may be lost, and the buffer full, by the time this runs; an event may get lost.
            if let error = core.publish(message) {
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
        return NATSSubscription(client: self, sid: sid)
    }

    package func flush(timeout: Duration) async throws(BusError) {
        let number = Int(nextNumber())
        let limit = Task {
            guard (try? await eventLoop.sleep(for: timeout)) != nil else { return }
            onLoop { $0.endFlush(number, BusError(.timeout, "the server did not answer within \(timeout)")) }
        }
        defer { limit.cancel() }
        let result: Result<Void, BusError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                onLoop { $0.flush(number, timeout, continuation) }
                if Task.isCancelled { onLoop { $0.endFlush(number, Self.cancelled) } }
            }
        } onCancel: {
            onLoop { $0.endFlush(number, Self.cancelled) }
        }
        try result.get()
    }

    @discardableResult
    package func drain() async -> BusDrainReport {
        let sids = await core.subscriptionsNow()
        let isFlushed = await withTaskGroup(of: Void.self) { group in
            group.addTask {
                // If the server does not answer, closing releases all waiters below.
                if (try? await self.eventLoop.sleep(for: BusClientLimits.drainTimeout)) != nil { await self.close() }
            }
            await withDiscardingTaskGroup { inner in
                for sid in sids { inner.addTask { await self.unsubscribe(sid) } }
            }
            let isFlushed = (try? await flush(timeout: BusClientLimits.drainTimeout)) != nil
            group.cancelAll()
            return isFlushed
        }
        await close()
        let abandoned = await core.abandoned
        return BusDrainReport(requests: abandoned.requests, events: abandoned.events, isFlushed: isFlushed)
    }

    package func close() async {
        await core.stop()
    }

    func unsubscribe(_ sid: Int) async {
        await withCheckedContinuation { continuation in
            onLoop { $0.unsubscribe(sid, continuation) }
        }
    }

    private static let cancelled = BusError(.cancelled, "the task was cancelled")

    private func nextNumber() -> UInt64 { numbers.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Runs `work` on the loop, immediately when called on it. Callers on the loop pay no hop.
    private func onLoop(_ work: @escaping @Sendable (isolated NATSCore) -> Void) {
        if eventLoop.isCurrent {
            core.assumeIsolated { work($0) }
        } else {
            eventLoop.execute { [core] in core.assumeIsolated { work($0) } }
        }
    }

    private func exchange<Answer>(
        _ message: NATSOutgoing, _ timeout: Duration,
        _ waiter: @escaping @Sendable (CheckedContinuation<Result<Answer, BusError>, Never>) -> PendingRequests.Waiter
    ) async -> Result<Answer, BusError> {
        let token = nextNumber()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                onLoop { $0.request(message, token, waiter(continuation), timeout: timeout) }
                // A cancellation that came before the request was there found nothing to cancel.
                if Task.isCancelled { onLoop { $0.cancel(token) } }
            }
        } onCancel: {
            onLoop { $0.cancel(token) }
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

/// A subscription of a ``NATSClient``, across its connections.
struct NATSSubscription: BusSubscription {
    let client: NATSClient
    let sid: Int

    func unsubscribe() async { await client.unsubscribe(sid) }
}
