import EventLoop
import Logging
import Synchronization

/// The client of Storebus's own broker: SBP/1 over one TCP connection on a libuv loop.
///
/// ```swift
/// let bus = SBPClient(configuration: .init(url: url, name: "catalog"), loop: loop, logger: logger)
/// bus.start()                                   // connects, and again after every loss, until `close` or `drain`
/// let reply = try await bus.request("sb.catalog.v1.products.get", body: body)
/// ```
/// Requests share one private inbox subscription, made anew on each connection. Must be closed before its loop.
package final class SBPClient: LoopClient {
    package let connection: SBPConnection
    package let broadcast = StateBroadcast()
    package let eventLoop: UVLoop
    package let logger: Logger
    private let numbers = Atomic<UInt64>(UInt64(BusClientCore.inboxSid))

    /// Creates a client, which ``start()`` connects.
    package init(configuration: Configuration, loop: UVLoop, logger: Logger) {
        eventLoop = loop
        self.logger = logger
        connection = SBPConnection(configuration, loop: loop, broadcast: broadcast, logger: logger)
    }

    /// Every capability there is.
    package var capabilities: Set<BusCapability> { Set(BusCapability.allCases) }

    package func nextNumber() -> UInt64 { numbers.wrappingAdd(1, ordering: .relaxed).newValue }
}
