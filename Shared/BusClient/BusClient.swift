import BusProtocol
import EventLoop

/// A connection to the bus: requests with one answer, events without, and subscriptions.
///
/// The implementations behave alike: ``SBPClient`` speaks SBP/1 to a broker, ``InMemoryBus`` joins clients inside one
/// process for tests, and `NATSClient` speaks to a NATS cluster. ``BusCapability`` lists features that only some of
/// them support. All methods may be called from any task. Code that already runs on `loop` pays no thread hop.
package protocol BusClient: Sendable {
    /// The loop that handlers are called on. It is nil for an ``InMemoryBus`` made without a loop. Give it to
    /// `Task(executorPreference:)` to keep work on the connection's thread.
    var loop: UVLoop? { get }

    /// The capabilities of this bus beyond the promises made here.
    var capabilities: Set<BusCapability> { get }

    /// Sends a request and waits for its one answer.
    ///
    /// Never buffered: without a connection it fails immediately. A request in flight fails at the instant of the
    /// disconnect, with the outcome unknown. Cancelling the task abandons the request. A late answer is dropped.
    ///
    /// - Parameters:
    ///   - key: Requests with the same key go to the same member of the queue group, at most 128 bytes.
    ///   - timeout: Time until the caller gets `timeout`. Services get theirs by `Sb-Timeout`.
    /// - Returns: The answer, error replies of services (`Nats-Service-Error`) included.
    /// - Throws: `timeout`, `noResponders` (no subscriber, so nothing was done), `overloaded` (every subscriber is
    ///   overloaded, so nothing was done), `disconnected`, `takerLost`, `closed`, `cancelled`, `permissionDenied`,
    ///   `payloadTooLarge`, `invalidSubject`, `invalidMessage`, `tooManyRequests`.
    func request(
        _ subject: String, body: [UInt8], headers: BusHeaders, key: String?, timeout: Duration
    ) async throws(BusError) -> BusMessage

    /// Sends a request and collects the replies of all subscribers, as discovery does.
    ///
    /// - Parameters:
    ///   - max: Returns when this many have come.
    ///   - timeout: Returns then with the answers that have come.
    /// - Returns: At least one answer unless the time ran out.
    /// - Throws: As ``request(_:body:headers:key:timeout:)``, without `timeout`.
    func requestMany(
        _ subject: String, body: [UInt8], headers: BusHeaders, max: Int, timeout: Duration
    ) async throws(BusError) -> [BusMessage]

    /// Publishes without waiting. While disconnected up to 1 MiB is kept and sent after the next connect, so an event
    /// is delivered at most once and possibly never.
    ///
    /// A caller outside `loop` does not get `bufferFull`: an ``SBPClient`` drops the event then and logs it.
    ///
    /// - Throws: `closed` or the final reason, `bufferFull`, `payloadTooLarge`, `invalidSubject`, `invalidMessage`.
    func publish(_ subject: String, body: [UInt8], headers: BusHeaders, reply: String?, key: String?) throws(BusError)

    /// Subscribes, and returns when the broker has acknowledged it. Without a connection it waits for one.
    ///
    /// The subscription survives reconnects. Messages published while disconnected are lost to it.
    ///
    /// - Parameters:
    ///   - subject: A pattern: `*` for one token, a final `>` for the rest.
    ///   - queue: Of all subscriptions with the same queue name one gets each message.
    ///   - max: The subscription ends by itself after this many deliveries, from 1. Nil for no maximum.
    ///   - handler: Called on `loop`, in the order of delivery. It must not block. It is released after `unsubscribe`.
    /// - Throws: `permissionDenied`, `invalidSubject`, `invalidMessage` (`max`), `closed`, `authenticationFailed`,
    ///   `cancelled`, `refused`.
    func subscribe(
        _ subject: String, queue: String?, max: Int?, handler: @escaping @Sendable (BusMessage) -> Void
    ) async throws(BusError) -> any BusSubscription

    /// Returns when the broker has handled everything sent before.
    ///
    /// - Throws: `timeout`, `disconnected`, `closed`, `cancelled`.
    func flush(timeout: Duration) async throws(BusError)

    /// A new stream of states that begins with the current one. It ends after `closed`. A reader that falls behind gets
    /// the newest 64 states.
    var states: AsyncStream<BusConnectionState> { get }

    /// The state now. It may have changed by the time the caller reads it.
    var state: BusConnectionState { get }

    /// Why the state is `closed`. Nil before. `authenticationFailed` and `replaced` make reconnecting pointless.
    /// `closed` means that the caller closed the client.
    var endReason: BusError? { get }

    /// Ends all subscriptions, each with its barrier, flushes everything published, then closes. It takes five seconds
    /// at most.
    ///
    /// - Returns: The abandoned requests: a healthy client abandons only the requests it still waits for.
    @discardableResult
    func drain() async -> BusDrainReport

    /// Closes immediately: requests in flight fail with `closed`. Idempotent.
    func close() async
}

extension BusClient {
    /// As ``request(_:body:headers:key:timeout:)`` without affinity.
    package func request(
        _ subject: String, body: [UInt8] = [], headers: BusHeaders = [:], timeout: Duration = .seconds(5)
    ) async throws(BusError) -> BusMessage {
        try await request(subject, body: body, headers: headers, key: nil, timeout: timeout)
    }

    /// As ``publish(_:body:headers:reply:key:)`` for an event.
    package func publish(_ subject: String, body: [UInt8] = [], headers: BusHeaders = [:]) throws(BusError) {
        try publish(subject, body: body, headers: headers, reply: nil, key: nil)
    }

    /// Answers a request. Nothing happens when it asked for no answer.
    package func respond(
        to message: BusMessage, body: [UInt8] = [], headers: BusHeaders = [:]
    ) throws(BusError) {
        guard let reply = message.reply else { return }
        try publish(reply, body: body, headers: headers, reply: nil, key: nil)
    }

    /// As ``subscribe(_:queue:max:handler:)`` until it is unsubscribed, by default outside of any queue group.
    package func subscribe(
        _ subject: String, queue: String? = nil, handler: @escaping @Sendable (BusMessage) -> Void
    ) async throws(BusError) -> any BusSubscription {
        try await subscribe(subject, queue: queue, max: nil, handler: handler)
    }
}

/// The state of a client's connection.
///
/// `connecting → connected → disconnected → connecting → …`, repeated until `closed`.
package enum BusConnectionState: Sendable, Equatable {
    /// No connection yet, or none again.
    case connecting
    /// Signed in, and the broker has taken all subscriptions again.
    case connected
    /// The connection was lost, with the reason. Requests in flight fail with it in the same turn of the loop.
    case disconnected(BusError)
    /// The end, after `close`, `drain` or a final error. The `disconnected` before it carries a final error
    /// (`authenticationFailed`, `replaced`).
    case closed
}

/// The requests that a client gave up when it was drained.
package struct BusDrainReport: Hashable, Sendable {
    /// Requests that still waited for their answer. They have failed with `closed`, and their outcome is unknown.
    package var requests: Int = 0
    /// Events that waited for a connection and were never sent.
    package var events: Int = 0
    /// Whether the bus has acknowledged everything sent before. If not, the last messages may be lost.
    package var isFlushed: Bool

    /// Whether nothing was abandoned.
    package var isClean: Bool { requests == 0 && events == 0 && isFlushed }
}

/// A subscription that was acknowledged. Dropping it does not end it.
package protocol BusSubscription: Sendable {
    /// Ends the subscription. A barrier: messages delivered before are handled, and the handler is not called after
    /// this returns. Idempotent.
    func unsubscribe() async
}

extension BusClient {
    /// Waits until the client is connected, for at most `timeout`. Tools report "cannot reach" with it instead of
    /// waiting indefinitely.
    ///
    /// - Throws: `timeout`, `cancelled`, `closed` (or the final reason, if any), or `tlsFailed`, because the next
    ///   attempt would fail likewise.
    package func waitUntilConnected(timeout: Duration) async throws(BusError) {
        let client = self
        let outcome = await withTaskGroup(of: Result<Void, BusError>?.self) { group in
            group.addTask { await client.firstConnection() }
            group.addTask {
                try? await Task.sleep(for: timeout)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        guard let outcome else {
            if Task.isCancelled { throw BusError(.cancelled, "the task was cancelled while waiting for the bus") }
            throw BusError(.timeout, "no connection to the bus within \(timeout)")
        }
        try outcome.get()
    }

    private func firstConnection() async -> Result<Void, BusError>? {
        for await state in states {
            if state == .connected { return .success(()) }
            if case .disconnected(let error) = state, error.code == .tlsFailed { return .failure(error) }
        }
        // The stream ends with the client, and early only for a cancelled task.
        return endReason.map { .failure($0) }
    }
}
