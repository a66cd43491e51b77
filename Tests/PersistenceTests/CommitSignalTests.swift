import StorebusTesting
import Testing

@testable import Persistence

@Suite struct CommitSignalTests {
    @Test(arguments: Engine.allCases)
    func `a commit is announced before its writer goes on, a read is not`(_ engine: Engine) async throws {
        try await TestDatabase.with(engine) { database async throws in
            let before = database.commits.position
            try await database.insert("item")
            #expect(database.commits.position > before)
            let after = database.commits.position
            _ = try await database.count()
            #expect(database.commits.position == after)
        }
    }

    @Test func `a wait ends at an announcement, and does not begin behind one`() async {
        let signal = CommitSignal()
        let position = signal.position
        async let waited: Void = signal.wait(beyond: position, until: .now + .seconds(3_600))
        signal.notify()
        await waited
        #expect(signal.position == position + 1)
        await signal.wait(beyond: position, until: .now + .seconds(3_600))
    }

    @Test func `a wait ends at its deadline and with its task`() async {
        let signal = CommitSignal()
        await signal.wait(beyond: signal.position, until: .now + .milliseconds(1))
        let task = Task { await signal.wait(beyond: signal.position, until: .now + .seconds(3_600)) }
        task.cancel()
        await task.value
    }
}
