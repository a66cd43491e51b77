import Logging
import Persistence
import StoreModels
import StorebusTesting
import Testing

@testable import Catalog

/// Goal: a database from before promotions opens, keeps its content, and its page is a preview.
@Suite struct PromotionMigrationTests {
    @Test(arguments: Engine.allCases)
    func `content that was uploaded before there were images is content still`(_ engine: Engine) async throws {
        let files = try TestDatabase(engine)
        let file = try StoreJSON.encode(FileBuilder.hosted(length: 3))
        try await files.with(migrations: Array(CatalogStore.migrations.prefix(2))) { database async throws in
            let settings = try StoreJSON.encode(AppSettings(name: "A"))
            try await database.write { transaction in
                try await transaction.execute("INSERT INTO app VALUES (?, ?, 1, 2)", CatalogFixture.bundleId, settings)
                try await transaction.execute(
                    "INSERT INTO catalog_file VALUES (?, 1, 'A.storekit')", CatalogFixture.bundleId)
                try await transaction.execute(
                    "INSERT INTO catalog_part VALUES (?, 0, ?)", CatalogFixture.bundleId, file)
                try await transaction.execute(
                    """
                    INSERT INTO content_package (id, bundle_id, product_identifier, version, state, declared_length,
                        length, part_count, sha256, is_replacement, touched_at)
                    VALUES ('c', ?, 'guide', '1.0', 'inForce', 3, 3, 1, 'hash', 0, 0)
                    """, CatalogFixture.bundleId)
                try await transaction.execute(
                    "INSERT INTO content_chunk VALUES ('c', 0, ?)", [1, 2, 3] as [UInt8])
            }
        }
        try await files.with(migrations: CatalogStore.migrations) { database async throws in
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let store = try await CatalogStore.load(database, logger: logger)
            #expect(try store.product("guide")?.isDownloadable == true)
            #expect(try await store.read(store.content()) == [1, 2, 3])
            #expect(try store.page() == ["guide"])
            #expect(try await store.setup().isPreview)
            try await store.illustrate(["guide"])
            #expect(try store.page() == ["guide"])
        }
    }
}
