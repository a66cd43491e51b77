import StorebusTesting
import Testing

@testable import StoreKitClient

/// Goal: an iterator that does not end gets everything in order and in its newest state, and nothing after its end.
@Suite struct MailboxTests {
    private func put(_ mailbox: Mailbox<Int>, _ values: (Int, String?)...) {
        for (value, key) in values { mailbox.put(value, key: key)?() }
    }

    @Test func `elements wait in order, and a newer state takes the place of an older one`() async {
        let mailbox = Mailbox<Int>()
        put(mailbox, (1, "a"), (2, "b"), (3, nil), (4, "a"), (5, nil))
        var seen: [Int?] = []
        for _ in 0..<4 { seen.append(await mailbox.next()) }
        #expect(seen == [4, 2, 3, 5])
    }

    @Test func `beyond the bound the oldest are dropped`() async {
        let mailbox = Mailbox<Int>()
        for value in 0...ClientLimits.undeliveredMax { put(mailbox, (value, nil)) }
        #expect(await mailbox.next() == 1)
    }

    /// Returns once a caller waits for the next element.
    private func isAwaited(_ mailbox: Mailbox<Int>) async throws {
        try await eventually("a caller waits") { mailbox.state.withLock { $0.waiter != nil } }
    }

    @Test(arguments: [true, false])
    func `32: cancelling the task ends it, while it waits and before`(_ isWaiting: Bool) async throws {
        let mailbox = Mailbox<Int>()
        let task = Task {
            while !isWaiting, !Task.isCancelled { await Task.yield() }
            return await mailbox.next()
        }
        if isWaiting { try await isAwaited(mailbox) }
        task.cancel()
        #expect(await task.value == nil)
        put(mailbox, (1, nil))
        #expect(await mailbox.next() == nil)
    }

    @Test func `a waiting caller gets the element at once`() async throws {
        let mailbox = Mailbox<Int>()
        async let value = mailbox.next()
        try await isAwaited(mailbox)
        put(mailbox, (7, "a"), (8, "a"))
        #expect(await value == 7)
        #expect(await mailbox.next() == 8)
    }
}
