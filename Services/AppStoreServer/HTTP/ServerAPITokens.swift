import JWTKit
import Signing
import StoreHTTP
import StoreModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Verifies the tokens of App Store Server API clients: JWTs that an app's server signs with its In-App Purchase key.
///
/// The key decides which app a token is for. With a key of the account the token's `bid` does. It is ES256 only, with a
/// short life by the wall clock.
struct ServerAPITokens: Sendable {
    /// The reason why a token is refused, written for the developer of the server.
    struct Rejection: Error {
        let reason: String
        /// Whether the request has no bearer token. The challenge then names no error (RFC 6750 §3.1).
        var isMissing = false
    }

    /// Maximum size of a token, in bytes. A longer one is rejected without parsing.
    static let tokenBytesMax = 4 * 1024
    /// The most seconds between issue and expiry.
    static let lifetimeMax: Int64 = 60 * 60
    /// The seconds that a server's clock may differ.
    static let leeway: Int64 = 60
    static let audience = "appstoreconnect-v1"

    private struct Header {
        let keyIdentifier: String

        /// - Returns: Nil unless the header names ES256 and a key, and demands no extension.
        init?(_ bytes: [UInt8]) {
            guard let value = try? StrictJSON.parse(bytes), value["alg"]?.stringValue == "ES256",
                value["crit"] == nil, let keyIdentifier = value["kid"]?.stringValue
            else { return nil }
            self.keyIdentifier = keyIdentifier
        }
    }

    private struct Claims: JWTPayload {
        var iss: IssuerClaim
        var aud: AudienceClaim
        var iat: IssuedAtClaim?
        var exp: ExpirationClaim
        var bid: String

        func verify(using algorithm: some JWTAlgorithm) {}
    }

    let keys: KeyStore
    let apps: ServerApps
    /// The wall clock.
    let now: @Sendable () -> Timestamp

    /// Finds the key that has signed a token. A key of the account gets the token's app.
    /// - Throws: ``Rejection``, or `serviceUnavailable` when the keys cannot be read.
    func key(of token: String) async throws -> AppKeyRecord {
        guard token.utf8.count <= Self.tokenBytesMax, let parts = Base64URL.parts(ofJWS: token),
            let header = Header(parts[0])
        else { throw Rejection(reason: "the token is not a JWT with alg ES256 and a kid") }
        guard var key = try await keys.find(FindAppKeyRequest(keyIdentifier: header.keyIdentifier)).key,
            key.kind == .inAppPurchase,
            let pem = key.publicKey
        else {
            throw Rejection(reason: "its kid is not the identifier of an inAppPurchase key, or the key was deleted")
        }
        let claims = try await verified(token, with: pem, header.keyIdentifier)
        guard claims.iss.value.isExactly(try await apps.issuerId()) else {
            throw Rejection(reason: "its iss is not this store's issuerId")
        }
        guard claims.aud.value.contains(where: Self.audience.isExactly) else {
            throw Rejection(reason: "its aud is not \(Self.audience)")
        }
        if key.isAccounts {
            // No app inside an isolated store has such a name.
            guard IdentifierRule.bundle.fault(in: claims.bid) == nil else {
                throw Rejection(reason: "its bid is not the bundle identifier of an app")
            }
            key.bundleId = claims.bid
        }
        let bundleId = IsolatedApp.shown(key.bundleId)
        guard claims.bid.isExactly(bundleId) else {
            throw Rejection(reason: "its bid is not the app of its key, \(bundleId)")
        }
        try check(claims)
        return key
    }

    private func verified(_ token: String, with pem: String, _ keyIdentifier: String) async throws -> Claims {
        // One key of one kind, so that no other can be tried.
        let collection = JWTKeyCollection()
        await collection.add(ecdsa: try ES256PublicKey(pem: pem), kid: JWKIdentifier(string: keyIdentifier))
        do {
            return try await collection.verify(token, as: Claims.self, iteratingKeys: false)
        } catch {
            throw Rejection(reason: "its signature is not the key's, or iss, aud, exp or bid is missing")
        }
    }

    /// Checks the life of a token. Apple's Python library sends no `iat`.
    private func check(_ claims: Claims) throws(Rejection) {
        let now = now().milliseconds / 1000
        let expiry = Int64(clamping: claims.exp.value.timeIntervalSince1970)
        guard expiry > now - Self.leeway else { throw Rejection(reason: "it has expired by this machine's clock") }
        let issued = claims.iat.map { Int64(clamping: $0.value.timeIntervalSince1970) }
        if let issued, issued > now + Self.leeway {
            throw Rejection(reason: "its iat is in the future by this machine's clock")
        }
        guard expiry - (issued ?? now + Self.leeway) <= Self.lifetimeMax else {
            throw Rejection(reason: "its exp is more than an hour after its iat")
        }
    }
}

extension Int64 {
    /// The whole seconds of a number of seconds, at the bounds for one that does not fit.
    fileprivate init(clamping seconds: Double) {
        self = seconds.isNaN ? 0 : Int64(exactly: seconds.rounded(.down)) ?? (seconds < 0 ? .min / 2 : .max / 2)
    }
}
