import FoundationEssentials
import Persistence
import StoreModels

/// Stores imports. Each has a row and parts, until a commit makes it the file in force.
struct ImportRepository: Sendable {
    let database: any SQLDatabase

    /// An import's data for a commit.
    struct Upload: Sendable {
        let bundleId: String
        let fileName: String
        let byteCount: Int
        /// A number that grows with each part. By it a commit detects parts that arrived after it had read the file.
        let revision: Int64
        let outcome: ImportOutcome?
        let partIndexes: [Int]
        let bytes: [UInt8]
    }

    /// Opens an import, and deletes those not committed within ``ImportLimits/lifetime``.
    /// - Throws: `rateLimited` when too many or too large imports are open, or `serviceUnavailable` for an app that is
    ///   being deleted.
    func begin(_ identifier: String, _ request: BeginImportRequest, fileName: String, now: Timestamp) async throws {
        try await database.write { transaction in
            try await AppRepository.checkIsOpen(request.bundleId, in: transaction)
            try await Self.deleteExpired(now, in: transaction)
            try await makeRoom(transaction, for: request.byteCount)
            try await transaction.execute(
                """
                INSERT INTO import (id, bundle_id, file_name, byte_count, created_at, revision) \
                VALUES (?, ?, ?, ?, ?, 0)
                """, identifier, request.bundleId, fileName, request.byteCount, now.milliseconds)
            guard let data = request.data else { return }
            try await Self.put(data, at: 0, of: identifier, announced: request.byteCount, in: transaction)
        }
    }

    private func makeRoom(_ transaction: SQLTransaction, for byteCount: Int) async throws {
        let open = try await found(
            transaction.queryOne(
                """
                SELECT count(*) AS n, CAST(coalesce(sum(byte_count), 0) AS BIGINT) AS bytes
                FROM import WHERE outcome IS NULL
                """))
        guard try open["n"] < ImportLimits.openMax, try open["bytes"] + byteCount <= ImportLimits.openBytesMax else {
            throw StoreError(
                .rateLimited, "too many imports are open; commit them, or wait until they expire after an hour",
                retryAfterMs: 60_000)
        }
        // Replies of finished imports are small; the oldest are deleted first.
        try await transaction.execute(
            """
            DELETE FROM import WHERE outcome IS NOT NULL AND created_at < (
                SELECT created_at FROM import WHERE outcome IS NOT NULL ORDER BY created_at DESC LIMIT 1 OFFSET ?)
            """, ImportLimits.finishedMax - 1)
    }

    /// Stores or replaces a part.
    /// - Throws: `notFound` for an unknown, expired or finished import, or `requestInvalid` beyond the announced size.
    func put(_ request: ImportPartRequest, now: Timestamp) async throws {
        try await database.write { transaction in
            let row = try await transaction.queryOne(
                """
                UPDATE import SET revision = revision + 1 WHERE id = ? AND outcome IS NULL AND created_at >= ?
                RETURNING byte_count
                """, request.importIdentifier, ImportLimits.expiry(now).milliseconds)
            guard let row else { throw ImportLimits.unknownImport }
            try await Self.put(
                request.data, at: request.index, of: request.importIdentifier, announced: try row["byte_count"],
                in: transaction)
        }
    }

    /// Stores or replaces a part of an import of `announced` bytes.
    private static func put(
        _ data: Data, at index: Int, of identifier: String, announced: Int, in transaction: SQLTransaction
    ) async throws {
        try await transaction.execute(
            """
            INSERT INTO import_part (import_id, part, data) VALUES (?, ?, ?)
            ON CONFLICT (import_id, part) DO UPDATE SET data = excluded.data
            """, identifier, index, Array(data))
        let stored = try await found(
            transaction.queryOne(
                "SELECT sum(length(data)) AS bytes FROM import_part WHERE import_id = ?", identifier))
        let sum: Int = try stored["bytes"]
        guard sum <= announced else {
            throw StoreError(
                .requestInvalid, "$.data: the parts have \(sum) bytes; the import announced \(announced)")
        }
    }

    /// Reads a whole import from one snapshot.
    /// - Throws: `notFound` when it is unknown or has expired.
    func upload(_ identifier: String, now: Timestamp) async throws -> Upload {
        try await database.read { reader in
            let row = try await reader.queryOne(
                """
                SELECT bundle_id, file_name, byte_count, revision, outcome FROM import WHERE id = ? AND created_at >= ?
                """, identifier, ImportLimits.expiry(now).milliseconds)
            guard let row else { throw ImportLimits.unknownImport }
            let parts = try await reader.query(
                "SELECT part, data FROM import_part WHERE import_id = ? ORDER BY part", identifier)
            let outcome = try (row["outcome"] as [UInt8]?).map { try StoreJSON.decode(ImportOutcome.self, from: $0) }
            return Upload(
                bundleId: try row["bundle_id"], fileName: try row["file_name"], byteCount: try row["byte_count"],
                revision: try row["revision"], outcome: outcome, partIndexes: try parts.map { try $0["part"] },
                bytes: try joined(parts))
        }
    }

    /// Deletes an import with its parts.
    func discard(_ identifier: String) async throws {
        try await database.write { transaction in
            _ = try await transaction.execute("DELETE FROM import WHERE id = ?", identifier)
        }
    }

    /// Deletes imports that were not committed in time.
    func deleteExpired(now: Timestamp) async throws {
        try await database.write { transaction in try await Self.deleteExpired(now, in: transaction) }
    }

    private static func deleteExpired(_ now: Timestamp, in transaction: SQLTransaction) async throws {
        try await transaction.execute(
            "DELETE FROM import WHERE created_at < ? OR created_at > ?", ImportLimits.expiry(now).milliseconds,
            ImportLimits.latest(now).milliseconds)
    }
}

/// The result of an import, kept as long as its identifier. A repeated commit gets the same reply.
enum ImportOutcome: Hashable, Sendable, Codable {
    case committed(ImportReport)
    case refused(StoreError)

    func report() throws(StoreError) -> ImportReport {
        switch self {
        case .committed(let report): return report
        case .refused(let error): throw error
        }
    }
}
