import BusClient
import BusProtocol
import EventLoop
import Logging
import Synchronization

/// The client of a NATS cluster, through libnats. It keeps ``BusClient``'s promises with the means of NATS.
///
/// ```swift
/// let bus = NATSClient(configuration: .init(url: url, name: "catalog"), loop: loop, logger: logger)
/// bus.start()                                   // connects, and again after every loss, until `close` or `drain`
/// let reply = try await bus.request("sb.catalog.v1.products.get", body: body)
/// ```
/// Requests share one inbox subscription. Must be closed before its loop. For the limits of NATS, see `docs/nats.md`.
package final class NATSClient: LoopClient {
    package let connection: NATSConnection
    package let broadcast = StateBroadcast()
    package let eventLoop: UVLoop
    package let logger: Logger
    private let numbers = Atomic<UInt64>(UInt64(BusClientCore.inboxSid))

    /// Creates a client, which ``start()`` connects.
    package init(configuration: Configuration, loop: UVLoop, logger: Logger) {
        eventLoop = loop
        self.logger = logger
        connection = NATSConnection(configuration, loop: loop, broadcast: broadcast, logger: logger)
    }

    /// Credentials only: NATS has no affinity keys and reports no lost members.
    package var capabilities: Set<BusCapability> { [.authentication] }

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
        return try await exchange(message, timeout) { .many($0, max: max, replies: []) }.get()
    }

    package func publish(
        _ subject: String, body: [UInt8], headers: BusHeaders, reply: String?, key: String?
    ) throws(BusError) {
        let message = try NATSOutgoing(subject: subject, reply: reply, key: key, headers: headers, body: body)
        try publish(message, to: subject)
    }

    package func nextNumber() -> UInt64 { numbers.wrappingAdd(1, ordering: .relaxed).newValue }
}
