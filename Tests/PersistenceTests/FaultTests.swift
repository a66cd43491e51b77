import StorebusTesting
import Testing

@testable import Persistence

/// Goal: the database reports a failed flush. The test makes the threads' report, because it cannot make a flush fail.
@Suite struct FaultTests {
    private let failure = PersistenceError(.storageFailed, "items.sqlite: disk I/O error")

    @Test func `after a failed flush no write is taken any more`() async throws {
        try await TemporaryDatabase().withDatabase { database async throws in
            try await database.insert("before")
            database.state.finishedGroup(of: 1, failure: failure)
            #expect(database.fault == failure)
            await #expect(throws: failure) { try await database.insert("after") }
            #expect(try await database.count() == 1)
        }
    }

    @Test func `the process that runs the database ends with the fault`() async throws {
        let database = try TemporaryDatabase().open()
        let running = Task { try await database.run() }
        database.state.finishedGroup(of: 1, failure: failure)
        await #expect(throws: failure) { try await running.value }
        let closed = await #expect(throws: PersistenceError.self) { try await database.count() }
        #expect(closed?.code == .closed)
    }

    @Test func `a full disk or a lock is no fault`() async throws {
        try await TemporaryDatabase().withDatabase { database async throws in
            for code in [PersistenceError.Code.storageFull, .busy, .constraint(.unique)] {
                database.state.finishedGroup(of: 1, failure: PersistenceError(code, "over soon"))
            }
            #expect(database.fault == nil)
            try await database.insert("after")
        }
    }
}
