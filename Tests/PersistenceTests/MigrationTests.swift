import StorebusTesting
import Testing

@testable import Persistence

@Suite struct MigrationTests {
    private let second = Migration(number: 2, name: "colours", sql: "ALTER TABLE item ADD COLUMN colour TEXT")

    @Test func `new steps are applied to an old database and old ones are not repeated`() async throws {
        let files = try TemporaryDatabase()
        try await files.withDatabase { try await $0.insert("old") }
        let database = try files.open(migrations: TemporaryDatabase.schema + [second])
        let colour = try await database.read { try await $0.queryOne("SELECT colour FROM item")?["colour"] as String? }
        #expect(colour == nil)
        #expect(try await database.count() == 1)
        await database.close()
    }

    @Test func `a database of a newer version is refused`() async throws {
        let files = try TemporaryDatabase()
        let newer = try files.open(migrations: TemporaryDatabase.schema + [second])
        await newer.close()
        let error = #expect(throws: PersistenceError.self) { try files.open() }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.message.contains("newer version (schema 2, this program knows 1)") == true)
    }

    @Test func `a step that was changed after its release is refused`() async throws {
        let files = try TemporaryDatabase()
        try await files.withDatabase { _ in }
        let edited = Migration(number: 1, name: "items", sql: TemporaryDatabase.schema[0].sql + ";")
        let error = #expect(throws: PersistenceError.self) { try files.open(migrations: [edited]) }
        #expect(error?.code == .schemaMismatch)
    }

    @Test func `a step that fails leaves the database as it was`() async throws {
        let files = try TemporaryDatabase()
        try await files.withDatabase { try await $0.insert("kept") }
        let broken = Migration(number: 2, name: "broken", sql: "CREATE TABLE half (id INTEGER); SELECT * FROM nothing")
        #expect(throws: PersistenceError.self) { try files.open(migrations: TemporaryDatabase.schema + [broken]) }
        try await files.withDatabase { database async throws in
            #expect(try await database.count() == 1)
            #expect(try await database.count("sqlite_master WHERE name = 'half'") == 0)
        }
    }
}
