import EventLoop
import StorebusTesting
import Testing

@testable import Persistence

@Suite struct GroupCommitTests {
    private struct Refused: Error, Equatable {}

    @Test func `writes that wait share one commit`() async throws {
        try await TemporaryDatabase().withDatabase { database async throws in
            let before = database.statistics
            let gate = BlockingGate()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await database.write { _ in await gate.wait() } }
                try await eventually("the writer is busy") { gate.isWaitedFor }
                for number in 0..<100 { group.addTask { try await database.insert("item \(number)") } }
                try await eventually("all of them wait") { database.waitingWrites == 100 }
                gate.open()
                try await group.waitForAll()
            }
            let after = database.statistics
            #expect(after.writes - before.writes == 101)
            #expect(after.commits - before.commits == 2)
            #expect(try await database.count() == 100)
        }
    }

    @Test func `a body that throws takes back its own changes only`() async throws {
        try await TemporaryDatabase().withDatabase { database async throws in
            let gate = BlockingGate()
            let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    try await database.write { _ in await gate.wait() }
                    return true
                }
                try await eventually("the writer is busy") { gate.isWaitedFor }
                for number in 0..<20 {
                    group.addTask {
                        do {
                            try await database.write { transaction in
                                try await transaction.execute("INSERT INTO item (name) VALUES (?)", "item \(number)")
                                if number.isMultiple(of: 2) { throw Refused() }
                            }
                            return true
                        } catch is Refused {
                            return false
                        }
                    }
                }
                try await eventually("all of them wait") { database.waitingWrites == 20 }
                gate.open()
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(outcomes == 11)
            let names = try await database.read {
                try await $0.query("SELECT name FROM item").map { try $0["name"] as String }
            }
            #expect(Set(names) == Set(stride(from: 1, to: 20, by: 2).map { "item \($0)" }))
            #expect(database.statistics.commits == 2)
        }
    }

    /// How often a group's other body runs when one body throws.
    @Test(arguments: [(writes: false, runs: 1), (writes: true, runs: 2)])
    func `a group runs again only for a body that throws after it has written`(_ example: (writes: Bool, runs: Int))
        async throws
    {
        try await TemporaryDatabase().withDatabase { database async throws in
            let (gate, runs) = (BlockingGate(), Locked(0))
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await database.write { _ in await gate.wait() } }
                try await eventually("the writer is busy") { gate.isWaitedFor }
                group.addTask {
                    try await database.write { transaction in
                        runs.withLock { $0 += 1 }
                        try await transaction.execute("INSERT INTO item (name) VALUES ('kept')")
                    }
                }
                try await eventually("the other body waits") { database.waitingWrites == 1 }
                group.addTask {
                    await #expect(throws: Refused.self) {
                        try await database.write { transaction in
                            if example.writes { try await transaction.execute("DELETE FROM item") }
                            _ = try await transaction.query("SELECT name FROM item")
                            throw Refused()
                        }
                    }
                }
                try await eventually("both wait") { database.waitingWrites == 2 }
                gate.open()
                try await group.waitForAll()
            }
            #expect(runs.withLock { $0 } == example.runs)
            #expect(try await database.count() == 1)
            #expect(database.statistics.commits == 2)
        }
    }

    @Test func `a commit that fails fails every waiter and writes nothing`() async throws {
        try await TemporaryDatabase().withDatabase { database async throws in
            let gate = BlockingGate()
            let failures = try await withThrowingTaskGroup(of: PersistenceError.Code?.self) { group in
                group.addTask {
                    try await database.write { _ in await gate.wait() }
                    return nil
                }
                try await eventually("the writer is busy") { gate.isWaitedFor }
                for number in 0..<10 {
                    group.addTask {
                        do {
                            try await database.write { transaction in
                                try await transaction.execute("INSERT INTO item (name) VALUES (?)", "item \(number)")
                                // The only way to make COMMIT itself fail: a foreign key checked no earlier than that.
                                if number == 7 {
                                    try await transaction.execute("PRAGMA defer_foreign_keys = ON")
                                    try await transaction.execute("INSERT INTO item (name, shelf) VALUES ('bad', 404)")
                                }
                            }
                            return nil
                        } catch let error as PersistenceError {
                            return error.code
                        }
                    }
                }
                try await eventually("all of them wait") { database.waitingWrites == 10 }
                gate.open()
                return try await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
            }
            #expect(failures == Array(repeating: .constraint(.foreignKey), count: 10))
            #expect(try await database.count() == 0)
            #expect(database.statistics.failedCommits == 1)
            try await database.insert("after")
            #expect(try await database.count() == 1)
        }
    }

    @Test func `a full disk is a retryable error and the next write may succeed`() async throws {
        try await TemporaryDatabase().withDatabase { database async throws in
            try await database.insert("before")
            // SQLite's own page limit answers as a full disk does, with SQLITE_FULL and a rollback of everything.
            let pages = try await database.write { transaction -> Int in
                let pages: Int = try await transaction.queryOne("PRAGMA page_count")?["page_count"] ?? 0
                _ = try await transaction.query("PRAGMA max_page_count = \(pages)")
                return pages
            }
            let image = [UInt8](repeating: 7, count: 100_000)
            let error = await #expect(throws: PersistenceError.self) {
                try await database.write {
                    try await $0.execute("INSERT INTO item (name, image) VALUES ('big', ?)", image)
                }
            }
            #expect(error?.code == .storageFull)
            #expect(error?.isRetryable == true)
            #expect(database.fault == nil)
            _ = try await database.write { try await $0.query("PRAGMA max_page_count = \(pages + 1000)") }
            _ = try await database.write {
                try await $0.execute("INSERT INTO item (name, image) VALUES ('big', ?)", image)
            }
            #expect(try await database.count() == 2)
        }
    }

    @Test func `a closed database refuses and says so`() async throws {
        let database = try TemporaryDatabase().open()
        await database.close()
        let error = await #expect(throws: PersistenceError.self) { try await database.insert("late") }
        #expect(error?.code == .closed)
        let readError = await #expect(throws: PersistenceError.self) { try await database.count() }
        #expect(readError?.code == .closed)
        await database.close()
    }
}
