import BusService
import GatewayEdge
import Logging
import Persistence
import ServiceDatabase
import ServiceLifecycle
import StoreModels

/// Removes isolated stores that are deleted or over. A service that is away delays it, but nothing is lost.
package struct StoreRemover: Service {
    /// The pause between two looks.
    static let interval = Duration.seconds(1)
    /// The time of one request to a service.
    private static let requestTime = Duration.seconds(10)

    private let stores: IsolatedStores
    private let services: ServiceCaller

    /// Makes the service. It looks for stores to remove while it runs.
    package init(stores: IsolatedStores, services: ServiceCaller) {
        self.stores = stores
        self.services = services
    }

    package func run() async throws {
        await BackgroundJob.run([
            .repeating("removal of stores", every: Self.interval, stores.database.commits, stores.logger) {
                let (next, now) = (try await stores.nextRemoval(), stores.now())
                guard let next else { return .untilCommit() }
                guard next <= now else {
                    return .untilCommit(or: .now + .milliseconds(next.milliseconds - now.milliseconds))
                }
                _ = try await removeAll()
                return .interval
            }
        ])
    }

    /// Removes every store that is to be removed and that no other gateway removes.
    /// - Returns: The number of stores that are completely removed.
    func removeAll() async throws -> Int {
        var (last, count): (Int64, Int) = (0, 0)
        while !Task.isCancelled, let app = try await stores.claim(after: last) {
            last = app.number
            do {
                try await remove(app.bundleId)
                try await stores.forget(app)
                count += 1
            } catch {
                stores.logger.debug(
                    "isolated store not removed yet", metadata: ["store": "\(app.store)", "error": "\(error)"])
                try await stores.release(app)
            }
        }
        return count
    }

    /// Has each service remove its data. The keys are first, and then PaymentQueue, so that nothing new happens in the
    /// store.
    private func remove(_ bundleId: String) async throws(StoreError) {
        _ = try await services.call(
            AppKeyEndpoints.removeAll, AppRequest(bundleId: bundleId),
            context: CallContext(deadline: .now + Self.requestTime))
        for endpoint in [
            PaymentEndpoints.removeApp, PromotionEndpoints.removeApp, CatalogEndpoints.removeApp,
            NotificationEndpoints.removeApp,
        ] {
            var isDone = false
            while !isDone {
                isDone = try await services.call(
                    endpoint, RemoveAppRequest(bundleId: bundleId),
                    context: CallContext(deadline: .now + Self.requestTime)
                ).isDone
            }
        }
    }
}
