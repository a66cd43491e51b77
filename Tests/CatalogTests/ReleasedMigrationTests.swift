import StorebusTesting
import Testing

@testable import Catalog

/// Goal: databases in the field were migrated by these statements and are refused by a program that has others.
@Suite struct ReleasedMigrationTests {
    private static let released = ReleasedMigrations([
        ("68c7932db91fa8b3", "aecc3f8126130c99"),
        ("7c2e4d0f3b167f61", "3c4c1270000f32b4"),
        ("ee6da329becc9ef1", "97f084aa201cadf"),
    ])

    @Test func `released migrations keep their numbers and their SQL`() {
        #expect(Self.released.differences(from: CatalogSchema.migrations) == [])
    }
}
