import FoundationEssentials
import Persistence
import ServiceDatabase
import StoreModels
import StorebusTesting
import Testing

/// Goal: no position of a log is given twice, whatever was removed or put back, and a reader that cannot continue is told.
@Suite struct LogNumberTests {
    private static let table = EventTable("happened")
    /// As services write their schemas: the engine's words, and nothing about numbers that are given once.
    private static let schema = [
        Migration(
            number: 1, name: "events",
            sql: """
                CREATE TABLE happened (
                    position INTEGER PRIMARY KEY, xact BIGINT NOT NULL DEFAULT 0, written_at BIGINT NOT NULL)
                """)
    ]

    /// Writes rows, one commit each.
    /// - Returns: Their places.
    private static func write(
        _ count: Int, at wall: Int64 = 0, _ database: any SQLDatabase
    ) async throws -> [EventPosition] {
        var places: [EventPosition] = []
        for _ in 0..<count {
            let place = try await database.write { transaction in
                let row = try await transaction.queryOne(
                    "INSERT INTO happened (written_at) VALUES (?) RETURNING xact, position", wall)
                return try row.map { try EventPosition($0) }
            }
            places.append(try #require(place))
        }
        return places
    }

    private static func now(_ database: any SQLDatabase) async throws -> EventPosition {
        try await database.read { try await table.horizon(in: $0) }.begun
    }

    private static func fault(of place: EventPosition, _ database: any SQLDatabase) async -> PositionFault? {
        do {
            try await database.read { try await table.check(place, in: $0) }
            return nil
        } catch {
            return (error as? StoreError)?.positionFault
        }
    }

    @Test(arguments: Engine.allCases)
    func `numbers of removed rows are not given again, and a reader behind them goes on`(
        _ engine: Engine
    ) async throws {
        let test = try TestDatabase(engine)
        var given: [EventPosition] = []
        for _ in 0..<2 {
            try await test.with(migrations: Self.schema) { database in
                for _ in 0..<3 {
                    given += try await Self.write(3, database)
                    try await database.write { transaction in
                        _ = try await transaction.execute("DELETE FROM happened")
                    }
                    for place in given.suffix(3) { #expect(await Self.fault(of: place, database) == nil) }
                }
            }
        }
        #expect(given == given.sorted() && Set(given).count == given.count)
        #expect(Set(given.map(\.row)).count == given.count)
    }

    @Test func `a file that was copied and put back continues behind what it has written since`() async throws {
        let test = try TestDatabase(.sqlite)
        let copy = test.path + ".copy"
        var given = try await test.with(migrations: Self.schema) { try await Self.write(3, $0) }
        try FileManager.default.copyItem(atPath: test.path, toPath: copy)
        for _ in 0..<3 {
            given += try await test.with(migrations: Self.schema) { try await Self.write(20, $0) }
            for file in ["", "-wal", "-shm", ".lock"] {
                try? FileManager.default.removeItem(atPath: test.path + file)
            }
            try FileManager.default.copyItem(atPath: copy, toPath: test.path)
        }
        try await test.with(migrations: Self.schema) { database in
            given += try await Self.write(1, database)
            for place in given { #expect(await Self.fault(of: place, database) == nil) }
        }
        #expect(given == given.sorted() && Set(given).count == given.count)
    }

    @Test func `a dump that comes to a server with lower transaction numbers continues behind its rows`() async throws {
        let test = try TestDatabase(.postgres)
        var given = try await test.with(migrations: Self.schema) { try await Self.write(3, $0) }
        // The dump is of a server whose transactions had much higher numbers, and its sequence is at its first row.
        let beyond: Int64 = 1 << 50
        try await test.with(migrations: Self.schema) { database in
            try await database.write { transaction in
                try await transaction.execute("UPDATE happened SET xact = xact + ?", beyond)
                try await transaction.execute("UPDATE log_origin SET incarnation = 'of the other server'")
            }
        }
        given = given.map { EventPosition(transaction: $0.transaction + beyond, row: $0.row) }
        try await test.with(migrations: Self.schema) { database in
            let before = try await Self.now(database)
            #expect(given.allSatisfy { $0 < before })
            given += try await Self.write(3, database)
            for place in given { #expect(await Self.fault(of: place, database) == nil) }
        }
        #expect(given == given.sorted() && Set(given.map(\.row)).count == given.count)
    }

    @Test func `all sessions of a server have the same origin, which the next incarnation raises`() async throws {
        let test = try TestDatabase(.postgres)
        func origins(_ database: any SQLDatabase) async throws -> [String] {
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await database.read { reader in
                            try await reader.queryOne(
                                "SELECT current_setting('storebus.log_origin') AS origin, pg_sleep(0.05)")?["origin"]
                        } ?? ""
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
        let (first, second) = (
            try await test.open(migrations: Self.schema), try await test.open(migrations: Self.schema)
        )
        let before = Set(try await origins(first) + (try await origins(second)))
        #expect(before.count == 1)
        try await first.write { transaction in
            _ = try await transaction.execute("UPDATE log_origin SET incarnation = 'an earlier one'")
        }
        await first.close()
        await second.close()
        try await test.with(migrations: Self.schema) { database in
            let after = Set(try await origins(database))
            #expect(after.count == 1)
            #expect(try #require(after.first.flatMap(Int64.init)) > #require(before.first.flatMap(Int64.init)))
        }
    }

    @Test(arguments: Engine.allCases)
    func `a place ahead of the log is told, and one before rows that were removed for their age`(
        _ engine: Engine
    ) async throws {
        try await TestDatabase(engine).with(migrations: Self.schema) { database in
            let old = try await Self.write(3, at: 1, database)
            let new = try await Self.write(2, at: 100, database)
            let now = try await Self.now(database)
            #expect(await Self.fault(of: now, database) == nil)
            let ahead = EventPosition(
                transaction: now.transaction + (engine == .postgres ? 1 << 40 : 0), row: now.row + 1)
            #expect(await Self.fault(of: ahead, database) == .ahead)
            #expect(await Self.fault(of: EventPosition(row: 0), database) == nil)
            var counts: [Int] = []
            for _ in 0..<3 {
                counts.append(
                    try await database.write { transaction in
                        try await Self.table.prune(
                            writtenBefore: Timestamp(milliseconds: 50), limit: 2, in: transaction)
                    })
            }
            #expect(counts == [2, 1, 0])
            #expect(await Self.fault(of: old[0], database) == .removed)
            #expect(await Self.fault(of: old[1], database) == .removed)
            #expect(await Self.fault(of: old[2], database) == nil)
            // Nothing is removed behind the place that is named, and the record does not go back.
            let count = try await database.write { transaction in
                try await Self.table.recordRemoval(through: old[0], in: transaction)
                return try await Self.table.prune(
                    writtenBefore: Timestamp(milliseconds: 500), through: new[0], limit: 9, in: transaction)
            }
            #expect(count == 1)
            #expect(await Self.fault(of: old[2], database) == .removed)
            #expect(await Self.fault(of: new[0], database) == nil)
        }
    }

    @Test func `a table without a key that is numbered is no log`() async throws {
        let table = Migration(number: 2, name: "no log", sql: "CREATE TABLE other (position BIGINT)")
        try await TestDatabase(.sqlite).with(migrations: Self.schema + [table]) { database in
            let error = await #expect(throws: PersistenceError.self) {
                try await database.read { try await EventTable("other").horizon(in: $0) }
            }
            #expect(error?.message.contains("'other' is not a log") == true)
        }
    }
}
