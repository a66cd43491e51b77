import BusService
import Crypto
import JWTKit
import Signing
import StoreModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Issues and verifies session tokens: JWTs signed with HMAC-SHA256. They are stateless, so any gateway with the same
/// key accepts them.
///
/// The header of a token must be exactly `{"alg":"HS256","typ":"JWT"}`: no other algorithm and no key identifier is
/// ever considered, which rules out algorithm confusion (S2).
struct SessionTokens: Sendable {
    enum Rejection: Error {
        case malformed
        case expired
    }

    private let keys: JWTKeyCollection
    /// Maximum number of cached tokens, a few megabytes.
    private static let verifiedMax = 8192

    /// Recently verified tokens, so that a signature is not verified with every request. The whole token is the key: a
    /// token that differs in one byte is verified. Expiry is checked on each use.
    private let verified = ExpiringCache<ExactText, SessionClaims>(max: verifiedMax)
    private let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - key: At least 32 bytes.
    ///   - now: The wall clock; tests pass their own.
    init(key: [UInt8], now: @escaping @Sendable () -> Timestamp = Timestamp.wallClock) async {
        precondition(key.count >= 32, "a session key of fewer than 32 bytes can be guessed")
        keys = JWTKeyCollection()
        await keys.add(hmac: HMACKey(from: Data(key)), digestAlgorithm: .sha256)
        self.now = now
    }

    /// - Returns: The token and its expiry.
    func issue(_ session: Session) async throws -> (token: String, expiresAt: Timestamp) {
        let claims = SessionClaims(session)
        let token = try await keys.sign(claims, header: Self.header)
        return (token, Timestamp(claims.exp.value))
    }

    /// - Throws: ``Rejection``, or the library's error for a bad signature.
    func verify(_ token: String) async throws -> Session {
        let claims = try await claims(token)
        guard Timestamp(claims.exp.value) > now() else { throw Rejection.expired }
        return claims.session
    }

    private func claims(_ token: String) async throws -> SessionClaims {
        if let claims = verified.fresh(ExactText(token)) { return claims }
        guard token.utf8.count <= HTTPLimits.tokenBytesMax, let dot = token.firstIndex(of: "."),
            Self.isOurHeader(token[..<dot])
        else { throw Rejection.malformed }
        let claims = try await keys.verify(token, as: SessionClaims.self)
        verified.insert(claims, for: ExactText(token))
        return claims
    }

    private static let header: JWTHeader = ["alg": .string("HS256"), "typ": .string("JWT")]

    private static func isOurHeader(_ encoded: Substring) -> Bool {
        guard let bytes = Base64URL.decode(encoded), let value = try? StrictJSON.parse(bytes) else { return false }
        return value == .object(["alg": "HS256", "typ": "JWT"])
    }
}
