import Crypto
import EventLoop
import JWTKit
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
    private let verified = VerifiedSessions()
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
        if let claims = verified[token] { return claims }
        guard token.utf8.count <= HTTPLimits.tokenBytesMax, let dot = token.firstIndex(of: "."),
            Self.isOurHeader(token[..<dot])
        else { throw Rejection.malformed }
        let claims = try await keys.verify(token, as: SessionClaims.self)
        verified.remember(token, claims)
        return claims
    }

    private static let header: JWTHeader = ["alg": .string("HS256"), "typ": .string("JWT")]

    private static func isOurHeader(_ encoded: Substring) -> Bool {
        // Base64url, as JWTs use it: two other digits and no padding.
        var text = String(encoded.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard let bytes = Data(base64Encoded: text), let value = try? StrictJSON.parse(Array(bytes)) else {
            return false
        }
        return value == .object(["alg": "HS256", "typ": "JWT"])
    }
}

/// Cache of recently verified session tokens, so that a signature is not verified with every request.
///
/// The whole token is the key: a token that differs in one byte is not found and is verified. Expiry is checked on each
/// use. The cache is in memory only and bounded.
final class VerifiedSessions: Sendable {
    /// Maximum number of cached tokens, a few megabytes.
    static let countMax = 8192

    private let claims = Locked<[ExactText: SessionClaims]>([:])

    subscript(token: String) -> SessionClaims? { claims.withLock { $0[token] } }

    /// Remembers a verified token. At the bound all are dropped, which costs each one verification and no bookkeeping.
    func remember(_ token: String, _ verified: SessionClaims) {
        claims.withLock { claims in
            if claims.count >= Self.countMax { claims.removeAll(keepingCapacity: true) }
            claims[token] = verified
        }
    }
}
