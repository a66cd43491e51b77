import HTTPTypes
import Hummingbird
import Persistence
import StoreHTTP
import StoreModels

extension Gateway {
    /// Routes for an app's keys; a secret is shown once.
    var keyRoutes: [Route] {
        [
            Route(KeyRoutes.create) { [self] in try await makeKey($0) },
            Route(KeyRoutes.list) { [self] in
                try Reply.json(["keys": try await keys.list(try $0.bundleId())])
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

    private func makeKey(_ call: Call) async throws -> Response {
        let bundleId = try call.bundleId()
        let request = try await call.body(of: KeyRoutes.create)
        try await apps.check(bundleId, call)
        let key = NewKey(request.kind, bundleId: bundleId, now: now())
        try await keys.add(key)
        return try Reply.json(KeyAnswer(key), status: .created)
    }

    private func deleteKey(_ keyIdentifier: String, _ call: Call) async throws -> Response {
        guard try await keys.remove(keyIdentifier, of: try call.bundleId()) else { throw StoreError.notFound("key") }
        return Response(status: .noContent)
    }
}

/// A new key with its secret. It has the members of a ``KeyRecord``, `secret` (the text the server sends, or the
/// private key as PEM), and for a `subscriptionOffer` its `publicKey`, PEM too.
struct KeyAnswer: Encodable {
    private enum CodingKeys: String, CodingKey { case secret, publicKey }

    let key: NewKey

    init(_ key: NewKey) { self.key = key }

    func encode(to encoder: any Encoder) throws {
        try key.record.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(key.secret, forKey: .secret)
        try container.encodeIfPresent(key.record.publicKey, forKey: .publicKey)
    }
}

extension KeyKind: SQLValueConvertible {}
