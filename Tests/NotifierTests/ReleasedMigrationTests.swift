import StorebusTesting
import Testing

@testable import Notifier

/// Goal: databases in the field were migrated by these statements and are refused by a program that has others.
@Suite struct ReleasedMigrationTests {
    private static let released = ReleasedMigrations([
        ("eea0d95aaf59f972", "90da66cc08961615"),
        ("56a956e71d1258ea", "e1770ab2fac1571a"),
    ])

    @Test func `released migrations keep their numbers and their SQL`() {
        #expect(Self.released.differences(from: NotifierSchema.migrations) == [])
    }
}
