import BusService
import Cryptography
import FoundationEssentials
import Persistence
import Signing
import StoreHTTP
import StoreModels

/// An app's server that may call: its key, and its app's settings and faults.
struct ServerAPIAdmission: Sendable {
    /// The key that has signed the token, with the app of the token in the store of the request.
    var key: AppKeyRecord
    var settings: ServerAPISettings
    /// Whether the operator has ordered faults for the app.
    var hasFaults: Bool
}

extension AppleServer {
    /// Admits the server of an app by its token, with one read.
    /// - Throws: ``ServerAPIToken/Rejection``, or `notFound` for a store of another app than the key's.
    func admission(of request: HTTPExchangeRequest) async throws -> ServerAPIAdmission {
        let token = try ServerAPIToken(authorization: request.authorization)
        let store = request.store.flatMap { IsolatedApp($0) }
        let now = now()
        let found = try await keys.database.read { reader -> (admission: ServerAPIAdmission, issuer: String?)? in
            guard var key = try await KeyStore.find(token.keyIdentifier, at: now, in: reader) else { return nil }
            if key.isAccounts { key.bundleId = token.bundleId ?? "" }
            let bundleId = store?.bundleId ?? key.bundleId
            let fault = try await reader.queryOne(
                "SELECT 1 AS found FROM server_api_fault WHERE bundle_id = ? LIMIT 1", bundleId)
            let admission = ServerAPIAdmission(
                key: key, settings: try await ServerApps.settings(of: bundleId, in: reader), hasFaults: fault != nil)
            return (admission: admission, issuer: try await ServerApps.issuerId(in: reader))
        }
        guard let found else { throw ServerAPIToken.Rejection.unknownKey }
        var admission = found.admission
        try token.verify(admission.key, issuer: found.issuer, now: now)
        guard let store else { return admission }
        let bundleId = admission.key.bundleId
        guard bundleId.isExactly(store.bundleId) || bundleId.isExactly(store.shownBundleId) else {
            throw StoreError(
                .notFound, "the isolated store '\(store.store)' is one of \(store.shownBundleId), not of the key's app")
        }
        admission.key.bundleId = store.bundleId
        return admission
    }

    /// Returns the response that a request gets in place of its handler's. Nil for none.
    /// - Throws: ``ServerAPIError`` that the operator has ordered.
    func obstacle(_ call: ServerCall, _ admission: ServerAPIAdmission) async throws -> ServerReply? {
        let bundleId = admission.key.bundleId
        if admission.key.isAccounts { try await checkApp(bundleId, call) }
        if admission.hasFaults,
            let fault = try await serverAPIFaults.take(of: bundleId, route: call.route.path, path: call.request.path)
        {
            return try meet(fault)
        }
        guard let operation = ServerAPIOperation(call.route.operation),
            let limit = admission.settings.rateLimits?.limit(of: operation),
            let next = try await serverAPIFaults.count(operation, of: bundleId, limit: limit, now: now())
        else { return nil }
        return .rateLimitExceeded(until: next)
    }

    /// Checks the app that a token names, where the key names none. Without Catalog it is taken as it is.
    private func checkApp(_ bundleId: String, _ call: ServerCall) async throws {
        do throws(StoreError) {
            _ = try await services.call(
                CatalogEndpoints.getApp, AppRequest(bundleId: bundleId), context: call.optionalContext)
        } catch {
            if error.code == .notFound {
                throw ServerAPIToken.Rejection(reason: "its bid is not an app of this store")
            }
            guard error.meansAway else { throw error }
        }
    }

    private func meet(_ fault: ServerAPIFault) throws -> ServerReply {
        guard let code = fault.errorCode else { return .ending(fault.outcome == .timeout ? .hold : .close) }
        guard let error = ServerAPIError(code: code) else { throw ServerAPIError.generalInternal }
        guard error != .rateLimitExceeded else { return .rateLimitExceeded(until: now() + .seconds(60)) }
        throw error
    }
}

extension ServerCall {
    /// Returns the calling server's app, when it is in the environment of the host name.
    /// - Throws: `missing` for an app of the other environment, and of Xcode, which has no server.
    func app(else missing: ServerAPIError = .transactionIdNotFound) throws(ServerAPIError) -> ServerApp {
        guard let admission else {
            preconditionFailure("\(route.path) is called without a key, but its handler needs one")
        }
        let app = ServerApp(admission.key.bundleId, admission.settings)
        let selected = AppStoreEnvironment(host: request.host)
        guard app.environment != .xcode, selected == nil || selected == app.environment else { throw missing }
        return app
    }
}

extension AppStoreEnvironment {
    /// The environment that one of Apple's host names selects. Nil for any other host.
    fileprivate init?(host: String?) {
        switch host?.lowercased().split(separator: ":").first {
        case "api.storekit.apple.com", "api.storekit.itunes.apple.com": self = .production
        case "api.storekit-sandbox.apple.com", "api.storekit-sandbox.itunes.apple.com": self = .sandbox
        default: return nil
        }
    }
}

/// A JWT that an app's server signs with its In-App Purchase key.
///
/// The key decides which app a token is for. With a key of the account the token's `bid` does. It is ES256 only, with a
/// short life by the wall clock.
struct ServerAPIToken: Sendable {
    /// The reason why a token is refused, written for the developer of the server.
    struct Rejection: Error {
        let reason: String
        /// Whether the request has no bearer token. The challenge then names no error (RFC 6750 §3.1).
        var isMissing = false

        fileprivate static let unknownKey = Rejection(
            reason: "its kid is not the identifier of an inAppPurchase key, or the key was deleted")
    }

    /// Maximum size of a token, in bytes. A longer one is rejected without parsing.
    static let tokenBytesMax = 4 * 1024
    /// The most seconds between issue and expiry.
    static let lifetimeMax: Int64 = 60 * 60
    /// The seconds that a server's clock may differ.
    static let leeway: Int64 = 60
    static let audience = "appstoreconnect-v1"

    private struct Claims: Decodable {
        /// One text or several (RFC 7519 §4.1.3).
        struct Audience: Decodable {
            let texts: [String]

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                texts = try (try? container.decode([String].self)) ?? [container.decode(String.self)]
            }
        }

        var iss: String
        var aud: Audience
        var iat: Double?
        var exp: Double
        var bid: String
    }

    private let jws: AppServerJWS
    let keyIdentifier: String
    /// The app that the token names, before it is verified. Nil where no app can have the name.
    let bundleId: String?

    /// Reads the token of a request.
    /// - Throws: ``Rejection`` unless its header names ES256 and a key, and demands no extension.
    init(authorization: String?) throws(Rejection) {
        guard let authorization else {
            throw Rejection(reason: "the Authorization header is missing", isMissing: true)
        }
        guard let text = BearerToken.text(of: authorization) else {
            throw Rejection(reason: "the Authorization header must be one bearer token", isMissing: true)
        }
        guard text.utf8.count <= Self.tokenBytesMax, let jws = AppServerJWS(text),
            let keyIdentifier = jws.keyIdentifier
        else { throw Rejection(reason: "the token is not a JWT with alg ES256 and a kid") }
        self.jws = jws
        self.keyIdentifier = keyIdentifier
        // No app inside an isolated store has such a name.
        let bid = (try? StrictJSON.parse(jws.payload))?["bid"]?.stringValue
        bundleId = bid.flatMap { IdentifierRule.bundle.fault(in: $0) == nil ? $0 : nil }
    }

    /// Verifies the signature, and that the token is for this app, store and time.
    /// - Parameters:
    ///   - key: The key with the token's identifier. One of the account has the app that the token names.
    ///   - issuer: The store's. Nil before there is one.
    ///   - now: The wall clock.
    /// - Throws: ``Rejection``.
    func verify(_ key: AppKeyRecord, issuer: String?, now: Timestamp) throws(Rejection) {
        guard key.kind == .inAppPurchase, let pem = key.publicKey else { throw Rejection.unknownKey }
        let claims = try claims(signedWith: pem)
        guard claims.iss.isExactly(issuer) else {
            throw Rejection(reason: "its iss is not this store's issuerId")
        }
        guard claims.aud.texts.contains(where: Self.audience.isExactly) else {
            throw Rejection(reason: "its aud is not \(Self.audience)")
        }
        guard !key.isAccounts || claims.bid.isExactly(bundleId) else {
            throw Rejection(reason: "its bid is not the bundle identifier of an app")
        }
        let app = IsolatedApp.shown(key.bundleId)
        guard claims.bid.isExactly(app) else { throw Rejection(reason: "its bid is not the app of its key, \(app)") }
        try Self.check(claims, now: now.milliseconds / 1000)
    }

    private func claims(signedWith pem: String) throws(Rejection) -> Claims {
        guard let key = try? P256.Signing.PublicKey(pemRepresentation: pem),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: jws.signature),
            key.isValidSignature(signature, for: jws.input),
            let claims = try? StoreJSON.decode(Claims.self, from: jws.payload)
        else { throw Rejection(reason: "its signature is not the key's, or iss, aud, exp or bid is missing") }
        return claims
    }

    /// Checks the life of a token. Apple's Python library sends no `iat`.
    private static func check(_ claims: Claims, now: Int64) throws(Rejection) {
        let expiry = Int64(clamping: claims.exp)
        guard expiry > now - leeway else { throw Rejection(reason: "it has expired by this machine's clock") }
        let issued = claims.iat.map { Int64(clamping: $0) }
        if let issued, issued > now + leeway {
            throw Rejection(reason: "its iat is in the future by this machine's clock")
        }
        guard expiry - (issued ?? now + leeway) <= lifetimeMax else {
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
