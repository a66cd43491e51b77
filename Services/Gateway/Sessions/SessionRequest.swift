import StoreHTTP
import StoreModels

extension SessionRequest {
    /// - Throws: `requestInvalid` that names the member; `promotionUnsupported` for `PurchaseIntent` on systems without
    ///   it (M59).
    func validate() throws(StoreError) {
        try Identifier.check(bundleId, as: .bundle, at: "$.bundleId")
        try Identifier.check(deviceId, as: .device, at: "$.deviceId")
        try Identifier.check(account, as: .account, at: "$.account")
        try Identifier.check(osVersion, at: "$.osVersion", lengthMax: 64)
        if let appVersion { try Identifier.check(appVersion, at: "$.appVersion", lengthMax: 64) }
        switch client ?? .app {
        case .app:
            guard appVersion != nil else { throw .invalid("$.appVersion", "is missing") }
            guard promotedPurchases == .purchaseIntent else { return }
            try PromotionSupport.checkPurchaseIntent(platform: platform, osVersion: osVersion)
        case .store:
            guard appVersion == nil else { throw .invalid("$.appVersion", "is not for a session of the store") }
            guard promotedPurchases == nil else {
                throw .invalid("$.promotedPurchases", "is not for a session of the store")
            }
        }
    }
}
