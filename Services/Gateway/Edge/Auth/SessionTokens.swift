import BusService
import Cryptography
import FoundationEssentials
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
    package init(key: [UInt8], now: @escaping @Sendable () -> Timestamp = Timestamp.wallClock) {
        precondition(key.count >= 32, "a session key of fewer than 32 bytes can be guessed")
        self.key = SymmetricKey(data: key)
        self.now = now
    }

    /// Issues the token of a session.
    /// - Returns: The token and its expiry.
    package func issue(_ session: Session) throws -> (token: String, expiresAt: Timestamp) {
        let claims = SessionClaims(session)
        return (try sign(claims), claims.expiresAt)
    }

    /// Signs claims.
    func sign(_ claims: SessionClaims) throws -> String {
        let input = try Self.header + Base64URL.encode(StoreJSON.encode(claims))
        return "\(input).\(Base64URL.encode(HMAC<SHA256>.authenticationCode(for: input.utf8, using: key)))"
    }

    /// Verifies a token's header, signature, claims and expiry.
    /// - Throws: ``Rejection``.
    func verify(_ token: String) throws(Rejection) -> Session {
        let known: Verified
        if let earlier = verified.fresh(ExactText(token)) { known = earlier } else { known = try check(token) }
        guard known.expiresAt > now() else { throw Rejection.expired }
        return known.session
    }

    /// Finds the session of a token that was verified earlier and has not expired since.
    func known(_ token: String) -> Session? {
        guard let known = verified.fresh(ExactText(token)), known.expiresAt > now() else { return nil }
        return known.session
    }

    private func check(_ token: String) throws(Rejection) -> Verified {
        guard token.utf8.count <= HTTPLimits.tokenBytesMax, token.utf8.starts(with: Self.header.utf8),
            let parts = Base64URL.parts(ofJWS: token), let end = token.utf8.lastIndex(of: UInt8(ascii: ".")),
            HMAC<SHA256>.isValidAuthenticationCode(parts[2], authenticating: token.utf8[..<end], using: key),
            let claims = try? StoreJSON.decode(SessionClaims.self, from: parts[1]), claims.isOurs
        else { throw .malformed }
        let found = Verified(session: claims.session, expiresAt: claims.expiresAt)
        verified.insert(found, for: ExactText(token))
        return found
    }

    /// The first part of every token, with the period behind it.
    private static let header = Base64URL.encode(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8)) + "."
}

/// A session as the claims of its token:
///
/// ```json
/// {"iss":"storebus","aud":"storebus-session","iat":1795600000,"exp":1795686400,"jti":"s_…","sub":"c_…",
///  "startedAt":"2026-11-21T10:00:00.000Z","bundleId":"com.example.app","account":"alice","deviceId":"alice-1",
///  "client":"app","storefront":"USA","platform":"iOS","promotedPurchases":"delegate","osVersion":"17.4",
///  "appVersion":"1.0","launch":812,"isLaunchPending":false}
/// ```
struct SessionClaims: Codable {
    static let issuer = "storebus"
    static let audience = "storebus-session"
    /// The lifetime in seconds: one day. It is long enough for a test run, and limits the damage of a leaked token.
    static let lifetime: Double = 24 * 60 * 60

    var iss = issuer
    var aud = audience
    /// Seconds since 1970, with milliseconds behind the point.
    var iat: Double
    /// Seconds since 1970, with milliseconds behind the point.
    var exp: Double
    var session: Session

    private enum CodingKeys: String, CodingKey { case iss, aud, iat, exp }

    init(_ session: Session) {
        iat = Double(session.startedAt.milliseconds) / 1000
        exp = iat + Self.lifetime
        self.session = session
    }

    /// Reads the session's members from the same object.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        iss = try container.decode(String.self, forKey: .iss)
        aud = try container.decode(String.self, forKey: .aud)
        iat = try container.decode(Double.self, forKey: .iat)
        exp = try container.decode(Double.self, forKey: .exp)
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

    /// When the token is no longer accepted.
    var expiresAt: Timestamp { Timestamp(Date(timeIntervalSince1970: exp)) }

    /// Whether it is the token of a session. The expiry is checked at each use.
    fileprivate var isOurs: Bool { iss == Self.issuer && aud == Self.audience && exp.isFinite && abs(exp) < 1e12 }
}
