import Cryptography
import StoreHTTP
import StoreModels

/// A customer's session in one app on one device, as its token describes it.
package struct Session: Hashable, Sendable, Codable {
    package typealias Client = SessionRequest.Client

    /// The identifier, new for each `POST /v1/sessions`.
    package var identifier: String
    /// The start time by the gateway's clock, from which the token's lifetime is counted.
    package var startedAt: Timestamp
    package var bundleId: String
    package var customerIdentifier: String
    package var account: String
    package var deviceId: String
    package var client: Client
    /// The ISO 3166-1 alpha-3 country code of the storefront when the session began. The current one is in
    /// ``AccountDirectory``.
    package var storefront: String
    package var platform: DeviceLaunch.Platform
    package var promotedPurchases: DeviceLaunch.PromotedPurchases
    /// The version of the device's system.
    package var osVersion: String
    /// The app's version. Nil for a session of the App Store app, which launches no app.
    package var appVersion: String?
    /// PaymentQueue's launch number. The current session of an installation has the largest.
    ///
    /// The App Store app has 0.
    package var launchNumber: Int64
    /// Whether PromotionController was away when the session began. Then it does not know the launch.
    package var isLaunchPending: Bool

    /// Begins a session whose launch PromotionController knows.
    package init(
        identifier: String, startedAt: Timestamp, bundleId: String, customerIdentifier: String, account: String,
        deviceId: String, client: Client, storefront: String, platform: DeviceLaunch.Platform,
        promotedPurchases: DeviceLaunch.PromotedPurchases, osVersion: String = "", appVersion: String? = nil,
        launchNumber: Int64 = 0, isLaunchPending: Bool = false
    ) {
        self.identifier = identifier
        self.startedAt = startedAt
        self.bundleId = bundleId
        self.customerIdentifier = customerIdentifier
        self.account = account
        self.deviceId = deviceId
        self.client = client
        self.storefront = storefront
        self.platform = platform
        self.promotedPurchases = promotedPurchases
        self.osVersion = osVersion
        self.appVersion = appVersion
        self.launchNumber = launchNumber
        self.isLaunchPending = isLaunchPending
    }

    /// The names of the members in the token. JWT has names for two of them.
    private enum CodingKeys: String, CodingKey {
        case identifier = "jti", customerIdentifier = "sub", launchNumber = "launch"
        case startedAt, bundleId, account, deviceId, client, storefront, platform, promotedPurchases, osVersion
        case appVersion, isLaunchPending
    }

    /// The app on the device, independent of the account that is signed in.
    package var installation: AppInstallation { AppInstallation(bundleId: bundleId, deviceId: deviceId) }
    /// The customer, as services name it.
    package var customer: CustomerReference {
        CustomerReference(bundleId: bundleId, customerIdentifier: customerIdentifier)
    }
}

/// One app on one device.
package struct AppInstallation: Hashable, Sendable, Codable {
    @ExactText package var bundleId: String
    @ExactText package var deviceId: String

    package var reference: InstallationReference { InstallationReference(bundleId: bundleId, deviceId: deviceId) }

    /// The UUID that signed data is bound to on this device, in lower case.
    ///
    /// It is a digest, so all gateways know it, and isolated stores of equal seeds have equal ones.
    package var verificationIdentifier: String {
        let names = Array(IsolatedApp.shown(bundleId).utf8) + [0] + Array(deviceId.utf8)
        return UUIDText.make(SHA256.hash(data: names), version: 8)
    }
}
