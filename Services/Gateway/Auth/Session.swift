import StoreModels

/// Who a session token speaks for: a customer in one app on one device, through the app itself or the App Store app.
struct Session: Hashable, Sendable {
    enum Client: String, CaseIterable, Sendable, Codable {
        case app
        /// The App Store app on that device: store page and promoted purchases, nothing else.
        case store
    }

    /// New for each `POST /v1/sessions`.
    var identifier: String
    /// When it began, by the gateway's clock: from here on its token counts down.
    var startedAt: Timestamp
    var bundleId: String
    var customerIdentifier: String
    var account: String
    var deviceId: String
    var client: Client
    /// Alpha-3 country code of the account's storefront when the session began; ``AccountDirectory`` knows today's.
    var storefront: String
    var platform: DeviceLaunch.Platform
    var promotedPurchases: DeviceLaunch.PromotedPurchases
    /// Of the device, and of the app; nil of the store, which launches none.
    var osVersion = ""
    var appVersion: String?
    /// PaymentQueue's number of the launch: the largest of an installation is the session that is alive. 0 of the store,
    /// and in tokens of earlier versions, which any launch supersedes.
    var launchNumber: Int64 = 0
    /// PromotionController was away when the session began: it has not heard of the launch, or of the device.
    var isUntold = false

    /// One app on one device, whoever is signed in.
    var installation: Installation { Installation(bundleId: bundleId, deviceId: deviceId) }
    var customer: CustomerReference { CustomerReference(bundleId: bundleId, customerIdentifier: customerIdentifier) }
}

/// One app on one device.
struct Installation: Hashable, Sendable, Codable {
    @ExactText var bundleId: String
    @ExactText var deviceId: String

    var reference: InstallationReference { InstallationReference(bundleId: bundleId, deviceId: deviceId) }
}
