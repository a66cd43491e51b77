import StorebusTesting
import Testing

@testable import Gateway

/// Goal: databases in the field were migrated by these statements and are refused by a program that has others.
@Suite struct ReleasedMigrationTests {
    private static let released = ReleasedMigrations([
        ("db535a198ab5284d", "e3ab37c044476eab"),
        ("5f2f645f431b282e", "2b52763cf729578d"),
        ("fbf0d7fb25e4bec3", "5314b73d6fff3017"),
        ("e8d003b268b74f68", "981d0e92c6ed16e6"),
        ("9325fc603ff848d3", "3d4f19bc4dddd34a"),
        ("781726ff7baf6ed2", "f3c7eb0bed95f42b"),
    ])

    @Test func `released migrations keep their numbers and their SQL`() {
        #expect(Self.released.differences(from: KeySchema.migrations) == [])
    }
}
