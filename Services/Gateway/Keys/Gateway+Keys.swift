import HTTPTypes
import Hummingbird
import Persistence
import StoreHTTP
import StoreModels

extension Gateway {
    /// Routes for an app's keys; only the response that creates a key has its secret.
    var keyRoutes: [Route] {
        [
            Route(KeyRoutes.create) { [self] in try await makeKey($0) },
            Route(KeyRoutes.list) { [self] in
                KeysResponse(keys: try await keys.list(try $0.bundleId()).map(\.appKey))
            },
            Route(KeyRoutes.revokeByQuery) { [self] call in
                guard let keyIdentifier = try call.query.single("keyIdentifier") else {
                    throw StoreError.invalid("query keyIdentifier", "is missing")
                }
                return try await deleteKey(keyIdentifier, call)
            },
            Route(KeyRoutes.revoke) { [self] call in
                try await deleteKey(try call.parameter(.keyIdentifier), call)
            },
        ]
    }

    private func makeKey(_ call: Call) async throws -> Reply<NewKeyResponse> {
        let bundleId = try call.bundleId()
        let request = try await call.body(of: KeyRoutes.create)
        try await apps.check(bundleId, call)
        let key = NewKey(request.kind, bundleId: bundleId, now: now())
        // Before the key, whose secret is shown once.
        let issuerId = request.kind == .inAppPurchase ? try await serverApps.issuerId() : nil
        try await keys.add(key)
        var response = key.response
        if let issuerId { (response.issuerId, response.bundleId) = (issuerId, bundleId) }
        return try Reply(response, status: .created)
    }

    private func deleteKey(_ keyIdentifier: String, _ call: Call) async throws -> Reply<NoContent> {
        guard try await keys.remove(keyIdentifier, of: try call.bundleId()) else { throw StoreError.notFound("key") }
        return .noContent
    }
}

extension NewKey {
    var response: NewKeyResponse { NewKeyResponse(record.appKey, secret: secret, publicKey: record.publicKey) }
}

extension KeyRecord {
    /// The key as clients see it, without its app, which the request's path names.
    var appKey: AppKey { AppKey(keyIdentifier: keyIdentifier, kind: kind, createdAt: createdAt) }
}

extension KeyKind: SQLValueConvertible {}
