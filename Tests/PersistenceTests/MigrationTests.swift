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

    /// A schema with lists as migrations write them.
    private static let listed = [
        Migration(
            number: 1, name: "letters",
            sql: """
                CREATE TABLE letter (
                    state TEXT NOT NULL CHECK (state IN ('open', 'sent', 'read')),
                    kind TEXT CHECK (
                        kind IN (
                            'card', 'parcel',
                            'letterHead')),
                    size INTEGER,
                    CHECK ((state IN ('sent', 'read')) = (size IS NOT NULL)));
                CREATE INDEX letter_unread ON letter (size) WHERE state IN ('open', 'sent');
                """)
    ]

    @Test func `lists of constraints are spelled out, also in the file of an earlier version, and hold`() async throws {
        let files = try TemporaryDatabase()
        // An earlier version leaves the lists as they are.
        let earlier = try SQLiteConnection(path: files.path, isReader: false)
        _ = try Migrator(Self.listed, path: files.path).run(earlier)
        _ = try earlier.run("INSERT INTO letter (state, kind, size) VALUES ('sent', NULL, 1)")
        #expect(try Self.opensTables(earlier))
        try earlier.close()
        for _ in 0..<2 {
            let database = try files.open(migrations: Self.listed)
            #expect(try await database.count("letter") == 1)
            for (state, kind) in [("lost", "card"), ("open", "box"), ("open", "letterhead")] {
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
            _ = try await database.write { try await $0.execute("DELETE FROM letter WHERE state = 'open'") }
            await database.close()
        }
        let later = try SQLiteConnection(path: files.path, isReader: false)
        #expect(try !Self.opensTables(later))
        #expect(try later.value("PRAGMA integrity_check") == .text("ok"))
        try later.close()
    }

    /// Whether SQLite makes a table to check a new row.
    private static func opensTables(_ connection: SQLiteConnection) throws -> Bool {
        try connection.run("EXPLAIN INSERT INTO letter (state, kind) VALUES ('open', 'card')").rows.contains {
            try $0["opcode"] == "OpenEphemeral"
        }
    }

    @Test(arguments: [
        ("state IN ('a', 'b')", "state IN ('a', 'b')"),
        ("CHECK (state IN ('a', 'b', 'c'))", "CHECK ((state = 'a' OR state = 'b' OR state = 'c'))"),
        ("x = 0 OR kind IN (\n 'a',\n 'b','cD')", "x = 0 OR (kind = 'a' OR kind = 'b' OR kind = 'cD')"),
        ("n IN (1, 2, 3)", "n IN (1, 2, 3)"),
    ])
    func `a list of three or more words becomes equations`(_ sql: String, _ spelled: String) {
        #expect(SQLiteChecks.spellOut(sql) == spelled)
    }
}
