import BusService
import Persistence
import StorebusTesting
import Testing

@testable import ServiceDatabase

/// Goal: a database says which one it is and whose store it belongs to, once and for good.
@Suite struct StoreIdentityTests {
    private static let schema = [Migration(number: 1, name: "items", sql: "CREATE TABLE item (id TEXT PRIMARY KEY)")]

    @Test(arguments: Engine.allCases) func `a database keeps its name and its first store`(engine: Engine) async throws
    {
        try await TestDatabase(engine).with(migrations: Self.schema) { database in
            let first = try await StoreIdentityTable.load(database)
            #expect(first.database.count == 24)
            #expect(first.store == nil)
            #expect(try await StoreIdentityTable.load(database) == first)
            #expect(try await StoreIdentityTable.keep("s1", in: database) == "s1")
            #expect(try await StoreIdentityTable.keep("s2", in: database) == "s1", "a replica was first")
            #expect(
                try await StoreIdentityTable.load(database)
                    == StoreIdentity(database: first.database, store: "s1"))
        }
    }

    @Test(arguments: Engine.allCases) func `replicas that open a new database at once agree on its name`(
        engine: Engine
    ) async throws {
        try await TestDatabase(engine).with(migrations: Self.schema) { database in
            let names = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<8 { group.addTask { try await StoreIdentityTable.load(database).database } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(names.count == 1)
        }
    }
}
