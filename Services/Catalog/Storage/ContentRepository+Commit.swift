import Persistence
import StoreModels

extension ContentRepository {
    /// Reads an upload, or the package that it became.
    /// - Throws: `notFound` when it is unknown or was dropped.
    func package(_ identifier: String, _ kind: Kind = .content, now: Timestamp) async throws -> Package {
        try await database.read { reader in
            let row = try await reader.queryOne(
                """
                SELECT * FROM content_package
                WHERE id = ? AND kind = ? AND (state = 'inForce' OR (state = 'open' AND touched_at >= ?))
                """, identifier, kind.rawValue, ContentLimits.expiry(now).milliseconds)
            guard let row else { throw ContentRules.unknownUpload }
            return try Package(row)
        }
    }

    /// Activates an upload in one transaction. It replaces the previous package of its version and raises the
    /// catalogue's version, so that services with cached products request them again.
    /// - Parameter alongside: Further changes of the commit, skipped when another commit has activated the package.
    /// - Throws: `notFound` when the upload has ended meanwhile, or `requestInvalid` when parts arrived meanwhile.
    func commit(
        _ package: Package, sha256: String, now: Timestamp,
        alongside: @escaping @Sendable (SQLTransaction) async throws -> Void = { _ in }
    ) async throws -> CommitContentReply {
        try await database.write { transaction in
            // First, because it serializes commits of one app.
            _ = try await transaction.queryOne(
                "SELECT bundle_id FROM app WHERE bundle_id = ? \(transaction.dialect.lockRow)", package.bundleId)
            try await AppRepository.checkIsOpen(package.bundleId, in: transaction)
            let found = try await transaction.queryOne(
                """
                SELECT * FROM content_package WHERE id = ? AND state <> 'dropped' \(transaction.dialect.lockRow)
                """, package.id)
            guard let current = try found.map(Package.init) else { throw ContentRules.unknownUpload }
            if let reply = current.reply { return reply }
            guard current.length == package.length else {
                throw StoreError(.requestInvalid, "parts came in during the commit; commit again")
            }
            let replaced = try await transaction.execute(
                """
                UPDATE content_package SET state = 'dropped'
                WHERE bundle_id = ? AND product_identifier = ? AND version = ? AND state = 'inForce'
                """, package.bundleId, package.productIdentifier, package.version)
            let row = try await transaction.queryOne(
                """
                UPDATE content_package SET state = 'inForce', sha256 = ?, is_replacement = ?, touched_at = ?
                WHERE id = ? RETURNING *
                """, sha256, replaced > 0, now.milliseconds, package.id)
            guard let reply = try row.map(Package.init)?.reply else { throw ContentRules.unknownUpload }
            try await alongside(transaction)
            try await transaction.execute(
                "UPDATE app SET catalog_version = catalog_version + 1 WHERE bundle_id = ?", package.bundleId)
            return reply
        }
    }

    /// Drops an open upload.
    func drop(_ identifier: String) async throws {
        try await database.write { transaction in try await Self.drop(identifier, in: transaction) }
    }

    static func drop(_ identifier: String, in transaction: SQLTransaction) async throws {
        try await transaction.execute(
            "UPDATE content_package SET state = 'dropped' WHERE id = ? AND state = 'open'", identifier)
    }

    /// Drops uploads not touched in time, and those touched before the clock was set back.
    func forgetExpired(now: Timestamp) async throws {
        try await database.write { transaction in try await Self.forgetExpired(now: now, in: transaction) }
    }

    static func forgetExpired(now: Timestamp, in transaction: SQLTransaction) async throws {
        try await transaction.execute(
            """
            UPDATE content_package SET state = 'dropped' WHERE state = 'open' AND (touched_at < ? OR touched_at > ?)
            """, ContentLimits.expiry(now).milliseconds, ContentLimits.latest(now).milliseconds)
    }

    /// Deletes a few chunks of a dropped package, or its row without chunks.
    /// - Returns: Whether there was a dropped package.
    func deleteSome() async throws -> Bool {
        try await database.write { transaction in
            let row = try await transaction.queryOne("SELECT id FROM content_package WHERE state = 'dropped' LIMIT 1")
            guard let row else { return false }
            let identifier: String = try row["id"]
            let deleted = try await transaction.execute(
                """
                DELETE FROM content_chunk WHERE package_id = ? AND at_byte IN (
                    SELECT at_byte FROM content_chunk WHERE package_id = ? ORDER BY at_byte LIMIT ?)
                """, identifier, identifier, ContentLimits.deletedMax)
            if deleted == 0 { try await transaction.execute("DELETE FROM content_package WHERE id = ?", identifier) }
            return true
        }
    }
}
