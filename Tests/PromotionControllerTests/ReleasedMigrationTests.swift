import StorebusTesting
import Testing

@testable import PromotionController

/// Goal: databases in the field were migrated by these statements and are refused by a program that has others.
@Suite struct ReleasedMigrationTests {
    private static let released = ReleasedMigrations([
        ("1670546ea8d9f88a", "19dab1aabbafaf29"),
        ("a2c2d28d1f6e294e", "542af58341fc7017"),
        ("a8633ddfad381a55", "b442bc22cdc59281"),
        ("a266ffaa125854b", "ca63f56fc1acec7b"),
        ("637fc9eb46aa4f99", "e17444eef4b96839"),
    ])

    @Test func `released migrations keep their numbers and their SQL`() {
        #expect(Self.released.differences(from: PromotionSchema.migrations) == [])
    }
}
