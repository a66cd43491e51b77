import BusService
import EventLoop
import Logging
import ServiceLifecycle
import StoreModels

/// The address at which clients reach the gateway. It is known when the gateway listens.
final class PublicAddress: Sendable {
    private let url: Locked<String>
    private let (changes, changed) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1))

    /// - Parameter url: The address until ``set(_:)``.
    init(_ url: String) { self.url = Locked(url) }

    var current: String { url.withLock { $0 } }

    func set(_ url: String) {
        self.url.withLock { $0 = url }
        changed.yield(url)
    }

    /// The addresses from now on, for one reader.
    var announced: AsyncStream<String> { changes }
}

/// Tells AppStoreServer the gateway's address, which certificates name, until it has confirmed.
struct AddressAnnouncement: Service {
    /// The pause after a request that was not confirmed.
    private static let pause = Duration.seconds(1)

    let address: PublicAddress
    let services: ServiceCaller
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await url in address.announced { await tell(url) }
        }
    }

    private func tell(_ url: String) async {
        while !Task.isCancelled {
            do {
                _ = try await services.call(SigningEndpoints.putAddress, StoreAddress(url: url))
                return
            } catch {
                logger.debug("the address is not known to app-store-server yet", metadata: ["error": "\(error)"])
                try? await Task.sleep(for: Self.pause)
            }
        }
    }
}
