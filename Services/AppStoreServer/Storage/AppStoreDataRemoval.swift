import Persistence
import ServiceDatabase
import StoreModels

/// Removes an app's keys and endpoint, and its notifications with their attempts, some a commit.
struct AppStoreDataRemoval: Sendable {
    /// Maximum number of notifications that one request removes.
    static let notificationsMax = 500

    let database: any SQLDatabase

    /// Removes some of the app's rows.
    /// - Throws: `requestInvalid` for a request that lacks its deletion.
    func remove(_ request: RemoveAppRequest) async throws -> RemoveAppReply {
        try request.check()
        return try await database.write { transaction in
            guard try await AppRows.isUnderWay(request, in: transaction) else { return RemoveAppReply(isDone: true) }
            // The row is first. It waits for keys that are being made, and no key is made without it.
            try await transaction.execute("DELETE FROM server_api_app WHERE bundle_id = ?", request.bundleId)
            try await KeyStore.removeAll(of: request.bundleId, in: transaction)
            try await transaction.execute("DELETE FROM server_api_fault WHERE bundle_id = ?", request.bundleId)
            try await transaction.execute("DELETE FROM server_api_rate WHERE bundle_id = ?", request.bundleId)
            try await EndpointRepository.delete(request.bundleId, in: transaction)
            try await transaction.execute(
                """
                DELETE FROM attempt WHERE position IN (
                    SELECT position FROM notification WHERE bundle_id = ? ORDER BY position LIMIT ?)
                """, request.bundleId, Self.notificationsMax)
            try await transaction.execute(
                """
                DELETE FROM notification_payload WHERE position IN (
                    SELECT position FROM notification WHERE bundle_id = ? ORDER BY position LIMIT ?)
                """, request.bundleId, Self.notificationsMax)
            let count = try await transaction.execute(
                """
                DELETE FROM notification WHERE position IN (
                    SELECT position FROM notification WHERE bundle_id = ? ORDER BY position LIMIT ?)
                """, request.bundleId, Self.notificationsMax)
            guard count < Self.notificationsMax else { return RemoveAppReply(isDone: false) }
            try await AppRows.end(request, in: transaction)
            return RemoveAppReply(isDone: true)
        }
    }
}
