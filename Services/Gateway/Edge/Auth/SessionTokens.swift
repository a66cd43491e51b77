import BusService
import Crypto
import FoundationEssentials
import JWTKit
import Signing
import StoreModels

/// Issues and verifies session tokens: JWTs signed with HMAC-SHA256. They are stateless, so any gateway with the same
/// key accepts them.
///
/// The header of a token must be exactly `{"alg":"HS256","typ":"JWT"}`: no other algorithm and no key identifier is
/// ever considered, which rules out algorithm confusion (S2).
package struct SessionTokens: Sendable {
    enum Rejection: Error {
        case malformed
        case expired
    }

    /// The key of all gateways that accept these tokens.
    package let key: SymmetricKey
    private let keys: JWTKeyCollection
    /// Maximum number of cached tokens, a few megabytes.
    private static let verifiedMax = 8192

    private struct Verified: Sendable {
        let session: Session
        let expiresAt: Timestamp
    }

    /// Recently verified tokens, so that a signature is not verified with every request. The whole token is the key: a
    /// token that differs in one byte is verified. Expiry is checked on each use.
    private let verified = ExpiringCache<ExactText, Verified>(max: verifiedMax)
    private let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - key: At least 32 bytes.
    ///   - now: The wall clock. Tests pass their own.
    package init(key: [UInt8], now: @escaping @Sendable () -> Timestamp = Timestamp.wallClock) async {
        precondition(key.count >= 32, "a session key of fewer than 32 bytes can be guessed")
        self.key = SymmetricKey(data: key)
        keys = JWTKeyCollection()
        await keys.add(hmac: HMACKey(from: Data(key)), digestAlgorithm: .sha256)
        self.now = now
    }

    /// Issues the token of a session.
    /// - Returns: The token and its expiry.
    package func issue(_ session: Session) async throws -> (token: String, expiresAt: Timestamp) {
        let claims = SessionClaims(session)
        let token = try await keys.sign(claims, header: Self.header)
        return (token, Timestamp(claims.exp.value))
    }

    /// Verifies a token's header, signature, claims and expiry.
    /// - Throws: ``Rejection``, or the library's error for a bad signature.
    func verify(_ token: String) async throws -> Session {
        let known: Verified
        if let earlier = verified.fresh(ExactText(token)) { known = earlier } else { known = try await check(token) }
        guard known.expiresAt > now() else { throw Rejection.expired }
        return known.session
    }

    /// Finds the session of a token that was verified earlier and has not expired since.
    func known(_ token: String) -> Session? {
        guard let known = verified.fresh(ExactText(token)), known.expiresAt > now() else { return nil }
        return known.session
    }

    private func check(_ token: String) async throws -> Verified {
        guard token.utf8.count <= HTTPLimits.tokenBytesMax, let parts = Base64URL.parts(ofJWS: token),
            Self.isOurHeader(parts[0])
        else { throw Rejection.malformed }
        let claims = try await keys.verify(token, as: SessionClaims.self)
        let found = Verified(session: claims.session, expiresAt: Timestamp(claims.exp.value))
        verified.insert(found, for: ExactText(token))
        return found
    }

    private static let header: JWTHeader = ["alg": .string("HS256"), "typ": .string("JWT")]

    private static func isOurHeader(_ header: [UInt8]) -> Bool {
        (try? StrictJSON.parse(header)) == .object(["alg": "HS256", "typ": "JWT"])
    }
}

/// A session as the claims of its token:
///
/// ```json
/// {"iss":"storebus","aud":"storebus-session","iat":1795600000,"exp":1795686400,"jti":"s_…","sub":"c_…",
///  "startedAt":"2026-11-21T10:00:00.000Z","bundleId":"com.example.app","account":"alice","deviceId":"alice-1",
///  "client":"app","storefront":"USA","platform":"iOS","promotedPurchases":"delegate","osVersion":"17.4",
///  "appVersion":"1.0","launch":812,"isLaunchPending":false}
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
    var session: Session

    private enum CodingKeys: String, CodingKey { case iss, aud, iat, exp }

    init(_ session: Session) {
        let start = session.startedAt.date
        iss = IssuerClaim(value: Self.issuer)
        aud = AudienceClaim(value: Self.audience)
        iat = IssuedAtClaim(value: start)
        exp = ExpirationClaim(value: start.addingTimeInterval(Self.lifetime))
        self.session = session
    }

    /// Reads the session's members from the same object.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        iss = try container.decode(IssuerClaim.self, forKey: .iss)
        aud = try container.decode(AudienceClaim.self, forKey: .aud)
        iat = try container.decode(IssuedAtClaim.self, forKey: .iat)
        exp = try container.decode(ExpirationClaim.self, forKey: .exp)
        session = try Session(from: decoder)
    }

    func encode(to encoder: any Encoder) throws {
        try session.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(iss, forKey: .iss)
        try container.encode(aud, forKey: .aud)
        try container.encode(iat, forKey: .iat)
        try container.encode(exp, forKey: .exp)
    }

    /// Checks everything but the signature and the expiry. ``SessionTokens`` checks expiry with its own clock, so that
    /// tests can control it. The library would use the wall clock.
    func verify(using algorithm: some JWTAlgorithm) async throws {
        guard iss.value == Self.issuer else { throw SessionTokens.Rejection.malformed }
        try aud.verifyIntendedAudience(includes: Self.audience)
    }
}
