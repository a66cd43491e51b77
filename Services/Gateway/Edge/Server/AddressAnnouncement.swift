import BusService
import EventLoop
import Logging
import ServiceLifecycle
import StoreModels

/// The address at which clients reach the gateway. It is known when the gateway listens.
package final class PublicAddress: Sendable {
    /// The gateway's default port.
    package static let defaultPort = 7430

    private let url: Locked<String>

    /// - Parameter url: The address until ``set(_:)``.
    init(_ url: String) { self.url = Locked(url) }

    /// The address, without a slash at its end.
    package var current: String { url.withLock { $0 } }

    func set(_ url: String) { self.url.withLock { $0 = url } }
}

/// Tells AppStoreServer the gateway's address, which certificates name, until it has confirmed.
package struct AddressAnnouncement: Service {
    /// The pause after a request that was not confirmed.
    private static let pause = Duration.milliseconds(100)
    /// How long the gateway is not ready yet, for the confirmation. Certificates of a ready store name its address.
    private static let readyAfter = Duration.seconds(2)

    let address: PublicAddress
    let services: ServiceCaller
    let logger: Logger
    /// An address that AppStoreServer has not confirmed in time.
    private let late = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1))

    /// Makes the service. ``begin(at:)`` gives it the address.
    package init(address: PublicAddress, services: ServiceCaller, logger: Logger) {
        self.address = address
        self.services = services
        self.logger = logger
    }

    /// Sets the address and tells it. Without AppStoreServer it returns after two seconds, and ``run()`` goes on.
    package func begin(at url: String) async {
        address.set(url)
        if await !tell(url, until: .now + Self.readyAfter) { late.continuation.yield(url) }
    }

    /// Repeats an announcement that was not confirmed in time.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            for await url in late.stream {
                while !Task.isCancelled, await !tell(url, until: .now + Self.readyAfter) {}
            }
        }
    }

    /// - Returns: Whether AppStoreServer has confirmed the address.
    private func tell(_ url: String, until end: ContinuousClock.Instant) async -> Bool {
        let context = CallContext(deadline: end)
        repeat {
            do {
                _ = try await services.call(SigningEndpoints.putAddress, StoreAddress(url: url), context: context)
                return true
            } catch {
                logger.debug("the address is not known to app-store-server yet", metadata: ["error": "\(error)"])
                try? await Task.sleep(for: Self.pause)
            }
        } while !Task.isCancelled && .now < end
        return false
    }
}
