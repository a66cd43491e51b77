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

    // MARK: Rows of items, and counts of changes

    private static let above = SQLBatchStatement.query(
        "SELECT name, note, number FROM entry WHERE number >= ? ORDER BY number", .integer)
    private static let found = SQLBatchStatement.query("SELECT name, note, number FROM entry WHERE name = ?", .text)
    private static let deleted = SQLBatchStatement.delete(
        from: "entry", where: "name = ? AND number = ?", .text, .integer)
    private static let locking = SQLBatchStatement.query(
        "SELECT name, note, number FROM entry WHERE name = ?", lock: .waiting, .text)

    private static func names(_ statement: SQLBatchStatement, _ names: [String]) -> SQLBatch {
        var batch = SQLBatch(statement)
        for name in names { batch.append(name) }
        return batch
    }

    /// Runs a batch, and returns the number of rows that it has changed.
    private static func change(_ batch: SQLBatch, in database: any SQLDatabase) async throws -> Int {
        try await database.write { transaction in try await transaction.start(batch).changedCount() }
    }

    @Test(arguments: Engine.allCases)
    func `the rows of a batch are told apart by item, in the order of the items and of the query`(
        _ engine: Engine
    ) async throws {
        try await Self.with(engine) { database async throws in
            let all = (1...5).map { Entry("n\($0)", nil, Int64($0)) }
            try await Self.insert(all.reversed(), in: database)
            for numbers in [[], [6], [1], [4, 6], [6, 7, 8], [3, 1, 3, 9, 5]] as [[Int64]] {
                var batch = SQLBatch(Self.above)
                for number in numbers { batch.append(number) }
                let items = batch
                let rows = try await database.read { reader in
                    try await reader.start(items).rowsOfItems(numbers.count)
                }
                #expect(rows.count == numbers.count)
                for (number, rows) in zip(numbers, rows) {
                    #expect(try rows.map { row in try Entry(row) } == all.filter { ($0.number ?? 0) >= number })
                }
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `each of 300 items has its own rows, and most have none`(_ engine: Engine) async throws {
        var random = SplitMix64.seeded()
        let names = (0..<300).map { "n\($0)" }.shuffled(using: &random)
        let entries = names.filter { _ in Int.random(in: 0..<10, using: &random) == 0 }.map { Entry($0, "of \($0)") }
        try await Self.with(engine) { database async throws in
            try await Self.insert(entries, in: database)
            let items = Self.names(Self.found, names)
            let rows = try await database.read { reader in try await reader.start(items).rowsOfItems(names.count) }
            let known = Set(entries.map(\.name))
            for (name, rows) in zip(names, rows) {
                let expected = known.contains(name) ? [Entry(name, "of \(name)")] : []
                #expect(try rows.map { row in try Entry(row) } == expected)
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `the changed rows of a batch are counted: inserted, updated, deleted, and none for an item without a row`(
        _ engine: Engine
    ) async throws {
        let missing = SQLBatchStatement.insert(
            into: "entry", ["name": .text, "note": .text, "number": .integer], "ON CONFLICT (name) DO NOTHING")
        for count in [1, 3] {
            try await Self.with(engine) { database async throws in
                let entries = (0..<count).map { Entry("n\($0)", nil, Int64($0)) }
                #expect(try await Self.change(Self.insertion(entries), in: database) == count)
                var (again, updates, deletes) = (SQLBatch(missing), SQLBatch(Self.updated), SQLBatch(Self.deleted))
                for entry in entries + [Entry("other", nil, 99)] {
                    again.append(entry.name, "new", entry.number)
                    updates.append("changed", entry.number, entry.name)
                    deletes.append(entry.name, entry.number)
                }
                #expect(try await Self.change(again, in: database) == 1)
                #expect(try await Self.change(updates, in: database) == count + 1)
                #expect(try await Self.change(SQLBatch(Self.deleted), in: database) == 0)
                #expect(try await Self.change(deletes, in: database) == count + 1)
                #expect(try await Self.change(deletes, in: database) == 0)
                #expect(try await Self.change(updates, in: database) == 0)
                #expect(try await Self.all(in: database).isEmpty)
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `a DELETE removes the rows that meet the whole condition of an item`(_ engine: Engine) async throws {
        try await Self.with(engine) { database async throws in
            let all = [Entry("a", nil, 1), Entry("b", nil, 2), Entry("c"), Entry("d", nil, 4)]
            try await Self.insert(all, in: database)
            var deletes = SQLBatch(Self.deleted)
            // One of another number, one without a number, and one twice.
            for (name, number) in [("a", 2), ("b", 2), ("c", 3), ("d", 4), ("d", 4)] as [(String, Int64)] {
                deletes.append(name, number)
            }
            #expect(try await Self.change(deletes, in: database) == 2)
            #expect(try await Self.all(in: database).map(\.name) == ["a", "c"])
            var one = SQLBatch(Self.deleted)
            one.append("a", 1)
            #expect(try await Self.change(one, in: database) == 1)
            #expect(try await Self.all(in: database).map(\.name) == ["c"])
        }
    }

    @Test func `an UPDATE or DELETE tells rows apart by the first value of its condition`() {
        #expect(Self.updated.rowIndex == 2)
        #expect(Self.deleted.rowIndex == 0)
        #expect(Self.inserted.rowIndex == nil && Self.search.rowIndex == nil)
        let flag = SQLBatchStatement.update("entry", set: "note = NULL", where: "name = ?", .text)
        #expect(flag.rowIndex == 0)
    }

    @Test(arguments: Engine.allCases)
    func `a query that locks finds the same rows, alone and with others`(_ engine: Engine) async throws {
        try await Self.with(engine) { database async throws in
            try await Self.insert([Entry("a", "x", 1), Entry("b", "y", 2)], in: database)
            for names in [["a"], ["none"], ["b", "none", "a", "b"]] {
                let items = Self.names(Self.locking, names)
                let rows = try await database.write { transaction in
                    try await transaction.start(items).rowsOfItems(names.count)
                }
                let found = try rows.map { rows in try rows.map { row in try row["name"] as String } }
                #expect(found == names.map { $0 == "none" ? [] : [$0] })
            }
        }
    }

    @Test(arguments: [["b"], ["b", "none", "c"]])
    func `a query that locks keeps its rows from other transactions until the commit`(_ names: [String]) async throws {
        let free = SQLBatchStatement.query(
            "SELECT name FROM entry WHERE name = ? \(SQLDialect.postgres.skipLocked)", .text)
        try await Self.with(.postgres) { database async throws in
            try await Self.insert([Entry("a"), Entry("b"), Entry("c")], in: database)
            let gate = BlockingGate()
            let locked = Self.names(Self.locking, names)
            async let holding: Void = database.write { transaction in
                _ = try await transaction.start(locked).rows()
                await gate.wait()
            }
            try await eventually("rows are locked") { gate.isWaitedFor }
            let items = Self.names(free, ["a", "b", "c"])
            func unlocked() async throws -> [String] {
                let rows = try await database.write { transaction in try await transaction.start(items).rows() }
                return try rows.map { row in try row["name"] as String }.sorted()
            }
            #expect(try await unlocked() == ["a", "b", "c"].filter { !names.contains($0) })
            gate.open()
            try await holding
            #expect(try await unlocked() == ["a", "b", "c"])
        }
    }

    // MARK: Lookups and changes

    private static func entry(_ name: String) -> SQLLookup<Entry?> {
        SQLLookup(first: found, name) { row in try Entry(row) }
    }

    private static func entries(from number: Int64) -> SQLLookup<[Entry]> {
        SQLLookup(all: above, number) { row in try Entry(row) }
    }

    private static func count(from number: Int64) -> SQLLookup<Int> { SQLLookup(above, number) { $0.count } }

    private static func rename(_ name: String, note: String?, number: Int64?) -> SQLChange {
        SQLChange(updated, note, number, name, changes: 1)
    }

    @Test(arguments: Engine.allCases)
    func `a lookup answers with the first row, with all rows, or with what is made of them`(
        _ engine: Engine
    ) async throws {
        try await Self.with(engine) { database async throws in
            let all = [Entry("a", "x", 1), Entry("b", nil, 2), Entry("c", "z", 3)]
            try await Self.insert(all, in: database)
            try await database.read { reader async throws in
                #expect(try await reader.read(Self.entry("b")) == all[1])
                #expect(try await reader.read(Self.entry("none")) == nil)
                #expect(try await reader.read(Self.entries(from: 2)) == [all[1], all[2]])
                #expect(try await reader.read(Self.entries(from: 4)).isEmpty)
                #expect(try await reader.read(Self.count(from: 1)) == 3)
                #expect(try await reader.read(Self.entry("c").map { $0?.note ?? "none" }) == "z")
                #expect(try await reader.read(Self.entry("d").map { $0?.note ?? "none" }) == "none")
            }
        }
    }

    @Test func `lookups are equal by their statement and values, not by what they make of the rows`() {
        #expect(Self.entries(from: 2).key == Self.count(from: 2).key)
        #expect(Self.entry("a").key == Self.entry("a").map { $0 == nil }.key)
        #expect(Self.entries(from: 2).key != Self.entries(from: 3).key)
        // Texts are bytes, not what Unicode calls equal.
        #expect(Self.entry("\u{e9}").key != Self.entry("e\u{301}").key)
        // Another statement with the same text.
        let same = SQLBatchStatement.query("SELECT name, note, number FROM entry WHERE name = ?", .text)
        #expect(SQLLookup(same, "a") { $0.count }.key != Self.entry("a").key)
        #expect(Set([Self.entry("a").key, Self.entry("a").key, Self.entries(from: 2).key]).count == 2)
    }

    @Test(arguments: Engine.allCases)
    func `lookups that are started together have each its rows, also equal ones and those without rows`(
        _ engine: Engine
    ) async throws {
        var random = SplitMix64.seeded()
        try await Self.with(engine) { database async throws in
            let all = (20..<60).map { Entry("n\($0)", "of \($0)", Int64($0)) } + [Entry("e\u{301}", "two bytes more")]
            try await Self.insert(all, in: database)
            for count in [0, 1, 2, 60] {
                // Some of them several times, of two statements, in any order.
                var names = (0..<count).map { _ in "n\(Int.random(in: 0..<80, using: &random))" }
                if count > 2 { names += ["\u{e9}", "e\u{301}"] }
                let numbers = (0..<count / 2).map { _ in Int64.random(in: 55..<65, using: &random) }
                let keys = (names.map { Self.entry($0).key } + numbers.map { Self.entries(from: $0).key })
                    .shuffled(using: &random)
                let rows = try await database.read { reader in try await reader.start(keys).rows() }
                #expect(Set(rows.keys) == Set(keys))
                for name in names {
                    let lookup = Self.entry(name)
                    let expected = all.first { Array($0.name.utf8) == Array(name.utf8) }
                    #expect(try lookup.answer(rows[lookup.key] ?? []) == expected)
                }
                for number in numbers {
                    let lookup = Self.entries(from: number)
                    let expected = all.filter { ($0.number ?? 0) >= number }
                    #expect(try lookup.answer(rows[lookup.key] ?? []) == expected)
                }
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `an answer that cannot be made of the rows is the reader's error`(_ engine: Engine) async throws {
        struct Unreadable: Error {}
        let lookup = SQLLookup<Int?>(first: Self.found, "a") { _ in throw Unreadable() }
        try await Self.with(engine) { database async throws in
            let none = try await database.read { reader in try await reader.read(lookup) }
            #expect(none == nil)
            try await Self.insert([Entry("a")], in: database)
            await #expect(throws: Unreadable.self) {
                _ = try await database.read { reader in try await reader.read(lookup) }
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `a change tells how many rows it has changed, and is sent without a look at them`(
        _ engine: Engine
    ) async throws {
        try await Self.with(engine) { database async throws in
            try await Self.insert([Entry("a", "x", 1), Entry("b", "y", 2)], in: database)
            #expect(Self.rename("a", note: nil, number: nil).rowCount == 1)
            #expect(SQLChange(Self.deleted, "a", 1).rowCount == nil)
            try await database.write { transaction async throws in
                #expect(try await transaction.execute(Self.rename("a", note: "changed", number: 7)) == 1)
                #expect(try await transaction.execute(Self.rename("none", note: "changed", number: 7)) == 0)
                #expect(try await transaction.execute(SQLChange(Self.inserted, "c", "z", 3)) == 1)
                #expect(try await transaction.execute(SQLChange(Self.deleted, "b", 1)) == 0)
                #expect(try await transaction.execute(SQLChange(Self.deleted, "b", 2)) == 1)
                // It finds no row, and that is no error.
                try await transaction.send(Self.rename("none", note: nil, number: nil))
                try await transaction.send(Self.rename("c", note: nil, number: 4))
            }
            #expect(try await Self.all(in: database) == [Entry("a", "changed", 7), Entry("c", nil, 4)])
            let error = await #expect(throws: PersistenceError.self) {
                _ = try await database.write { try await $0.execute(SQLChange(Self.inserted, "c", nil as String?, 1)) }
            }
            #expect(error?.code == .constraint(.unique))
        }
    }
}
