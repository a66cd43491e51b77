import Persistence
import ServiceDatabase
import StoreModels

/// Handles `endpoint.get`, `.put` and `.delete`.
struct EndpointService: Sendable {
    let database: any SQLDatabase
    let targets: TargetPolicy
    let deliveries: DeliveryService

    func get(_ request: AppRequest) async throws -> NotificationEndpointReply {
        NotificationEndpointReply(
            endpoint: try await database.read { reader in
                try await EndpointRepository.find(request.bundleId, in: reader)
            })
    }

    /// Sets an app's endpoint. Earlier events give notifications without one.
    /// - Throws: `urlInvalid`, or `requestInvalid` for a timeout out of bounds.
    func put(_ request: PutNotificationEndpointRequest) async throws -> NotificationEndpointReply {
        let endpoint = request.endpoint
        let range = NotificationEndpoint.timeoutMsRange
        guard range.contains(endpoint.timeoutMs) else {
            throw StoreError.invalid(
                "$.timeoutMs", "must be \(range.lowerBound) to \(range.upperBound) milliseconds")
        }
        if !endpoint.isListen { _ = try targets.target(of: endpoint.url) }
        await deliveries.catchUpWithoutHints()
        try await database.write { transaction in
            try await EndpointRepository.put(endpoint, of: request.bundleId, in: transaction)
        }
        deliveries.wake()
        return NotificationEndpointReply(endpoint: endpoint)
    }

    func delete(_ request: AppRequest) async throws -> Empty {
        try await database.write { transaction in
            try await EndpointRepository.delete(request.bundleId, in: transaction)
        }
        return Empty()
    }
}

/// Reads and writes the apps' endpoints.
enum EndpointRepository {
    static func find(_ bundleId: String, in reader: SQLReader) async throws -> NotificationEndpoint? {
        guard let row = try await reader.queryOne("SELECT body FROM endpoint WHERE bundle_id = ?", bundleId) else {
            return nil
        }
        return try StoredJSON.value(NotificationEndpoint.self, try row["body"])
    }

    /// Tells whether any app has an endpoint.
    static func hasAny(in reader: SQLReader) async throws(PersistenceError) -> Bool {
        try await reader.queryOne("SELECT 1 AS found FROM endpoint LIMIT 1") != nil
    }

    /// Reads and locks an app's endpoint until the commit. So replicas claim one after the other.
    static func lock(_ bundleId: String, in transaction: SQLTransaction) async throws -> NotificationEndpoint? {
        let row = try await transaction.queryOne(
            "SELECT body FROM endpoint WHERE bundle_id = ? \(transaction.dialect.lockRow)", bundleId)
        return try row.map { try StoredJSON.value(NotificationEndpoint.self, try $0["body"]) }
    }

    static func put(_ endpoint: NotificationEndpoint, of bundleId: String, in transaction: SQLTransaction) async throws
    {
        try await transaction.execute(
            """
            INSERT INTO endpoint (bundle_id, body) VALUES (?, ?)
            ON CONFLICT (bundle_id) DO UPDATE SET body = excluded.body
            """, bundleId, try StoredJSON.text(endpoint))
    }

    static func delete(_ bundleId: String, in transaction: SQLTransaction) async throws(PersistenceError) {
        try await transaction.execute("DELETE FROM endpoint WHERE bundle_id = ?", bundleId)
    }
}
