import StorebusTesting
import Testing

@testable import Persistence

/// Goal: a statement about many items does what the statement about each of them does, on both engines.
@Suite struct SQLBatchTests {
    private static let schema = [
        Migration(
            number: 1, name: "entries",
            sql: """
                CREATE TABLE entry (
                    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, note TEXT, number BIGINT CHECK (number <> 13));
                CREATE TABLE copied (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, number BIGINT);
                """)
    ]

    private static let inserted = SQLBatchStatement.insert(
        into: "entry", ["name": .text, "note": .text, "number": .integer])
    private static let search = SQLBatchStatement.query(
        "SELECT ? AS tag, name, note, number FROM entry WHERE name = ?", .text, .text)
    private static let updated = SQLBatchStatement.update(
        "entry", set: "note = ?, number = ?", where: "name = ?", .text, .integer, .text)

    private struct Entry: Hashable, Sendable {
        var name: String
        var note: String?
        var number: Int64?

        init(_ name: String, _ note: String? = nil, _ number: Int64? = nil) {
            (self.name, self.note, self.number) = (name, note, number)
        }

        init(_ row: SQLRow) throws(PersistenceError) {
            self.init(try row["name"], try row["note"], try row["number"])
        }

        /// Its texts as bytes, because `==` asks only whether Unicode calls them equal.
        var bytes: [[UInt8]] { [Array(name.utf8), Array((note ?? "").utf8)] }
    }

    private static func with(_ engine: Engine, _ body: (any SQLDatabase) async throws -> Void) async throws {
        try await TestDatabase(engine).with(migrations: schema, body)
    }

    private static func insertion(_ entries: [Entry]) -> SQLBatch {
        var batch = SQLBatch(inserted)
        for entry in entries { batch.append(entry.name, entry.note, entry.number) }
        return batch
    }

    private static func searches(_ names: [String]) -> SQLBatch {
        var batch = SQLBatch(search)
        for name in names { batch.append("of \(name)", name) }
        return batch
    }

    private static func insert(_ entries: [Entry], in database: any SQLDatabase) async throws {
        let batch = insertion(entries)
        try await database.write { try await $0.send(batch) }
    }

    /// Finds entries. Each row has to have the tag of its own item.
    private static func find(_ names: [String], in database: any SQLDatabase) async throws -> [Entry] {
        let batch = searches(names)
        let rows = try await database.read { reader in try await reader.start(batch).rows() }
        for row in rows {
            let (tag, name): (String, String) = (try row["tag"], try row["name"])
            #expect(tag == "of \(name)")
        }
        return try rows.map { row in try Entry(row) }
    }

    private static func update(_ entries: [Entry], in database: any SQLDatabase) async throws {
        var batch = SQLBatch(updated)
        for entry in entries { batch.append(entry.note, entry.number, entry.name) }
        let items = batch
        try await database.write { try await $0.send(items) }
    }

    /// All entries in the order in which they were inserted.
    private static func all(in database: any SQLDatabase) async throws -> [Entry] {
        let rows = try await database.read { reader in
            try await reader.query("SELECT name, note, number FROM entry ORDER BY id")
        }
        return try rows.map { row in try Entry(row) }
    }

    @Test(arguments: Engine.allCases, [0, 1, 2, 300])
    func `any number of items is inserted in its order, found, and updated`(
        _ engine: Engine, _ count: Int
    ) async throws {
        var random = SplitMix64.seeded()
        try await Self.with(engine) { database async throws in
            let other = Entry("other", "kept", -1)
            try await Self.insert([other], in: database)
            var entries = (0..<count).map { Entry("n\($0)", "note \($0)", Int64($0) + 100) }.shuffled(using: &random)
            try await Self.insert(entries, in: database)
            #expect(try await Self.all(in: database) == [other] + entries)
            let names = entries.map(\.name).shuffled(using: &random)
            let found = try await Self.find(names, in: database)
            #expect(found.count == count && Set(found) == Set(entries))
            for place in entries.indices where place % 3 != 0 {
                entries[place].note = place % 3 == 1 ? nil : "changed \(place)"
                entries[place].number = place % 2 == 0 ? nil : Int64(-place)
            }
            try await Self.update(entries.shuffled(using: &random), in: database)
            #expect(try await Self.all(in: database) == [other] + entries)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a batch counts its items, and one without items is no statement`(_ engine: Engine) async throws {
        #expect(SQLBatch(Self.inserted).isEmpty && SQLBatch(Self.inserted).count == 0)
        let two = Self.insertion([Entry("a"), Entry("b")])
        #expect(two.count == 2 && !two.isEmpty)
        #expect(SQLBatch(Self.inserted).statements(.sqlite).isEmpty)
        #expect(SQLBatch(Self.inserted).statements(.postgres).isEmpty)
        #expect(two.statements(.sqlite).count == 2)
        #expect(two.statements(.postgres).count == 1)
        try await Self.with(engine) { database async throws in
            try await Self.insert([], in: database)
            #expect(try await Self.find([], in: database).isEmpty)
            #expect(try await Self.all(in: database).isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `NULL is NULL among texts and numbers, also if all of a column are`(_ engine: Engine) async throws {
        let mixed = [Entry("a"), Entry("b", "x"), Entry("c", nil, 5), Entry("d", "", 0), Entry("e", "y", 6)]
        for entries in [mixed, [Entry("a"), Entry("b")], [Entry("a")]] {
            try await Self.with(engine) { database async throws in
                try await Self.insert(entries, in: database)
                #expect(try await Self.all(in: database) == entries)
                #expect(Set(try await Self.find(entries.map(\.name), in: database)) == Set(entries))
                let filled = entries.map { Entry($0.name, "filled", 7) }
                try await Self.update(filled, in: database)
                #expect(try await Self.all(in: database) == filled)
                try await Self.update(entries, in: database)
                #expect(try await Self.all(in: database) == entries)
            }
        }
    }

    private static let texts = [
        "", " ", "'", "''", "\"", "\"\"", "\\", "\\\\", "\\'", "{", "}", "{}", "{\"a\",NULL}", "{{1,2},{3,4}}", "NULL",
        "null", ",", "a,b", "\n", "\r\n", "\t", "?", "$1", "%", "item.v1", "'; DROP TABLE entry; --", "\u{1}",
        "\u{7f}", "\u{e9}", "e\u{301}", "Île d’été 🏝", "日本語", "\u{FF07}", "\u{10FFFF}", "👩‍👩‍👧",
    ]

    @Test(arguments: Engine.allCases)
    func `any text is stored and found byte for byte, with many others and alone (S12)`(
        _ engine: Engine
    ) async throws {
        let entries = Self.texts.map { Entry($0, $0) }
        for batches in [[entries], entries.map { [$0] }] {
            try await Self.with(engine) { database async throws in
                for batch in batches { try await Self.insert(batch, in: database) }
                #expect(try await Self.all(in: database).map(\.bytes) == entries.map(\.bytes))
                for batch in batches {
                    let found = try await Self.find(batch.map(\.name), in: database)
                    #expect(Set(found.map(\.bytes)) == Set(batch.map(\.bytes)) && found.count == batch.count)
                }
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `numbers have 64 bits, and booleans are 0 and 1`(_ engine: Engine) async throws {
        let numbers: [Int64] = [
            Int64.min, Int64.min + 1, -4_294_967_297, -1, 0, 1, 4_294_967_296, Int64.max - 1, Int64.max,
        ]
        let entries = numbers.map { Entry("n\($0)", nil, $0) }
        for batches in [[entries], entries.map { [$0] }] {
            try await Self.with(engine) { database async throws in
                for batch in batches { try await Self.insert(batch, in: database) }
                #expect(try await Self.all(in: database) == entries)
                var flags = SQLBatch(Self.inserted)
                flags.append("yes", "", true)
                flags.append("no", "", false)
                let items = flags
                try await database.write { try await $0.send(items) }
                #expect(
                    try await Self.all(in: database).suffix(2) == [Entry("yes", "", 1), Entry("no", "", 0)])
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `long texts come whole`(_ engine: Engine) async throws {
        let entries = [0, 1, 4_095, 4_096, 65_537, 300_000].map { length in
            Entry("n\(length)", String(repeating: "ü", count: length), Int64(length))
        }
        try await Self.with(engine) { database async throws in
            try await Self.insert(entries, in: database)
            #expect(try await Self.all(in: database) == entries)
        }
    }

    @Test(arguments: Engine.allCases)
    func `items without a row, and items that are asked about twice, have as many rows as alone`(
        _ engine: Engine
    ) async throws {
        try await Self.with(engine) { database async throws in
            try await Self.insert([Entry("a", "x", 1), Entry("b", "y", 2)], in: database)
            let found = try await Self.find(["none", "a", "missing", "a", "b"], in: database)
            #expect(found.map(\.name).sorted() == ["a", "a", "b"])
            #expect(try await Self.find(["none"], in: database).isEmpty)
            #expect(try await Self.find(["none", "missing"], in: database).isEmpty)
            try await Self.update([Entry("none", "z", 3), Entry("b", "z", 3)], in: database)
            #expect(try await Self.all(in: database) == [Entry("a", "x", 1), Entry("b", "z", 3)])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a constraint that one item violates takes back the whole transaction`(_ engine: Engine) async throws {
        try await Self.with(engine) { database async throws in
            try await Self.insert([Entry("there")], in: database)
            let refused: [([Entry], PersistenceError.Constraint)] = [
                ([Entry("a"), Entry("b"), Entry("a")], .unique), ([Entry("a"), Entry("there"), Entry("b")], .unique),
                ([Entry("a"), Entry("b", nil, 13), Entry("c")], .check), ([Entry("there")], .unique),
            ]
            for (entries, constraint) in refused {
                let (before, batch) = (Self.insertion([Entry("before")]), Self.insertion(entries))
                let error = await #expect(throws: PersistenceError.self) {
                    try await database.write { transaction in
                        try await transaction.send(before)
                        try await transaction.send(batch)
                    }
                }
                #expect(error?.code == .constraint(constraint))
                if constraint == .unique { #expect(error?.isUniqueViolation(of: "entry") == true) }
                #expect(try await Self.all(in: database) == [Entry("there")])
            }
            let change = [Entry("there", nil, 13), Entry("none", nil, 13)]
            let error = await #expect(throws: PersistenceError.self) { try await Self.update(change, in: database) }
            #expect(error?.code == .constraint(.check))
            try await Self.insert([Entry("a"), Entry("b")], in: database)
            #expect(try await Self.all(in: database).map(\.name) == ["there", "a", "b"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `batches that were started have their rows in any order, behind what was sent before them`(
        _ engine: Engine
    ) async throws {
        let (written, one, other) = (
            Self.insertion([Entry("a"), Entry("b"), Entry("c")]), Self.searches(["a", "b"]), Self.searches(["c"])
        )
        try await Self.with(engine) { database async throws in
            try await database.write { transaction in
                try await transaction.send(written)
                let first = try await transaction.start(one)
                let count = try await transaction.start("SELECT count(*) AS n FROM entry")
                let second = try await transaction.start(other)
                // The rows of this one are not asked for.
                _ = try await transaction.start(one)
                let names: [String] = try await second.rows().values(of: "name")
                #expect(names == ["c"])
                #expect(try await count.first()?["n"] == Int64(3))
                let rest: [String] = try await first.rows().values(of: "name")
                #expect(rest.sorted() == ["a", "b"])
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `rows that exist already are left out where the statement says so`(_ engine: Engine) async throws {
        let missing = SQLBatchStatement.insert(
            into: "entry", ["name": .text, "note": .text, "number": .integer], "ON CONFLICT (name) DO NOTHING")
        let copies = SQLBatchStatement.insert(
            into: "copied (name, number)", selecting: "SELECT name, number FROM entry WHERE name = ?",
            "ON CONFLICT (name) DO NOTHING", .text)
        for count in [1, 3] {
            try await Self.with(engine) { database async throws in
                try await Self.insert([Entry("n0", "kept", 1)], in: database)
                var (rows, copied) = (SQLBatch(missing), SQLBatch(copies))
                for number in 0..<count {
                    rows.append("n\(number)", "new", Int64(number) + 50)
                    copied.append("n\(number)")
                }
                let (entries, items) = (rows, copied)
                for _ in 0..<2 {
                    try await database.write { transaction in
                        try await transaction.send(entries)
                        try await transaction.send(items)
                    }
                }
                let expected = [Entry("n0", "kept", 1)] + (1..<count).map { Entry("n\($0)", "new", Int64($0) + 50) }
                #expect(try await Self.all(in: database) == expected)
                let names = try await database.read { reader in
                    try await reader.query("SELECT name FROM copied ORDER BY id")
                }
                #expect(try names.map { row in try row["name"] as String } == expected.map(\.name))
            }
        }
    }

    @Test func `rows that another transaction has locked are left out where the statement says so`() async throws {
        let free = SQLBatchStatement.query(
            "SELECT name FROM entry WHERE name = ? \(SQLDialect.postgres.skipLocked)", .text)
        try await Self.with(.postgres) { database async throws in
            try await Self.insert([Entry("a"), Entry("b"), Entry("c")], in: database)
            let gate = BlockingGate()
            async let holding: Void = database.write { transaction in
                _ = try await transaction.query("SELECT id FROM entry WHERE name = 'b' FOR UPDATE")
                await gate.wait()
            }
            try await eventually("a row is locked") { gate.isWaitedFor }
            for names in [["a", "b", "c"], ["b"], ["a"]] {
                var batch = SQLBatch(free)
                for name in names { batch.append(name) }
                let items = batch
                let rows = try await database.write { transaction in try await transaction.start(items).rows() }
                let found = try rows.map { row in try row["name"] as String }
                #expect(found.sorted() == names.filter { $0 != "b" })
            }
            gate.open()
            try await holding
        }
    }
}
