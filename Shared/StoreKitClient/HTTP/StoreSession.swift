internal import StoreModels

/// What the store answers to a launch: `{"token":"…","expiresAt":"…","storefront":{…},"canMakePayments":true}`.
struct StoreSession: Decodable, Sendable {
    /// Never logged.
    var token: String
    var storefront: Storefront
    var canMakePayments: Bool
}

/// The body of `POST /v1/sessions`.
struct SessionRequest: Encodable, Sendable {
    var bundleId: String
    var deviceId: String
    var account: String
    var platform: String
    var osVersion: String
    var appVersion: String
    var storefront: String?
    /// How the app handles promoted purchases.
    var promotedPurchases: DeviceLaunch.PromotedPurchases

    init(_ connection: StoreConnection, _ handler: DeviceLaunch.PromotedPurchases) {
        bundleId = connection.bundleId
        deviceId = connection.deviceId
        account = connection.account
        platform = connection.platform.rawValue
        osVersion = connection.osVersion
        appVersion = connection.appVersion
        storefront = connection.storefront
        promotedPurchases = handler
    }
}
