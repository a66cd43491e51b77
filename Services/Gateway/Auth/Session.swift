import StoreHTTP
import StoreModels

/// The customer a session token represents, in one app on one device. The client is the app or the App Store app.
struct Session: Hashable, Sendable {
    typealias Client = SessionRequest.Client

    /// New for each `POST /v1/sessions`.
    var identifier: String
    /// Start time by the gateway's clock; the token's lifetime is counted from it.
    var startedAt: Timestamp
    var bundleId: String
    var customerIdentifier: String
    var account: String
    var deviceId: String
    var client: Client
    /// Alpha-3 country code of the account's storefront when the session began; ``AccountDirectory`` has the current
    /// one.
    var storefront: String
    var platform: DeviceLaunch.Platform
    var promotedPurchases: DeviceLaunch.PromotedPurchases
    /// Version of the device's system, and of the app. `appVersion` is nil for the store, which launches no app.
    var osVersion = ""
    var appVersion: String?
    /// PaymentQueue's launch number: the largest of an installation is the live session. It is 0 for the store and in
    /// tokens of earlier versions, which any launch supersedes.
    var launchNumber: Int64 = 0
    /// Whether PromotionController was away when the session began. Then it knows neither the launch nor the device.
    var isUntold = false

    /// The app on the device, independent of which account is signed in.
    var installation: Installation { Installation(bundleId: bundleId, deviceId: deviceId) }
    var customer: CustomerReference { CustomerReference(bundleId: bundleId, customerIdentifier: customerIdentifier) }
}

/// One app on one device.
struct Installation: Hashable, Sendable, Codable {
    @ExactText var bundleId: String
    @ExactText var deviceId: String

    var reference: InstallationReference { InstallationReference(bundleId: bundleId, deviceId: deviceId) }
}
