import StorebusTesting
import Testing

@testable import Persistence

@Suite struct MigrationTests {
    private let second = Migration(number: 2, name: "colours", sql: "ALTER TABLE item ADD COLUMN colour TEXT")

    @Test(arguments: Engine.allCases)
    func `new steps are applied to an old database and old ones are not repeated`(_ engine: Engine) async throws {
        let files = try TestDatabase(engine)
        try await files.with { try await $0.insert("old") }
        let database = try await files.open(migrations: TemporaryDatabase.schema + [second])
        let colour = try await database.read { reader in
            try await reader.queryOne("SELECT colour FROM item")?["colour"] as String?
        }
        #expect(colour == nil)
        #expect(try await database.count() == 1)
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func `a database of a newer version is refused`(_ engine: Engine) async throws {
        let files = try TestDatabase(engine)
        let newer = try await files.open(migrations: TemporaryDatabase.schema + [second])
        await newer.close()
        let error = await #expect(throws: PersistenceError.self) { try await files.open() }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.message.contains("newer version (schema 2, this program knows 1)") == true)
    }

    @Test(arguments: Engine.allCases)
    func `a step that was changed after its release is refused`(_ engine: Engine) async throws {
        let files = try TestDatabase(engine)
        try await files.with { _ in }
        let edited = Migration(number: 1, name: "items", sql: TemporaryDatabase.schema[0].sql + ";")
        let error = await #expect(throws: PersistenceError.self) { try await files.open(migrations: [edited]) }
        #expect(error?.code == .schemaMismatch)
    }

    @Test(arguments: Engine.allCases)
    func `a step that fails leaves the database as it was`(_ engine: Engine) async throws {
        let files = try TestDatabase(engine)
        try await files.with { try await $0.insert("kept") }
        let broken = Migration(number: 2, name: "broken", sql: "CREATE TABLE half (id INTEGER); SELECT * FROM nothing")
        await #expect(throws: PersistenceError.self) {
            try await files.open(migrations: TemporaryDatabase.schema + [broken])
        }
        try await files.with { database async throws in
            #expect(try await database.count() == 1)
            let half = engine == .sqlite ? "sqlite_master WHERE name = 'half'" : "pg_tables WHERE tablename = 'half'"
            #expect(try await database.count(half) == 0)
        }
    }
}
