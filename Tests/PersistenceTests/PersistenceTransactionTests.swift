import StorebusTesting
import Testing

@testable import Persistence

/// What a transaction is, on either engine.
@Suite struct PersistenceTransactionTests {
    private struct Refused: Error, Equatable {}

    @Test(arguments: Engine.allCases)
    func `a body that throws takes back its own changes only`(_ engine: Engine) async throws {
        try await TestDatabase.with(engine) { database async throws in
            let refusals = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        do {
                            try await database.write { transaction in
                                try await transaction.send("INSERT INTO item (name) VALUES (?)", "item \(number)")
                                if number.isMultiple(of: 2) { throw Refused() }
                            }
                            return false
                        } catch {
                            return error is Refused
                        }
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(refusals == 10)
            let rows = try await database.read { try await $0.query("SELECT name FROM item") }
            let names = try rows.map { try $0["name"] as String }
            #expect(Set(names) == Set(stride(from: 1, to: 20, by: 2).map { "item \($0)" }))
        }
    }

    @Test(arguments: Engine.allCases)
    func `a result is delivered after the commit`(_ engine: Engine) async throws {
        try await TestDatabase.with(engine) { database async throws in
            for number in 0..<50 {
                try await database.insert("item \(number)")
                // A reader sees committed rows only.
                #expect(try await database.count() == number + 1)
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `a statement that fails ends the transaction, also when the body catches the error`(_ engine: Engine)
        async throws
    {
        try await TestDatabase.with(engine) { database async throws in
            try await database.insert("twice")
            let error = await #expect(throws: PersistenceError.self) {
                try await database.write { transaction in
                    try await transaction.execute("INSERT INTO item (name) VALUES ('before')")
                    _ = try? await transaction.execute("INSERT INTO item (name) VALUES ('twice')")
                    _ = try? await transaction.execute("INSERT INTO item (name) VALUES ('behind')")
                }
            }
            #expect(error?.code == .constraint(.unique))
            #expect(try await database.count() == 1)
            try await database.insert("after")
        }
    }

    @Test(arguments: Engine.allCases)
    func `many at once lose nothing and see nothing half done`(_ engine: Engine) async throws {
        try await TestDatabase.with(engine) { database async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        try await database.write { transaction in
                            try await transaction.send("INSERT INTO item (name) VALUES (?)", "\(number) a")
                            try await transaction.send("INSERT INTO item (name) VALUES (?)", "\(number) b")
                        }
                    }
                    group.addTask {
                        let count = try await database.count()
                        #expect(count.isMultiple(of: 2))
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await database.count() == 400)
        }
    }

    @Test(arguments: Engine.allCases)
    func `the engine's clock is in milliseconds since 1970`(_ engine: Engine) async throws {
        try await TestDatabase.with(engine) { database async throws in
            let row = try await database.read { try await $0.queryOne("SELECT \($0.dialect.now) AS now") }
            let now: Int64 = try #require(try row?["now"])
            // A year of this program, and none of seconds or microseconds.
            #expect((1_700_000_000_000..<4_000_000_000_000).contains(now))
        }
    }

    @Test(arguments: Engine.allCases)
    func `text is put in order by its bytes`(_ engine: Engine) async throws {
        try await TestDatabase.with(engine) { database async throws in
            let names = ["b", "B", "a_", "a1", "ä", "Z", "aa", "a-"]
            for name in names { try await database.insert(name) }
            let rows = try await database.read { try await $0.query("SELECT name FROM item ORDER BY name") }
            let sorted = try rows.map { try $0["name"] as String }
            #expect(sorted == names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        }
    }
}
