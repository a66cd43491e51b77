import EventLoop
import ServiceDatabase
import Testing

@Suite struct RetrySweepTests {
    /// A table of rows that are left undone, and what was tried of it.
    private final class Table: Sendable {
        struct Contents {
            var undone: [String]
            var tried: [String] = []
            var running = 0
            var runningMost = 0
        }

        let contents: Locked<Contents>

        init(_ undone: [String]) { contents = Locked(Contents(undone: undone)) }

        var tried: [String] { contents.withLock { $0.tried.sorted() } }

        func page(after: String, limit: Int) -> [String] {
            contents.withLock { Array($0.undone.filter { $0 > after }.prefix(limit)) }
        }

        func attempt(_ id: String, succeeds: Bool) async -> Bool {
            contents.withLock { contents in
                contents.tried.append(id)
                contents.running += 1
                contents.runningMost = max(contents.runningMost, contents.running)
            }
            await Task.yield()
            contents.withLock { contents in
                contents.running -= 1
                if succeeds { contents.undone.removeAll { $0 == id } }
            }
            return succeeds
        }
    }

    private func sweep(
        _ sweep: RetrySweep, _ table: Table, now: ContinuousClock.Instant = .now,
        isTaken: (String) -> Bool = { _ in false }, succeeds: @Sendable @escaping (String) -> Bool
    ) async throws -> Int {
        try await sweep.run(now: now, id: { $0 }, page: { table.page(after: $0, limit: $1) }, isTaken: isTaken) { id in
            await table.attempt(id, succeeds: succeeds(id))
        }
    }

    @Test func `everything is tried once, page after page, and so many at a time`() async throws {
        let ids = (1_000..<1_700).map { "\($0)" }
        let table = Table(ids)
        let left = try await sweep(RetrySweep(concurrency: 8), table) { _ in true }
        #expect(left == 0)
        #expect(table.tried == ids)
        #expect((1...8).contains(table.contents.withLock { $0.runningMost }))
    }

    @Test func `what brought no outcome is counted, and tried again when its time has come`() async throws {
        let table = Table(["a", "b", "c"])
        let retries = RetrySweep(concurrency: 2)
        let started = ContinuousClock.now
        #expect(try await sweep(retries, table) { $0 == "b" } == 2)
        #expect(table.tried == ["a", "b", "c"])
        // The schedule counts from the attempts, which came after this.
        #expect(try await sweep(retries, table, now: started) { _ in true } == 2)
        #expect(table.tried == ["a", "b", "c"])
        #expect(try await sweep(retries, table, now: .now + .milliseconds(100)) { _ in true } == 0)
        #expect(table.tried == ["a", "a", "b", "c", "c"])
    }

    @Test func `what another process works on is left alone, and not done`() async throws {
        let table = Table(["a", "b"])
        let left = try await sweep(RetrySweep(concurrency: 2), table, isTaken: { $0 == "a" }, succeeds: { _ in true })
        #expect(left == 1)
        #expect(table.tried == ["b"])
    }

    @Test func `news of one make it due at once`() async throws {
        let table = Table(["a", "b"])
        let retries = RetrySweep(concurrency: 2)
        let started = ContinuousClock.now
        #expect(try await sweep(retries, table) { _ in false } == 2)
        retries.hurry("a")
        #expect(try await sweep(retries, table, now: started) { _ in true } == 1)
        #expect(table.tried == ["a", "a", "b"])
        let isDone = await retries.attempt("b") { await table.attempt("b", succeeds: true) }
        #expect(isDone)
        #expect(table.page(after: "", limit: 10).isEmpty)
    }

    @Test func `a table that cannot be read ends the sweep`() async throws {
        struct Away: Error {}
        await #expect(throws: Away.self) {
            try await RetrySweep(concurrency: 1).run(
                id: { (row: String) in row }, page: { _, _ in throw Away() }, attempt: { _ in true })
        }
    }
}
