import StorebusTesting
import Testing

@testable import PaymentProcessor

/// Goal: databases in the field were migrated by these statements and are refused by a program that has others.
@Suite struct ReleasedMigrationTests {
    private static let released = ReleasedMigrations([
        ("7ac36e2bb00bc75b", "11d1d0acc2f59058"),
        ("ef5c2c8d21ca3331", "3ec1e98940c5231d"),
        ("526a9116f011e139", "fb5a4ea5d7822b62"),
        ("67d6d41985b84f08", "67d6d41985b84f08"),
    ])

    @Test func `released migrations keep their numbers and their SQL`() {
        #expect(Self.released.differences(from: PaymentProcessorSchema.migrations) == [])
    }
}
