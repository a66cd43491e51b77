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
    func `a database with another build's schema is refused with its name and the remedy, and stays as it is`(
        _ engine: Engine
    ) async throws {
        let files = try TestDatabase(engine)
        let earlier = (1...26).map { Migration(number: $0, name: "step \($0)", sql: "CREATE TABLE t\($0) (n INTEGER)") }
        try await files.with(migrations: earlier) { _ in }
        let error = await #expect(throws: PersistenceError.self) { try await files.open() }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.exitCode == 78)
        let message = try #require(error?.message)
        #expect(message.contains(engine == .sqlite ? files.path : files.holder.replacing("-", with: "_")))
        #expect(message.contains("'step 1'") && message.contains("'items'"))
        #expect(message.contains(engine == .sqlite ? "storebus up --data" : "DATABASE_URL"))
        try await files.with(migrations: earlier) { database async throws in
            #expect(try await database.count("schema_migration") == 26)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a step that was changed after its release is refused`(_ engine: Engine) async throws {
        let files = try TestDatabase(engine)
        try await files.with(migrations: TemporaryDatabase.schema + [second]) { _ in }
        let edited = Migration(number: 2, name: "colours", sql: "ALTER TABLE item ADD COLUMN colour INTEGER")
        let error = await #expect(throws: PersistenceError.self) {
            try await files.open(migrations: TemporaryDatabase.schema + [edited])
        }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.message.contains("its step 2 is") == true)
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

    /// Statements of a schema whose constraints have lists.
    private static func letters(_ sql: SQLDialect) -> String {
        """
        CREATE TABLE letter (
            state TEXT NOT NULL CHECK \(sql.oneOf("state", "open", "sent", "read")),
            kind TEXT CHECK \(sql.oneOf("kind", "card", "parcel", "letterHead")),
            size INTEGER,
            CHECK (\(sql.oneOf("state", "sent", "read")) = (size IS NOT NULL)));
        """
    }

    @Test(arguments: Engine.allCases)
    func `lists of constraints hold`(_ engine: Engine) async throws {
        let schema = [Migration(number: 1, name: "letters", sql: Self.letters)]
        try await TestDatabase(engine).with(migrations: schema) { database async throws in
            for (state, kind) in [("lost", "card"), ("open", "box"), ("open", "letterhead"), ("sent", "card")] {
                let error = await #expect(throws: PersistenceError.self) {
                    try await database.write {
                        try await $0.execute("INSERT INTO letter (state, kind) VALUES (?, ?)", state, kind)
                    }
                }
                #expect(error?.code == .constraint(.check))
            }
            for kind in ["card", "parcel", "letterHead"] {
                _ = try await database.write {
                    try await $0.execute("INSERT INTO letter (state, kind) VALUES ('open', ?)", kind)
                }
            }
            #expect(try await database.count("letter") == 3)
        }
    }

    @Test func `SQLite makes no table to check a row`() async throws {
        let schema = [Migration(number: 1, name: "letters", sql: Self.letters)]
        try await TestDatabase(.sqlite).with(migrations: schema) { database async throws in
            let opcodes = try await database.read { reader in
                try await reader.query("EXPLAIN INSERT INTO letter (state, kind) VALUES ('open', 'card')")
                    .map { try $0["opcode"] as String }
            }
            #expect(opcodes.contains("Insert") && !opcodes.contains("OpenEphemeral"))
        }
    }
}
