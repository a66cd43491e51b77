import Testing

@testable import PaymentQueue

/// Goal: one body a key at a time, in order, and no key waits for another.
struct KeyedLockTests {
    @Test func `bodies of one key run one after the other, in order`() async {
        let lock = KeyedLock<String>()
        let (first, release) = AsyncStream<Void>.makeStream()
        let log = LogOfBodies()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    await lock.withLock("alice") {
                        await log.add("begins \(number)")
                        if number == 0 { for await _ in first {} }
                        await log.add("ends \(number)")
                    }
                }
                // The next one comes when this one holds the lock or waits for it.
                while await log.isEmpty || lock.waiters(of: "alice") < number { await Task.yield() }
            }
            #expect(await log.lines == ["begins 0"])
            #expect(await lock.withLock("bob") { lock.count } == 2, "another key's body runs meanwhile")
            release.finish()
        }
        #expect(await log.lines == (0..<4).flatMap { ["begins \($0)", "ends \($0)"] })
        #expect(lock.count == 0, "a key that is free takes no memory")
    }

    @Test func `a body that throws releases its key`() async throws {
        let lock = KeyedLock<String>()
        await #expect(throws: CancellationError.self) { try await lock.withLock("alice") { throw CancellationError() } }
        #expect(await lock.withLock("alice") { true })
        #expect(lock.count == 0)
    }
}

private actor LogOfBodies {
    private(set) var lines: [String] = []
    var isEmpty: Bool { lines.isEmpty }
    func add(_ line: String) { lines.append(line) }
}
