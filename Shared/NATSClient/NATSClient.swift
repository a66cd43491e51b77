import BusClient
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

    package func nextNumber() -> UInt64 { numbers.wrappingAdd(1, ordering: .relaxed).newValue }
}
