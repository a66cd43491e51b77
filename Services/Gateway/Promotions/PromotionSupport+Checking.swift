import StoreModels

extension PromotionSupport {
    /// - Throws: `promotionUnsupported` where an app cannot handle promoted purchases with `PurchaseIntent` (M59).
    static func checkPurchaseIntent(platform: DeviceLaunch.Platform, osVersion: String) throws(StoreError) {
        guard let reason = purchaseIntentUnsupported(platform: platform, osVersion: osVersion) else { return }
        throw StoreError(.promotionUnsupported, reason)
    }
}
