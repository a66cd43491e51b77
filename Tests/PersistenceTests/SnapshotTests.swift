import StorebusTesting
import Testing

@testable import Persistence

@Suite struct SnapshotTests {
    @Test(arguments: Engine.allCases) func `a read sees one snapshot while others write`(_ engine: Engine) async throws
    {
        try await TestDatabase.with(engine) { database async throws in
            try await database.insert("first")
            let gate = BlockingGate()
            async let counts = database.read { reader -> [Int] in
                let before: Int = try await reader.queryOne("SELECT count(*) AS n FROM item")?["n"] ?? -1
                await gate.wait()
                let after: Int = try await reader.queryOne("SELECT count(*) AS n FROM item")?["n"] ?? -1
                return [before, after]
            }
            try await eventually("the reader has its snapshot") { gate.isWaitedFor }
            try await database.insert("second")
            gate.open()
            #expect(try await counts == [1, 1])
            #expect(try await database.count() == 2)
        }
    }

    @Test(arguments: Engine.allCases) func `a read cannot write`(_ engine: Engine) async throws {
        try await TestDatabase.with(engine) { database async throws in
            await #expect(throws: PersistenceError.self) {
                try await database.read { try await $0.query("INSERT INTO item (name) VALUES ('sly') RETURNING id") }
            }
            #expect(try await database.count() == 0)
        }
    }
}
