import BusClient
import BusService
import StoreModels

/// Requests devices' overrides without caching: a page shows the device's settings (M1), through any gateway. Under
/// load simultaneous questions are sent as one batch, after the clients' requests arrived.
typealias OverrideLoader = DataLoader<AllApps, InstallationReference, DevicePromotions>

extension OverrideLoader {
    convenience init(bus: any BusClient, services: ServiceCaller) {
        self.init(
            bus: bus, service: .promotionController, batchMax: OverridesBatch.installationsMax
        ) { (_, installation, context) async throws(StoreError) in
            try await services.call(PromotionEndpoints.getOverrides, installation, context: context)
        } many: { (_, installations, context) async throws(StoreError) in
            let batch = OverridesBatch(installations: installations)
            return try await services.call(PromotionEndpoints.getManyOverrides, batch, context: context).promotions
        }
    }
}
