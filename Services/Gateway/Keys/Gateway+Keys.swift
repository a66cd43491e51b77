import HTTPTypes
import Hummingbird
import Persistence
import StoreHTTP
import StoreModels

extension Gateway {
    /// Routes for keys of an app and of the account. Only the response that creates a key has its secret.
    var keyRoutes: [Route] {
        [
            Route(KeyRoutes.createForAccount) { [self] in try await makeAccountKey($0) },
            Route(KeyRoutes.listOfAccount) { [self] in
                KeysResponse(keys: try await keys.list(Self.account($0)).map(\.appKey))
            },
            Route(KeyRoutes.revokeOfAccount) { [self] call in
                try await deleteKey(try call.parameter(.keyIdentifier), of: Self.account(call))
            },
            Route(KeyRoutes.create) { [self] in try await makeKey($0) },
            Route(KeyRoutes.list) { [self] in
                KeysResponse(keys: try await keys.list(try $0.bundleId()).map(\.appKey))
            },
            Route(KeyRoutes.revokeByQuery) { [self] call in
                guard let keyIdentifier = try call.query.single("keyIdentifier") else {
                    throw StoreError.invalid("query keyIdentifier", "is missing")
                }
                return try await deleteKey(keyIdentifier, of: try call.bundleId())
            },
            Route(KeyRoutes.revoke) { [self] call in
                try await deleteKey(try call.parameter(.keyIdentifier), of: try call.bundleId())
            },
        ]
    }

    private func makeKey(_ call: Call) async throws -> Reply<NewKeyResponse> {
        let kind = try await call.body(of: KeyRoutes.create).kind
        return try await add(NewKey(kind, bundleId: try await existingApp(call), now: now()))
    }

    private func makeAccountKey(_ call: Call) async throws -> Reply<NewKeyResponse> {
        let kind = try await call.body(of: KeyRoutes.createForAccount).kind
        guard kind == .inAppPurchase else {
            throw StoreError.invalid("$.kind", "must be inAppPurchase: a key of another kind belongs to an app")
        }
        return try await add(NewKey(kind, bundleId: Self.account(call), now: now()))
    }

    /// The owner of the account's keys. An isolated store is an account of its own, with one app.
    private static func account(_ call: Call) -> String { call.store?.bundleId ?? KeyStore.account }

    private func add(_ key: NewKey) async throws -> Reply<NewKeyResponse> {
        // Before the key, whose secret is shown once.
        let issuerId = key.record.kind == .inAppPurchase ? try await serverApps.issuerId() : nil
        try await keys.add(key)
        var response = key.response
        response.issuerId = issuerId
        response.bundleId = issuerId == nil || key.record.isAccounts ? nil : IsolatedApp.shown(key.record.bundleId)
        return try Reply(response, status: .created)
    }

    private func deleteKey(_ keyIdentifier: String, of owner: String) async throws -> Reply<NoContent> {
        guard try await keys.remove(keyIdentifier, of: owner) else { throw StoreError.notFound("key") }
        return .noContent
    }
}

extension NewKey {
    var response: NewKeyResponse { NewKeyResponse(record.appKey, secret: secret, publicKey: record.publicKey) }
}

extension KeyRecord {
    /// The key as clients see it, without its owner, which the request's path names.
    var appKey: AppKey { AppKey(keyIdentifier: keyIdentifier, kind: kind, createdAt: createdAt) }
}

extension KeyKind: SQLValueConvertible {}
