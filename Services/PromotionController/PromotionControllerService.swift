import BusService
import Persistence
import ServiceDatabase
import ServiceLifecycle
import StoreModels

/// Devices and store pages as a service: its endpoints on the bus, and the database that closes after them.
package final class PromotionControllerService: ServiceLifecycle.Service {
    /// The schema of its database.
    package static var migrations: [Migration] { DeviceRepository.migrations }

    private let database: any SQLDatabase
    private let devices: DeviceRepository
    private let services: ServiceCaller
    private let now: @Sendable () -> Timestamp

    /// - Parameter now: when a device was seen, by the wall clock: it is a fact of operations, not of business.
    package init(
        database: any SQLDatabase, services: ServiceCaller,
        now: @escaping @Sendable () -> Timestamp = Timestamp.wallClock
    ) {
        self.database = database
        self.devices = DeviceRepository(database: database)
        self.services = services
        self.now = now
    }

    /// Makes `service` answer `sb.promotion.v1.…`; before it runs.
    package func register(on service: BusService) {
        service.handle(PromotionEndpoints.deviceLaunched) { [self] launch, _ in try await launched(launch) }
        service.handle(PromotionEndpoints.listPromotions) { [self] request, context in
            try await list(request, context.callContext)
        }
        service.healthCheck(of: database)
    }

    /// Waits for the end, which comes after the endpoints', and closes the database.
    package func run() async throws {
        try? await gracefulShutdown()
        await database.close()
    }

    private func launched(_ launch: DeviceLaunch) async throws -> Empty {
        do {
            try await devices.recordLaunch(launch, at: now())
            return Empty()
        } catch let error as PersistenceError where error.isRetryable || error.code == .outcomeUnknown {
            // Telling of the launch again does no harm.
            throw StoreError(.serviceUnavailable, "the launch could not be stored: \(error.message)")
        }
    }

    /// The operator's order, which is the catalogue's until the operator makes another (M70).
    /// - Throws: `serviceUnavailable` or `deadlineExceeded` when Catalog does not answer.
    private func list(_ request: PromotionsRequest, _ context: CallContext) async throws -> PromotionsReply {
        let query = PromotedProductsRequest(bundleId: request.bundleId, storefront: request.storefront)
        let promoted = try await services.call(CatalogEndpoints.listPromotions, query, context: context)
        return PromotionsReply(products: promoted.products)
    }
}
