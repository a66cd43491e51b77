import StorebusTesting
import Testing

@testable import Persistence

@Suite struct StatementTests {
    @Test(arguments: Engine.allCases) func `every kind of value comes back as it was bound`(_ engine: Engine)
        async throws
    {
        try await TestDatabase.with(engine) { database async throws in
            try await database.write { transaction in
                try await transaction.execute(
                    "INSERT INTO item (name, price, seen, weight, image) VALUES (?, ?, ?, ?, ?)",
                    "Île d’été 🏝", Int64.max, true, 0.5, [0, 255, 7] as [UInt8])
                try await transaction.execute(
                    "INSERT INTO item (name, price, image) VALUES (?, ?, ?)", "", nil as Int?, [] as [UInt8])
            }
            let rows = try await database.read { try await $0.query("SELECT * FROM item ORDER BY id") }
            #expect(try rows[0]["name"] == "Île d’été 🏝")
            #expect(try rows[0]["price"] == Int64.max)
            #expect(try rows[0]["seen"] == true)
            #expect(try rows[0]["weight"] == 0.5)
            #expect(try rows[0]["image"] == [0, 255, 7] as [UInt8])
            #expect(try rows[1]["price"] == nil as Int?)
            #expect(try rows[1]["image"] == [] as [UInt8])
        }
    }

    @Test(arguments: Engine.allCases) func `values of every length come back whole, one statement after another`(
        _ engine: Engine
    ) async throws {
        try await TestDatabase.with(engine) { database async throws in
            let lengths = [0, 1, 15, 16, 4095, 4096, 4097, 100_000, 3, 65_537, 0]
            for (number, length) in lengths.enumerated() {
                let name = "\(number)" + String(repeating: "ü", count: length)
                let image = [UInt8](repeating: UInt8(number), count: length)
                try await database.write { transaction in
                    try await transaction.execute("INSERT INTO item (name, image) VALUES (?, ?)", name, image)
                    let row = try await transaction.queryOne("SELECT name, image FROM item WHERE name = ?", name)
                    #expect(try row?["name"] == name && row?["image"] == image)
                }
            }
            #expect(try await database.count() == lengths.count)
        }
    }

    @Test(arguments: Engine.allCases) func `queries that were started have their rows, in any order`(
        _ engine: Engine
    ) async throws {
        try await TestDatabase.with(engine) { database async throws in
            try await database.write { transaction in
                try await transaction.send("INSERT INTO item (name) VALUES ('a')")
                let first = try await transaction.start("SELECT name FROM item WHERE name = ?", "a")
                let none = try await transaction.start("SELECT name FROM item WHERE name = ?", "b")
                try await transaction.send("INSERT INTO item (name) VALUES ('c')")
                let all = try await transaction.startAll("SELECT name FROM item ORDER BY name")
                let count = try await transaction.start("SELECT count(*) AS n FROM item")
                // The rows of this one are not asked for.
                _ = try await transaction.start("SELECT name FROM item")
                #expect(try await count.first()?["n"] == Int64(2))
                #expect(try await first.first()?["name"] == "a")
                let names: [String] = try await all.rows().map { try $0["name"] }
                #expect(names == ["a", "c"])
                let row = try await none.first()
                #expect(row == nil)
            }
            #expect(try await database.count() == 2)
        }
    }

    @Test(arguments: Engine.allCases) func `reading about several items keeps their order and ends where it is told to`(
        _ engine: Engine
    ) async throws {
        try await TestDatabase.with(engine) { database async throws in
            for number in 0..<20 { try await database.insert("item \(number)") }
            let items = (0..<20).reversed().map { "item \($0)" } + ["none"]
            for end in [nil, "item 12", "item 11", "item 3"] {
                let found = try await database.read { reader in
                    try await reader.pipelined(items) { item in
                        (item, try await reader.start("SELECT name FROM item WHERE name = ?", item))
                    } finish: { (item, query) -> String? in
                        guard item != end else { return nil }
                        return try await query.first()?["name"] ?? "no row of \(item)"
                    }
                }
                let all = items.dropLast() + ["no row of none"]
                #expect(found == Array(all.prefix { $0 != end }))
            }
        }
    }

    @Test(arguments: Engine.allCases) func `a query that was started and fails ends the transaction`(
        _ engine: Engine
    ) async throws {
        try await TestDatabase.with(engine) { database async throws in
            for isAsked in [true, false] {
                let error = await #expect(throws: PersistenceError.self) {
                    try await database.write { transaction in
                        try await transaction.send("INSERT INTO item (name) VALUES ('a')")
                        let query = try await transaction.start("SELECT nothing FROM item")
                        if isAsked { _ = try await query.first() }
                    }
                }
                #expect(error?.code == .statement)
                #expect(try await database.count() == 0)
            }
            try await database.insert("after")
        }
    }

    @Test(arguments: Engine.allCases) func `text that looks like SQL is stored, found and deleted as text (S12)`(
        _ engine: Engine
    ) async throws {
        let texts = [
            "'", "''", "' OR '1'='1", "'; DROP TABLE item; --", "\"; DELETE FROM item", "x\\' OR 1=1 --", "?", "$1",
            "%",
            "_", "/* */", "--", ";", "NULL", "{fn}", ":name", "E'\\x27'", "\u{FF07}", "$$",
            "' UNION SELECT id FROM shelf",
        ]
        try await TestDatabase.with(engine) { database async throws in
            for text in texts { try await database.insert(text) }
            for text in texts {
                let rows = try await database.read { try await $0.query("SELECT * FROM item WHERE name = ?", text) }
                #expect(try rows.map { try $0["name"] as String } == [text])
            }
            for (gone, text) in texts.enumerated() {
                let count = try await database.write {
                    try await $0.execute("DELETE FROM item WHERE name = ? AND name <> '?'", text)
                }
                #expect(count == (text == "?" ? 0 : 1), "\(text) of \(gone)")
            }
            let rows = try await database.read { try await $0.query("SELECT name FROM item") }
            #expect(try rows.map { try $0["name"] as String } == ["?"])
        }
    }

    @Test func `a column that is not there or holds something else is a typed error`() throws {
        let row = SQLRow(columns: ["name", "price"], values: [.text("a"), .null])
        #expect(throws: PersistenceError(.columnMissing, "no column 'title' in the result (name, price)")) {
            try row["title"] as String
        }
        #expect(throws: PersistenceError(.columnType, "column 'name' holds text, not Int")) { try row["name"] as Int }
        #expect(throws: PersistenceError.self) { try row["price"] as Int }
        #expect(try row["price"] as Int? == nil)
    }

    @Test(arguments: Engine.allCases) func `a broken constraint says which`(_ engine: Engine) async throws {
        try await TestDatabase.with(engine) { database async throws in
            try await database.insert("twice")
            let statements: [(String, PersistenceError.Constraint)] = [
                ("INSERT INTO item (name) VALUES ('twice')", .unique),
                ("INSERT INTO item (id, name) VALUES (1, 'other')", .unique),
                ("INSERT INTO item (name) VALUES (NULL)", .notNull),
                ("INSERT INTO item (name, price) VALUES ('cheap', -1)", .check),
                ("INSERT INTO item (name, shelf) VALUES ('lost', 404)", .foreignKey),
            ]
            for (sql, constraint) in statements {
                let error = await #expect(throws: PersistenceError.self) {
                    try await database.write { try await $0.execute(sql) }
                }
                #expect(error?.code == .constraint(constraint), "\(sql)")
            }
            let unique = await #expect(throws: PersistenceError.self) { try await database.insert("twice") }
            #expect(unique?.code == .constraint(.unique))
        }
    }

    @Test(arguments: Engine.allCases) func `a mistake in a statement is a statement error and harms nothing`(
        _ engine: Engine
    ) async throws {
        try await TestDatabase.with(engine) { database async throws in
            let error = await #expect(throws: PersistenceError.self) {
                try await database.write { try await $0.execute("INSERT INTO nothing VALUES (1)") }
            }
            #expect(error?.code == .statement)
            let arguments = await #expect(throws: PersistenceError.self) {
                try await database.write { try await $0.execute("INSERT INTO item (name) VALUES (?)") }
            }
            #expect(arguments?.code == .statement)
            #expect(database.fault == nil)
        }
    }

    @Test(arguments: Engine.allCases) func `RETURNING gives the new row and execute the number of changed ones`(
        _ engine: Engine
    ) async throws {
        try await TestDatabase.with(engine) { database async throws in
            let identifier = try await database.write { transaction -> Int? in
                try await transaction.queryOne("INSERT INTO item (name) VALUES (?) RETURNING id", "new")?["id"]
            }
            #expect(identifier == 1)
            let changed = try await database.write {
                try await $0.execute("UPDATE item SET price = 1 WHERE price IS NULL")
            }
            #expect(changed == 1)
            #expect(try await database.write { try await $0.execute("UPDATE item SET price = 1 WHERE id = 404") } == 0)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an INSERT gives its row's number, nil for a row that a conflict keeps out`(_ engine: Engine) async throws {
        try await TestDatabase.with(engine) { database async throws in
            let numbers = try await database.write { transaction in
                var numbers: [Int64?] = []
                for name in ["first", "second"] {
                    numbers.append(
                        try await transaction.insert("INSERT INTO item (name) VALUES (?)", name, numberedBy: "id"))
                }
                numbers.append(
                    try await transaction.insert(
                        "INSERT INTO item (id, name) VALUES (?, ?) ON CONFLICT DO NOTHING", 1, "third",
                        numberedBy: "id"))
                return numbers
            }
            #expect(numbers == [1, 2, nil])
            #expect(try await database.count() == 2)
        }
    }

    @Test(arguments: Engine.allCases) func `a list finds each of its values once, whatever their number`(
        _ engine: Engine
    ) async throws {
        try await TestDatabase.with(engine) { database async throws in
            for number in 1...9 { try await database.insert("\(number)") }
            for count in 0...9 {
                let (places, values) = SQLList.padded((0..<count).map { "\($0 + 1)" })
                let found = try await database.read { reader in
                    try await reader.query("SELECT id FROM item WHERE name IN (\(places))", arguments: values).count
                }
                #expect(found == count)
            }
        }
    }
}
