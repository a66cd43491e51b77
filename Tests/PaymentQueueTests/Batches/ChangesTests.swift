import Persistence
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: the changes of a batch leave the rows that they would leave one after the other, in as few statements as each
/// customer's order allows.
/// Method: tables of the test's own, on both engines. The numbers that an engine gives to rows tell their order.
@Suite struct ChangesTests {
    private static let schema = [
        Migration(
            number: 1, name: "notes",
            sql: """
                CREATE TABLE note (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, revision BIGINT NOT NULL);
                CREATE TABLE line (id INTEGER PRIMARY KEY, note TEXT NOT NULL REFERENCES note (name));
                """)
    ]

    private static let inserted = SQLBatchStatement.insert(into: "note", ["name": .text, "revision": .integer])
    private static let revised = SQLBatchStatement.update(
        "note", set: "revision = ?", where: "name = ? AND revision = ?", .integer, .text, .integer)
    private static let deleted = SQLBatchStatement.delete(from: "note", where: "name = ?", .text)
    private static let insertedLine = SQLBatchStatement.insert(into: "line", ["note": .text])

    private static func insert(_ name: String) -> SQLChange { SQLChange(inserted, name, 1) }

    private static func insertLine(of note: String) -> SQLChange { SQLChange(insertedLine, note) }

    /// Raises a revision, which must be the given one.
    private static func revise(_ name: String, from revision: Int, changes count: Int? = 1) -> SQLChange {
        SQLChange(revised, revision + 1, name, revision, changes: count)
    }

    private static func delete(_ name: String, changes count: Int? = 1) -> SQLChange {
        SQLChange(deleted, name, changes: count)
    }

    private static let alice = BatchSample.customer("alice")
    private static let bob = BatchSample.customer("bob")

    private static func with(_ engine: Engine, _ body: (any SQLDatabase) async throws -> Void) async throws {
        try await TestDatabase(engine).with(migrations: schema, body)
    }

    private static func write(_ changes: Changes, in database: any SQLDatabase) async throws {
        try await database.write { transaction in try await changes.write(in: transaction) }
    }

    /// The notes with their revisions, in the order in which they were inserted.
    private static func notes(in database: any SQLDatabase) async throws -> [String] {
        try await database.read { reader in
            try await reader.query("SELECT name, revision FROM note ORDER BY id").map { row -> String in
                let (name, revision): (String, Int) = (try row["name"], try row["revision"])
                return "\(name) \(revision)"
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `a customer's changes are written in their order`(_ engine: Engine) async throws {
        try await Self.with(engine) { database async throws in
            var changes = Changes()
            // Each of them needs those before it.
            changes.append(
                [
                    Self.insert("a"), Self.insertLine(of: "a"), Self.insert("b"), Self.revise("b", from: 1),
                    Self.delete("b"), Self.insert("b"), Self.insertLine(of: "b"),
                ], of: Self.alice)
            changes.append([Self.revise("a", from: 1), Self.insert("c")], of: Self.alice)
            changes.append([Self.revise("b", from: 1), Self.delete("c"), Self.insert("c")], of: Self.alice)
            try await Self.write(changes, in: database)
            #expect(try await Self.notes(in: database) == ["a 2", "b 2", "c 1"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `customers share statements, as far as the order of each allows`(_ engine: Engine) async throws {
        try await Self.with(engine) { database async throws in
            var changes = Changes()
            for number in 0..<50 {
                changes.append(
                    [
                        Self.insert("first \(number)"), Self.insertLine(of: "first \(number)"),
                        Self.revise("first \(number)", from: 1), Self.insert("second \(number)"),
                    ], of: BatchSample.customer("\(number)"))
            }
            try await Self.write(changes, in: database)
            // All first ones are of one statement, and all second ones of a later one.
            let expected = (0..<50).map { "first \($0) 2" } + (0..<50).map { "second \($0) 1" }
            #expect(try await Self.notes(in: database) == expected)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a customer's change goes into the first statement that is not before its last one`(
        _ engine: Engine
    ) async throws {
        try await Self.with(engine) { database async throws in
            var changes = Changes()
            changes.append(
                [Self.insert("a1"), Self.revise("a1", from: 1), Self.insert("a2"), Self.insert("a3")], of: Self.alice)
            // Both of its notes are of the first statement, although Alice has one more.
            changes.append([Self.insert("b1"), Self.insert("b2"), Self.revise("b2", from: 1)], of: Self.bob)
            changes.append([Self.insert("b3")], of: Self.bob)
            try await Self.write(changes, in: database)
            #expect(try await Self.notes(in: database) == ["a1 2", "b1 1", "b2 2", "a2 1", "a3 1", "b3 1"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `updates of one row are one after the other, and those of other rows are shared`(
        _ engine: Engine
    ) async throws {
        try await Self.with(engine) { database async throws in
            var changes = Changes()
            let names = (0..<20).map { "n\($0)" }
            for name in names { changes.append([Self.insert(name)], of: BatchSample.customer(name)) }
            for revision in 1..<8 {
                for name in names {
                    changes.append([Self.revise(name, from: revision)], of: BatchSample.customer(name))
                }
            }
            // Also by another customer.
            changes.append([Self.revise("n3", from: 8)], of: Self.alice)
            try await Self.write(changes, in: database)
            let expected = names.map { $0 == "n3" ? "n3 9" : "\($0) 8" }
            #expect(try await Self.notes(in: database) == expected)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a row that is inserted and updated in one batch has the update`(_ engine: Engine) async throws {
        for count in [1, 3] {
            try await Self.with(engine) { database async throws in
                var changes = Changes()
                for number in 0..<count {
                    changes.append(
                        [Self.insert("n\(number)"), Self.revise("n\(number)", from: 1)],
                        of: BatchSample.customer("\(number)"))
                }
                try await Self.write(changes, in: database)
                #expect(try await Self.notes(in: database) == (0..<count).map { "n\($0) 2" })
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `a change that has not hit its row fails all, in any place, also among others of its statement`(
        _ engine: Engine
    ) async throws {
        let wrong = [
            Self.revise("none", from: 1), Self.revise("a", from: 7), Self.delete("none"),
            SQLChange(Self.revised, 5, "b", 1, changes: 2),
        ]
        for change in wrong {
            for place in 0...3 {
                try await Self.with(engine) { database async throws in
                    var first = Changes()
                    first.append([Self.insert("a"), Self.insert("b"), Self.insert("c")], of: Self.alice)
                    try await Self.write(first, in: database)
                    var all = [Self.revise("c", from: 1), Self.delete("c"), Self.insert("d")]
                    all.insert(change, at: place)
                    var changes = Changes()
                    changes.append(all, of: Self.alice)
                    let bad = changes
                    let error = await #expect(throws: PersistenceError.self) { try await Self.write(bad, in: database) }
                    #expect(error?.code == .conflict)
                    #expect(try await Self.notes(in: database) == ["a 1", "b 1", "c 1"])
                }
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `the rows that changes must hit are counted together, for each statement`(_ engine: Engine) async throws {
        try await Self.with(engine) { database async throws in
            var first = Changes()
            let names = (0..<30).map { "n\($0)" }
            first.append(names.map { Self.insert($0) }, of: Self.alice)
            try await Self.write(first, in: database)
            var changes = Changes()
            for name in names { changes.append([Self.revise(name, from: 1)], of: BatchSample.customer(name)) }
            try await Self.write(changes, in: database)
            #expect(try await Self.notes(in: database) == names.map { "\($0) 2" })
            // One of 30.
            var again = Changes()
            for name in names {
                again.append([Self.revise(name, from: name == "n17" ? 1 : 2)], of: BatchSample.customer(name))
            }
            let bad = again
            let error = await #expect(throws: PersistenceError.self) { try await Self.write(bad, in: database) }
            #expect(error?.code == .conflict)
            #expect(try await Self.notes(in: database) == names.map { "\($0) 2" })
        }
    }

    @Test(arguments: Engine.allCases)
    func `changes that need no row may hit none`(_ engine: Engine) async throws {
        try await Self.with(engine) { database async throws in
            var changes = Changes()
            changes.append(
                [
                    Self.delete("none", changes: nil), Self.revise("none", from: 1, changes: nil), Self.insert("a"),
                    Self.delete("a", changes: nil), Self.delete("b", changes: nil),
                ], of: Self.alice)
            try await Self.write(changes, in: database)
            #expect(try await Self.notes(in: database).isEmpty)
            try await Self.write(Changes(), in: database)
        }
    }

    @Test(arguments: 0..<4, Engine.allCases)
    func `any changes leave the rows that they leave one after the other`(_ round: Int, _ engine: Engine) async throws {
        var random = SplitMix64.seeded("changes \(round)")
        try await Self.with(engine) { database async throws in
            // Each customer's notes with their revisions, and those that were deleted.
            var notes: [[String: Int]] = Array(repeating: [:], count: 6)
            var gone: [[String]] = Array(repeating: [], count: 6)
            var count = 0
            for _ in 0..<12 {
                var changes = Changes()
                for _ in 0..<Int.random(in: 1...40, using: &random) {
                    let place = Int.random(in: notes.indices, using: &random)
                    var command: [SQLChange] = []
                    for _ in 0..<Int.random(in: 1...4, using: &random) {
                        let known = notes[place].keys.sorted().randomElement(using: &random)
                        switch (Int.random(in: 0..<10, using: &random), known) {
                        case (0..<5, let name?):
                            let revision = notes[place][name, default: 0]
                            command.append(Self.revise(name, from: revision))
                            notes[place][name] = revision + 1
                        case (5..<7, let name?):
                            command.append(Self.delete(name))
                            notes[place][name] = nil
                            gone[place].append(name)
                        case (7, _) where !gone[place].isEmpty:
                            let name = gone[place].removeFirst()
                            command.append(Self.insert(name))
                            notes[place][name] = 1
                        default:
                            count += 1
                            command.append(Self.insert("n\(count)"))
                            notes[place]["n\(count)"] = 1
                        }
                    }
                    changes.append(command, of: BatchSample.customer("\(place)"))
                }
                try await Self.write(changes, in: database)
                let expected = notes.flatMap { notes in notes.map { name, revision in "\(name) \(revision)" } }
                #expect(try await Self.notes(in: database).sorted() == expected.sorted())
            }
        }
    }
}
