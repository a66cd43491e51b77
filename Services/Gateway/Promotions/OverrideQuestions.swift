import BusClient
import BusService
import StoreModels

/// Requests devices' overrides without caching: a page shows what the device has set (M1), through any gateway. Under
/// load simultaneous questions are sent as one batch, after the clients' requests arrived.
struct OverrideQuestions: Sendable {
    /// PromotionController answers for all apps.
    private enum Place: Hashable { case all }

    private let gathered: GatheredQuestions<Place, InstallationReference, DevicePromotions>

    init(bus: any BusClient, services: ServiceCaller) {
        gathered = GatheredQuestions(
            bus: bus, service: .promotionController, batchMax: OverridesBatch.installationsMax
        ) { (_, installation, context) async throws(StoreError) in
            try await services.call(PromotionEndpoints.getOverrides, installation, context: context)
        } many: { (_, installations, context) async throws(StoreError) in
            let batch = OverridesBatch(installations: installations)
            return try await services.call(PromotionEndpoints.getManyOverrides, batch, context: context).promotions
        }
    }

    /// Requests the overrides of one device in one app.
    /// - Throws: `serviceUnavailable` or `deadlineExceeded` when PromotionController is away.
    func ask(
        _ installation: InstallationReference, _ context: CallContext
    ) async throws(StoreError) -> DevicePromotions {
        try await gathered.ask(installation, at: .all, context)
    }
}
