import StoreModels

/// Sessions of apps and of the App Store app.
package enum SessionRoutes {
    /// Launches an app on a device, or opens the store there.
    ///
    /// It is open to every caller in the sandbox. With STOREBUS_ENVIRONMENT=production it takes an API key of the app:
    /// the app's server opens the session and hands the token to the app.
    package static let open = HTTPEndpoint<SessionRequest, SessionResponse>(
        "openSession", .post, "/v1/sessions", .open,
        urgency: .purchase, tag: "app",
        responses: [
            .created(
                "A token for this customer, app and device. An unknown device, account or installation is created.")
        ], errors: [.notFound, .sessionRefused])
    /// Reads the customer's facts anew, as AppStore.sync() does.
    ///
    /// Nothing is restored or delivered again. While payment-queue is away the request fails, and can be repeated.
    package static let sync = HTTPEndpoint<Empty, NoContent>(
        "sync", .post, "/v1/sync", .app, isBodyOptional: true, errors: [.notFound])
}

/// The body of `POST /v1/sessions`:
///
/// ```json
/// {"bundleId":"com.example.app","deviceId":"alice-1","account":"alice","platform":"iOS","osVersion":"17.4",
///  "appVersion":"1.0","promotedPurchases":"delegate"}
/// ```
///
/// ```json
/// {"client":"store","bundleId":"com.example.app","deviceId":"alice-1","account":"alice","platform":"iOS",
///  "osVersion":"17.4"}
/// ```
package struct SessionRequest: Hashable, Sendable, Codable {
    /// The app that opens a session: the customer's, or the App Store app on the device.
    package enum Client: String, CaseIterable, Hashable, Sendable, Codable { case app, store }

    /// Left out, it is `app`.
    package var client: Client?
    /// The app that is launched, or whose store page is shown.
    package var bundleId: String
    /// The client's name for its device, 1…255 characters.
    package var deviceId: String
    /// The shopper's name, 1…128 characters. An unknown account is created.
    package var account: String
    /// The device's platform. It decides which promotions the device supports.
    package var platform: DeviceLaunch.Platform
    /// At most 64 characters. A version is integers with dots.
    package var osVersion: String
    /// Absent for `client: "store"`, which launches no app.
    package var appVersion: String?
    /// Alpha-3. It is used when this request creates the account. Otherwise it must be the account's own, else 409.
    package var storefront: String?
    /// How the app handles promoted purchases. Left out, it is `none`.
    package var promotedPurchases: DeviceLaunch.PromotedPurchases?
}

/// The response of `POST /v1/sessions`:
///
/// ```json
/// {"token":"eyJhbGciOi","expiresAt":"2026-11-22T10:00:00.000Z",
///  "storefront":{"countryCode":"FRA","identifier":"143442","currency":"EUR"},"canMakePayments":true,
///  "deviceVerificationId":"9b1f3f0e-2f0b-5e0a-8c0e-4f5a1b2c3d4e","environment":"Sandbox","rootCertificate":"MIIB",
///  "degraded":[]}
/// ```
package struct SessionResponse: Hashable, Sendable, Codable {
    /// The bearer token of this customer, app and device. Never logged.
    package var token: String
    /// The wall time from which the gateway refuses the token.
    package var expiresAt: Timestamp
    /// The account's own storefront, not the requested one.
    package var storefront: Storefront
    /// False when the tester's settings forbid payments.
    package var canMakePayments: Bool
    /// A UUID in lower case, the same for all sessions of the app on the device. The signed data of the session is
    /// bound to it: `deviceVerification` is the Base64 of SHA-384 of `deviceVerificationNonce` and this, both in lower
    /// case.
    package var deviceVerificationId: String
    /// The environment that the app's signed data names. Absent while AppStoreServer is away, and for `client:
    /// "store"`.
    package var environment: AppStoreEnvironment?
    /// Base64 of DER: the root that the app's signed data is verified with. In Xcode it is the only certificate of the
    /// data, or another one for the same key. Absent in production, and while AppStoreServer is away.
    package var rootCertificate: String?
    /// Services the response had to do without. It has `promotions` when PromotionController was not notified of the
    /// launch.
    package var degraded: [String]?
}
