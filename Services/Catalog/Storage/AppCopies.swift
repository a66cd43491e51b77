import Persistence
import ServiceDatabase
import StoreModels

/// Copies an app into an isolated store in one transaction, and removes apps.
struct AppCopies: Sendable {
    let database: any SQLDatabase
    let loader: AppLoader

    /// Copies the app with its settings, catalogue, content, images and promotions.
    /// - Throws: `notFound`, `serviceUnavailable` for an app that is being deleted, or `requestInvalid` when the copy
    ///   would not be an isolated store's.
    func copy(_ request: CopyAppRequest) async throws -> App {
        try AppRequest(bundleId: request.to).checkIsIsolated()
        try await loader.refresh(request.from)
        let isKnown = try await database.write { transaction in
            try await AppRepository.checkIsOpen(request.from, in: transaction)
            let row = try await transaction.queryOne(
                """
                INSERT INTO app (bundle_id, settings, settings_revision, catalog_version)
                SELECT CAST(? AS TEXT), settings, settings_revision, catalog_version FROM app WHERE bundle_id = ?
                ON CONFLICT DO NOTHING RETURNING bundle_id
                """, request.to, request.from)
            guard row != nil else {
                return try await transaction.queryOne("SELECT 1 FROM app WHERE bundle_id = ?", request.to) != nil
            }
            try await Self.copyCatalogue(request, in: transaction)
            try await Self.copyContent(request, in: transaction)
            try await PromotionRepository.changeFeatured(in: transaction) { products in
                products += products.filter { $0.bundleId.isExactly(request.from) }.map {
                    ProductReference(bundleId: request.to, productIdentifier: $0.productIdentifier)
                }
            }
            return true
        }
        guard isKnown else { throw CatalogStore.unknownApp(request.from) }
        try await loader.load(request.to)
        guard let app = loader.directory.snapshot(of: request.to)?.app else {
            throw CatalogStore.unknownApp(request.to)
        }
        return app
    }

    private static func copyCatalogue(_ request: CopyAppRequest, in transaction: SQLTransaction) async throws {
        try await transaction.execute(
            """
            INSERT INTO catalog_file (bundle_id, version, file_name)
            SELECT CAST(? AS TEXT), version, file_name FROM catalog_file WHERE bundle_id = ?
            """, request.to, request.from)
        try await transaction.execute(
            """
            INSERT INTO catalog_part (bundle_id, part, data)
            SELECT CAST(? AS TEXT), part, data FROM catalog_part WHERE bundle_id = ?
            """, request.to, request.from)
        try await transaction.execute(
            """
            INSERT INTO promotion_list (bundle_id, entries)
            SELECT CAST(? AS TEXT), entries FROM promotion_list WHERE bundle_id = ?
            """, request.to, request.from)
    }

    /// Copies packages in force. A package's identifier in the copy has the copy's name behind it.
    private static func copyContent(_ request: CopyAppRequest, in transaction: SQLTransaction) async throws {
        try await transaction.execute(
            """
            INSERT INTO content_package (id, bundle_id, product_identifier, version, state, declared_length, length,
                part_count, sha256, is_replacement, touched_at, kind)
            SELECT id || CAST(? AS TEXT), CAST(? AS TEXT), product_identifier, version, state, declared_length, length,
                part_count, sha256, is_replacement, touched_at, kind
            FROM content_package WHERE bundle_id = ? AND state = 'inForce'
            """, request.to, request.to, request.from)
        try await transaction.execute(
            """
            INSERT INTO content_chunk (package_id, at_byte, data)
            SELECT package_id || CAST(? AS TEXT), at_byte, data FROM content_chunk
            WHERE package_id IN (SELECT id FROM content_package WHERE bundle_id = ? AND state = 'inForce')
            """, request.to, request.from)
        try await transaction.execute(
            """
            INSERT INTO promotion_image (package_id, bundle_id, product_identifier, state, format, width, height, reason)
            SELECT package_id || CAST(? AS TEXT), CAST(? AS TEXT), product_identifier, state, format, width, height,
                reason
            FROM promotion_image WHERE bundle_id = ?
                AND package_id IN (SELECT id FROM content_package WHERE state = 'inForce')
            """, request.to, request.to, request.from)
    }

    /// Tables whose rows are removed before that of `app`. A table comes before those that it refers to.
    private static let tables = [
        "promotion_image", "content_package", "import", "promotion_list", "catalog_part", "catalog_file",
    ]
    /// Maximum number of rows that one commit removes of a table. A package and an import have many large parts.
    private static let rowsMax = 8

    /// Closes an app that is being deleted, and removes its rows with the last request. Removes an isolated store's.
    /// - Throws: `requestInvalid` for a request that lacks its deletion.
    func remove(_ request: RemoveAppRequest) async throws -> RemoveAppReply {
        try request.check()
        if let deletion = request.deletion {
            try await close(request, deletion)
            guard request.isLast else { return RemoveAppReply(isDone: true) }
        }
        let rows = AppRows(database: database, tables: Self.tables, rowsMax: Self.rowsMax)
        let reply = try await rows.remove(request) { transaction in
            try await Self.unfeature(request.bundleId, in: transaction)
            if request.deletion != nil { try await Self.keepVersion(of: request.bundleId, in: transaction) }
            try await transaction.execute("DELETE FROM app WHERE bundle_id = ?", request.bundleId)
        }
        try await loader.refresh(request.bundleId)
        return reply
    }

    /// Closes the app, unless the deletion has ended: the name may have another app by now.
    private func close(_ request: RemoveAppRequest, _ deletion: Int64) async throws {
        try await database.write { transaction in
            guard try await AppRows.isUnderWay(request, in: transaction) else { return }
            // The list's lock comes before the app's, as in each change of the list.
            try await Self.unfeature(request.bundleId, in: transaction)
            try await transaction.execute(
                "UPDATE app SET deletion = ? WHERE bundle_id = ?", deletion, request.bundleId)
        }
        try await loader.refresh(request.bundleId)
    }

    private static func unfeature(_ bundleId: String, in transaction: SQLTransaction) async throws {
        try await PromotionRepository.changeFeatured(in: transaction) { products in
            products.removeAll { $0.bundleId.isExactly(bundleId) }
        }
    }

    /// Keeps the highest version of a deleted app. New apps count on from there.
    private static func keepVersion(of bundleId: String, in transaction: SQLTransaction) async throws {
        let row = try await transaction.queryOne(
            "SELECT settings_revision, catalog_version FROM app WHERE bundle_id = ?", bundleId)
        guard let row else { return }
        let (revision, version): (Int64, Int64) = (try row["settings_revision"], try row["catalog_version"])
        let highest = max(revision, version)
        try await transaction.execute(
            "UPDATE deleted_version SET version = ? WHERE version < ?", highest, highest)
    }
}
