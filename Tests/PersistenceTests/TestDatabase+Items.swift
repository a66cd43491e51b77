import StorebusTesting

@testable import Persistence

extension TestDatabase {
    func open() async throws -> any SQLDatabase { try await open(migrations: TemporaryDatabase.schema) }

    func openPostgres() async throws -> PostgresDatabase {
        try await openPostgres(migrations: TemporaryDatabase.schema)
    }

    /// Opens, hands over and closes.
    func with(_ body: (any SQLDatabase) async throws -> Void) async throws {
        try await with(migrations: TemporaryDatabase.schema, body)
    }

    static func with(_ engine: Engine, _ body: (any SQLDatabase) async throws -> Void) async throws {
        try await TestDatabase(engine).with(body)
    }
}

extension SQLDatabase {
    func count(_ table: String = "item") async throws -> Int {
        try await read { reader in try await reader.queryOne("SELECT count(*) AS n FROM \(table)")?["n"] ?? 0 }
    }

    func insert(_ name: String) async throws {
        _ = try await write { try await $0.execute("INSERT INTO item (name) VALUES (?)", name) }
    }
}
