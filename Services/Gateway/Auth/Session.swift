import StoreHTTP
import StoreModels

/// A customer's session in one app on one device, as its token describes it.
struct Session: Hashable, Sendable, Codable {
    typealias Client = SessionRequest.Client

    /// The identifier, new for each `POST /v1/sessions`.
    var identifier: String
    /// The start time by the gateway's clock, from which the token's lifetime is counted.
    var startedAt: Timestamp
    var bundleId: String
    var customerIdentifier: String
    var account: String
    var deviceId: String
    var client: Client
    /// The ISO 3166-1 alpha-3 country code of the storefront when the session began. The current one is in
    /// ``AccountDirectory``.
    var storefront: String
    var platform: DeviceLaunch.Platform
    var promotedPurchases: DeviceLaunch.PromotedPurchases
    /// The version of the device's system.
    var osVersion = ""
    /// The app's version. Nil for a session of the App Store app, which launches no app.
    var appVersion: String?
    /// PaymentQueue's launch number. The current session of an installation has the largest.
    ///
    /// The App Store app has 0.
    var launchNumber: Int64 = 0
    /// Whether PromotionController was away when the session began. Then it does not know the launch.
    var isLaunchPending = false

    /// The names of the members in the token. JWT has names for two of them.
    private enum CodingKeys: String, CodingKey {
        case identifier = "jti", customerIdentifier = "sub", launchNumber = "launch"
        case startedAt, bundleId, account, deviceId, client, storefront, platform, promotedPurchases, osVersion
        case appVersion, isLaunchPending
    }

    /// The app on the device, independent of the account that is signed in.
    var installation: AppInstallation { AppInstallation(bundleId: bundleId, deviceId: deviceId) }
    var customer: CustomerReference { CustomerReference(bundleId: bundleId, customerIdentifier: customerIdentifier) }
}

/// One app on one device.
struct AppInstallation: Hashable, Sendable, Codable {
    @ExactText var bundleId: String
    @ExactText var deviceId: String

    var reference: InstallationReference { InstallationReference(bundleId: bundleId, deviceId: deviceId) }
}
