import JWTKit
import StoreHTTP
import StoreModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A session as the claims of its token:
///
/// ```json
/// {"iss":"storebus","aud":"storebus-session","iat":1795600000,"exp":1795686400,"jti":"s_…","sub":"c_…",
///  "startedAt":"2026-11-21T10:00:00.000Z","bundleId":"com.example.app","account":"alice","deviceId":"alice-1",
///  "client":"app","storefront":"USA","platform":"iOS","promotedPurchases":"delegate","osVersion":"17.4",
///  "appVersion":"1.0","launch":812}
/// ```
struct SessionClaims: JWTPayload {
    static let issuer = "storebus"
    static let audience = "storebus-session"
    /// The lifetime in seconds: one day. It is long enough for a test run, and limits the damage of a leaked token.
    static let lifetime: Double = 24 * 60 * 60

    var iss: IssuerClaim
    var aud: AudienceClaim
    var iat: IssuedAtClaim
    var exp: ExpirationClaim
    var jti: IDClaim
    /// The customer's identifier.
    var sub: SubjectClaim
    var startedAt: Timestamp
    var bundleId: String
    var account: String
    var deviceId: String
    var client: Session.Client
    var storefront: String
    var platform: DeviceLaunch.Platform
    var promotedPurchases: DeviceLaunch.PromotedPurchases
    var osVersion: String
    var appVersion: String?
    /// Absent in tokens of the App Store app.
    var launch: Int64?
    /// Absent means false.
    var isUntold: Bool?

    init(_ session: Session) {
        let start = session.startedAt.date
        iss = IssuerClaim(value: Self.issuer)
        aud = AudienceClaim(value: Self.audience)
        iat = IssuedAtClaim(value: start)
        exp = ExpirationClaim(value: start.addingTimeInterval(Self.lifetime))
        jti = IDClaim(value: session.identifier)
        sub = SubjectClaim(value: session.customerIdentifier)
        startedAt = session.startedAt
        bundleId = session.bundleId
        account = session.account
        deviceId = session.deviceId
        client = session.client
        storefront = session.storefront
        platform = session.platform
        promotedPurchases = session.promotedPurchases
        osVersion = session.osVersion
        appVersion = session.appVersion
        launch = session.launchNumber == 0 ? nil : session.launchNumber
        isUntold = session.isLaunchPending ? true : nil
    }

    var session: Session {
        Session(
            identifier: jti.value, startedAt: startedAt, bundleId: bundleId, customerIdentifier: sub.value,
            account: account, deviceId: deviceId, client: client, storefront: storefront, platform: platform,
            promotedPurchases: promotedPurchases, osVersion: osVersion, appVersion: appVersion,
            launchNumber: launch ?? 0, isLaunchPending: isUntold ?? false)
    }

    /// Checks everything but the signature and the expiry. ``SessionTokens`` checks expiry with its own clock, so that
    /// tests can control it. The library would use the wall clock.
    func verify(using algorithm: some JWTAlgorithm) async throws {
        guard iss.value == Self.issuer else { throw SessionTokens.Rejection.malformed }
        try aud.verifyIntendedAudience(includes: Self.audience)
    }
}
