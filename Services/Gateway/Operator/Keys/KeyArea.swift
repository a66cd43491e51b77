import BusService
import GatewayEdge
import Hummingbird
import StoreHTTP
import StoreModels

/// The routes for keys of an app and of the account. Only the response that creates a key has its secret.
struct KeyArea: Area {
    let services: ServiceCaller
    let directories: Directories

    var routes: [Route] {
        [
            Route(KeyRoutes.createForAccount) { try await makeAccountKey($0) },
            keyList(KeyRoutes.listOfAccount, Self.account),
            Route(KeyRoutes.revokeOfAccount) { call in
                try await deleteKey(try call.parameter(.keyIdentifier), of: Self.account(call), call)
            },
            Route(KeyRoutes.create) { try await makeKey($0) },
            keyList(KeyRoutes.list) { call throws(StoreError) in try call.bundleId() },
            Route(KeyRoutes.revokeByQuery) { call in
                guard let keyIdentifier = try call.query.single("keyIdentifier") else {
                    throw StoreError.invalid("query keyIdentifier", "is missing")
                }
                return try await deleteKey(keyIdentifier, of: try call.bundleId(), call)
            },
            Route(KeyRoutes.revoke) { call in
                try await deleteKey(try call.parameter(.keyIdentifier), of: try call.bundleId(), call)
            },
        ]
    }

    private func keyList(
        _ route: HTTPEndpoint<Empty, KeysResponse>, _ owner: @escaping @Sendable (Call) throws(StoreError) -> String
    ) -> Route {
        services.forward(route, to: AppKeyEndpoints.list) {
            AppRequest(bundleId: try owner($0))
        } reply: {
            try Reply(KeysResponse(keys: $0.keys.map(\.appKey)))
        }
    }

    private func makeKey(_ call: Call) async throws -> Reply<NewKeyResponse> {
        let kind = try await call.body(of: KeyRoutes.create).kind
        return try await add(AddAppKeyRequest(bundleId: try await directories.existingApp(call), kind: kind), call)
    }

    private func makeAccountKey(_ call: Call) async throws -> Reply<NewKeyResponse> {
        let kind = try await call.body(of: KeyRoutes.createForAccount).kind
        guard kind == .inAppPurchase else {
            throw StoreError.invalid("$.kind", "must be inAppPurchase: a key of another kind belongs to an app")
        }
        return try await add(AddAppKeyRequest(bundleId: Self.account(call), kind: kind), call)
    }

    /// The owner of the account's keys. An isolated store is an account of its own, with one app.
    private static func account(_ call: Call) -> String { call.store?.bundleId ?? AppKeyRecord.account }

    private func add(_ request: AddAppKeyRequest, _ call: Call) async throws -> Reply<NewKeyResponse> {
        // Before the key, whose secret is shown once.
        let issuerId = request.kind == .inAppPurchase ? try await issuerId(of: request.bundleId, call) : nil
        let made = try await services.call(
            AppKeyEndpoints.add, request, for: call, else: "the list of keys shows whether the key was made")
        var response = NewKeyResponse(made.key.appKey, secret: made.secret, publicKey: made.key.publicKey)
        response.issuerId = issuerId
        response.bundleId = issuerId == nil || made.key.isAccounts ? nil : IsolatedApp.shown(made.key.bundleId)
        return try Reply(response, status: .created)
    }

    private func issuerId(of bundleId: String, _ call: Call) async throws -> String {
        try await services.call(SigningEndpoints.verification, AppRequest(bundleId: bundleId), for: call).issuerId
    }

    private func deleteKey(
        _ keyIdentifier: String, of owner: String, _ call: Call
    ) async throws -> Reply<NoContent> {
        _ = try await services.call(
            AppKeyEndpoints.remove, AppKeyRequest(keyIdentifier: keyIdentifier, bundleId: owner), for: call,
            else: "the list of keys shows whether the key was removed")
        return .noContent
    }
}

extension AppKeyRecord {
    /// The key as clients see it, without its owner, which the request's path names.
    fileprivate var appKey: AppKey { AppKey(keyIdentifier: keyIdentifier, kind: kind, createdAt: createdAt) }
}
