import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: databases in the field were migrated by these statements and are refused by a program that has others.
@Suite struct ReleasedMigrationTests {
    private static let released = ReleasedMigrations([
        ("e9a1e60a48369c61", "4795925bc10259c"),
        ("39b67f4efa0ade57", "32c7c443479ba81e"),
        ("37bf6b2f746f90c9", "37bf6b2f746f90c9"),
        ("ffba765c5f76e7ad", "cd10a40d1b362dcb"),
        ("2fe949bda21a0e14", "1336839c98dd15c1"),
        ("6bc973605b8db73b", "c9173b8c4e679f3c"),
        ("a10d28b46692410d", "1d42a45c5b6d6973"),
        ("3c41d9b4e1a08839", "f9303f3712a41ed"),
        ("860f3d514157a33a", "860f3d514157a33a"),
        ("40eee6d375dbf3d", "b5c7975676c281e7"),
        ("4f2efbc972fe7f8a", "4f2efbc972fe7f8a"),
        ("505f4aaaf1edb24d", "30935d01fd79f4a4"),
        ("500681a5c6566cc8", "3a7591bb9fc8d53a"),
        ("163ac0a7e53ee911", "9a8d2ef4fc69152d"),
        ("c5c5e491cd69e968", "42c8ec180ebd9f08"),
        ("4a1c6cc29a2c67b7", "4a1c6cc29a2c67b7"),
        ("e1352ff9fd7a6902", "b731e9a350b71fcf"),
        ("9e6878f7253c19cf", "39e4aad973289ed3"),
        ("6b3229107ba18533", "2a579251d7cd62b9"),
        ("7610bf81e28808de", "b39eb26b209ca602"),
        ("45d36872ccc07cf9", "cb7ecb391d867b9"),
    ])

    @Test func `released migrations keep their numbers and their SQL`() {
        #expect(Self.released.differences(from: PaymentQueueSchema.migrations) == [])
    }
}
