import BusService
import Persistence
import StoreModels

/// Answers PromotionController's subjects.
package struct PromotionHandlers: Sendable {
    private let devices: DeviceRepository
    private let services: ServiceCaller
    private let now: @Sendable () -> Timestamp

    /// - Parameter now: when a device was seen, by the wall clock: it is a fact of operations, not of business.
    package init(
        database: SQLiteDatabase, services: ServiceCaller, now: @escaping @Sendable () -> Timestamp = Timestamp.wallClock
    ) {
        self.devices = DeviceRepository(database: database)
        self.services = services
        self.now = now
    }

    /// The schema of PromotionController's database.
    package static var migrations: [Migration] { DeviceRepository.migrations }

    /// Makes `service` answer `sb.promotion.v1.…`.
    package func register(on service: BusService) {
        service.handle(PromotionEndpoints.deviceLaunched, launched)
        service.handle(PromotionEndpoints.listPromotions, list)
    }

    @Sendable private func launched(_ launch: DeviceLaunch, _ context: RequestContext) async throws -> Empty {
        try await devices.recordLaunch(launch, at: now())
        return Empty()
    }

    /// The operator's order, which is the catalogue's until the operator makes another (M70).
    /// - Throws: `serviceUnavailable` or `deadlineExceeded` when Catalog does not answer.
    @Sendable private func list(_ request: PromotionsRequest, _ context: RequestContext) async throws -> PromotionsReply {
        let query = PromotedProductsRequest(bundleId: request.bundleId, storefront: request.storefront)
        let promoted = try await services.call(CatalogEndpoints.listPromotions, query, context: context.callContext)
        return PromotionsReply(products: promoted.products)
    }
}
