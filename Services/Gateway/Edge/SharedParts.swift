import BusClient
import BusService
import Logging
import Signing
import StoreModels

/// The parts that areas of the API share.
package struct SharedParts: Sendable {
    package let bus: any BusClient
    /// Calls services, and retries safe requests: the gateway is the caller nearest to the client.
    package let services: ServiceCaller
    /// Calls services without retries, for payments. Their client must learn of the first unknown outcome.
    package let payments: ServiceCaller
    package let directories: Directories
    /// The receipt environment.
    package let environment: ReceiptEnvironment
    /// The gateway's address as clients reach it.
    package let address: PublicAddress
    /// The wall clock, for the expiry of sessions and the signatures of apps' servers.
    package let now: @Sendable () -> Timestamp
    package let logger: Logger

    /// Makes the parts that depend on the bus only.
    /// - Parameter now: The wall clock. Tests pass their own.
    package init(
        bus: any BusClient, environment: ReceiptEnvironment, now: @escaping @Sendable () -> Timestamp, logger: Logger
    ) {
        let services = ServiceCaller(bus: bus, caller: "gateway", retries: true)
        self.bus = bus
        self.services = services
        self.payments = ServiceCaller(bus: bus, caller: "gateway")
        self.directories = Directories(bus: bus, services: services, logger: logger)
        self.environment = environment
        self.address = PublicAddress("http://127.0.0.1:\(PublicAddress.defaultPort)")
        self.now = now
        self.logger = logger
    }
}
