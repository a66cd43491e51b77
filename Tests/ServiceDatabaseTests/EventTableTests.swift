import Persistence
import ServiceDatabase
import StorebusTesting
import Testing

/// Goal: a reader that continues at a place misses nothing, however the commits overlap.
@Suite struct EventTableTests {
    private static let table = EventTable("happened")
    private static let schema = [
        Migration(
            number: 1, name: "events",
            sql: """
                CREATE TABLE happened (
                    position INTEGER PRIMARY KEY, xact BIGINT NOT NULL DEFAULT 0, word TEXT NOT NULL)
                """)
    ]

    private func with(_ engine: Engine, _ body: (any SQLDatabase) async throws -> Void) async throws {
        try await TestDatabase(engine).with(migrations: Self.schema, body)
    }

    private func write(_ word: String, _ database: any SQLDatabase) async throws {
        _ = try await database.write { try await $0.execute("INSERT INTO happened (word) VALUES (?)", word) }
    }

    /// What can be read behind a place, in order, and the place behind it.
    private func words(
        after: EventPosition, _ database: any SQLDatabase
    ) async throws -> (words: [String], end: EventPosition) {
        try await database.read { reader in
            let dialect = reader.dialect
            let rows = try await reader.query(
                """
                SELECT xact, position, word FROM happened
                WHERE \(dialect.eventPosition) > \(dialect.eventParameter)\(dialect.eventIsSettled)
                ORDER BY \(dialect.eventOrder)
                """, arguments: dialect.arguments(after))
            return (try rows.map { try $0["word"] }, try rows.last.map { try EventPosition($0) } ?? after)
        }
    }

    @Test func `now is behind all that was committed and before all that comes`() async throws {
        try await with(.sqlite) { database in
            let begin = try await Self.table.now(in: database)
            try await write("one", database)
            let middle = try await Self.table.now(in: database)
            try await write("two", database)
            #expect(begin < middle)
            #expect(try await words(after: begin, database).words == ["one", "two"])
            #expect(try await words(after: middle, database).words == ["two"])
            let horizon = try await database.read { try await Self.table.horizon(in: $0) }
            #expect(horizon.settled == horizon.begun)
            #expect(try await words(after: horizon.settled, database).words.isEmpty)
        }
    }

    @Test func `on a server, which transactions of other tests may hold back, nothing is missed either`() async throws {
        try await with(.postgres) { database in
            let begin = try await Self.table.now(in: database)
            try await write("one", database)
            let middle = try await Self.table.now(in: database)
            try await write("two", database)
            try await eventually("both can be read") {
                try await words(after: begin, database).words == ["one", "two"]
            }
            #expect(try await words(after: middle, database).words.last == "two")
        }
    }

    @Test func `an event whose commit is slow is not skipped by who reads on meanwhile`() async throws {
        try await with(.postgres) { database in
            let start = try await Self.table.now(in: database)
            let (written, gate) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
            async let slow: Void = database.write { transaction in
                _ = try await transaction.execute("INSERT INTO happened (word) VALUES ('slow')")
                written.continuation.finish()
                for await _ in gate.stream {}
            }
            for await _ in written.stream {}
            try await write("quick", database)
            let horizon = try await database.read { try await Self.table.horizon(in: $0) }
            #expect(horizon.settled < horizon.begun)
            let early = try await words(after: start, database)
            #expect(early.words.isEmpty)
            // It waits for the slow one a second, and then names the place before it, so that none is missed.
            let now = try await Self.table.now(in: database)
            gate.continuation.finish()
            try await slow
            for place in [early.end, now] {
                try await eventually("both can be read") {
                    try await words(after: place, database).words == ["slow", "quick"]
                }
            }
        }
    }
}
