import BusService
import Persistence
import StoreModels

/// Handles `overrides.getMany`, `order.put` and `visibility.put`: devices' overrides in an app (M87–M105).
///
/// Every read comes from the database and every write locks the row, so that a read after a write's reply sees the
/// write, on any replica (M1).
struct OverrideService: Sendable {
    let database: any SQLDatabase

    /// Reads the overrides of devices in one snapshot. They are empty for an unknown device.
    /// - Returns: Those of the first ones, at least one, as many as fit a reply.
    /// - Throws: `requestInvalid` for too many installations.
    func getMany(_ batch: OverridesBatch) async throws -> OverridesBatchReply {
        try batch.validate()
        let promotions = try await database.read { reader in
            var promotions: [DevicePromotions] = []
            for installation in batch.installations {
                promotions.append(try await InstallationRepository.promotions(of: installation, in: reader))
            }
            return promotions
        }
        return OverridesBatchReply(
            promotions: try ReplyBudget.fitting(promotions) { device in
                // Most devices have no override, and are a few words then.
                device.overrides == PromotionOverrides()
                    ? Self.bytesWithoutOverrides : try StoreJSON.encode(device).count
            })
    }

    /// Maximum bytes of a device's JSON without overrides.
    private static let bytesWithoutOverrides = 1024

    /// Sets a device's order of promoted products.
    /// - Returns: The device's current overrides.
    /// - Throws: `appNeverLaunched`, `promotionUnsupported`, or `requestInvalid` for too many or repeated products.
    func putOrder(_ request: PutPromotionOrderRequest) async throws -> PromotionOverrides {
        try DeviceRules.check(order: request.productIdentifiers)
        return try await change(InstallationReference(bundleId: request.bundleId, deviceId: request.deviceId)) {
            $0.order = request.productIdentifiers
        }
    }

    /// Sets a promoted product's visibility on a device.
    /// - Returns: The device's current overrides.
    /// - Throws: `appNeverLaunched`, `promotionUnsupported`, or `requestInvalid` for one product too many.
    func putVisibility(_ request: PutPromotionVisibilityRequest) async throws -> PromotionOverrides {
        let installation = InstallationReference(bundleId: request.bundleId, deviceId: request.deviceId)
        try StoreError.checkIdentifier(request.productIdentifier, .product, "productIdentifier")
        return try await change(installation) { overrides throws(StoreError) in
            overrides.visibility[request.productIdentifier] =
                request.visibility == .default ? nil : request.visibility
            guard overrides.visibility.count <= PromotionOverrides.visibilityMax else {
                throw DeviceRules.invalid(
                    "$.productIdentifier",
                    "a device has a visibility of its own for at most \(PromotionOverrides.visibilityMax) products")
            }
        }
    }

    private func change(
        _ installation: InstallationReference,
        _ change: @escaping @Sendable (inout PromotionOverrides) throws(StoreError) -> Void
    ) async throws -> PromotionOverrides {
        try await database.write { transaction in
            if let reason = try await DeviceRepository.find(installation.device, in: transaction)?.unsupported {
                throw StoreError(.promotionUnsupported, reason)
            }
            guard let installed = try await InstallationRepository.lock(installation, in: transaction),
                installed.isLaunched
            else {
                throw StoreError(
                    .appNeverLaunched, "'\(installation.bundleId)' was never launched on '\(installation.deviceId)'")
            }
            var overrides = installed.overrides
            try change(&overrides)
            try await InstallationRepository.setOverrides(overrides, of: installation, in: transaction)
            return overrides
        }
    }
}
