import Persistence
import StoreModels

/// Copies an app into an isolated store and removes it there, each in one transaction.
struct AppCopies: Sendable {
    let database: any SQLDatabase
    let loader: AppLoader

    /// Copies the app with its settings, catalogue, content, images and promotions.
    /// - Throws: `notFound`, or `requestInvalid` when the copy would not be an isolated store's.
    func copy(_ request: CopyAppRequest) async throws -> App {
        try AppRequest(bundleId: request.to).checkIsIsolated()
        try await loader.refresh(request.from)
        let isKnown = try await database.write { transaction in
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

    /// Tables whose rows are removed. A table comes before those that it refers to.
    private static let tables = [
        "promotion_image", "content_package", "import", "promotion_list", "catalog_part", "catalog_file", "app",
    ]

    /// Removes the app.
    /// - Throws: `requestInvalid` for an app of the whole installation.
    func remove(_ request: AppRequest) async throws -> RemoveAppReply {
        try request.checkIsIsolated()
        try await database.write { transaction in
            try await PromotionRepository.changeFeatured(in: transaction) { products in
                products.removeAll { $0.bundleId.isExactly(request.bundleId) }
            }
            for table in Self.tables {
                try await transaction.execute("DELETE FROM \(table) WHERE bundle_id = ?", request.bundleId)
            }
        }
        loader.directory.forget(request.bundleId)
        return RemoveAppReply(isDone: true)
    }
}
