import StoreModels

/// The body of `POST /v1/sessions`:
///
/// ```json
/// {"bundleId":"com.example.app","deviceId":"alice-1","account":"alice","platform":"iOS","osVersion":"17.4",
///  "appVersion":"1.0","storefront":"FRA","promotedPurchases":"delegate"}
/// ```
struct SessionRequest: Decodable {
    var client: Session.Client?
    var bundleId: String
    var deviceId: String
    var account: String
    var platform: DeviceLaunch.Platform
    var osVersion: String
    /// Absent for `client: "store"`, which launches no app.
    var appVersion: String?
    /// Alpha-3; used only when this request creates the account.
    var storefront: String?
    var promotedPurchases: DeviceLaunch.PromotedPurchases?

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

/// The response: `{"token":"…","expiresAt":"…","storefront":{…},"canMakePayments":true,"degraded":[]}`.
struct SessionReply: Encodable {
    var token: String
    var expiresAt: Timestamp
    var storefront: Storefront
    var canMakePayments: Bool
    /// Contains `promotions` when PromotionController was not notified of the launch.
    var degraded: [String]
}
