import BusService
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: what is unfinished comes back at every launch, in full and to the right devices, until it is finished (M49 to
/// M57; Q1, Q3 to Q6).
@Suite(.serialized) struct QueueTests {
    @Test(arguments: Engine.allCases)
    func `M49, M57: an unfinished transaction survives the process, with the same id`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let bought = try await alice.add("coins", key: "k").transaction
            try await store.restartQueue()
            #expect(try await alice.snapshot().transactions == [bought])
        }
    }

    @Test(arguments: Engine.allCases)
    func `M50, M51: n launches bring it n times and count, after the finish it is gone`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let id = try await alice.add("coins", key: "k").transaction.id
            for launch in 1...3 {
                #expect(try await alice.snapshot(launches: true).transactions.map(\.deliveries) == [launch])
            }
            // Reading without launching counts nothing.
            #expect(try await alice.snapshot().transactions.map(\.deliveries) == [3])
            #expect(try await alice.get(id).deliveries == 3)
            try await alice.finish(id)
            #expect(try await alice.snapshot(launches: true).transactions.isEmpty)
            try await store.restartQueue()
            #expect(try await alice.snapshot(launches: true).transactions.isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M53, M54, M56: purchased and failed can be finished, again is 200 and notifies no device`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            for product in ["coins", "nothing"] {
                let value = try await alice.add(product, key: product).transaction
                #expect(try await alice.snapshot().transactions.map(\.id) == [value.id])
                #expect(try await alice.finish(value.id) == value)
                let head = try await alice.changes().head
                #expect(try await alice.finish(value.id) == value)
                #expect(try await alice.changes().head == head)
                #expect(try await alice.changes(after: head - 1).changes.map(\.kind) == [.removed])
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `M28: a purchasing transaction is not finishable and stays`(_ engine: Engine) async throws {
        try await TestStore.with(engine, withProcessor: false) { store in
            let alice = try await store.customerApp()
            let value = try await alice.begin("coins", key: "k").transaction
            #expect(try await refusal { try await alice.finish(value.id) }?.code == .transactionNotFinishable)
            #expect(try await alice.snapshot().transactions.map(\.id) == [value.id])
        }
    }

    @Test(arguments: Engine.allCases)
    func `purchased belongs to the customer, failed and purchasing to the device that caused them`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            let phone = try await store.customerApp()
            let tablet = phone.on(device: "tablet")
            let bought = try await phone.add("coins", key: "1").transaction
            let failed = try await phone.add("nothing", key: "2").transaction
            #expect(try await phone.snapshot().transactions == [bought, failed])
            #expect(try await tablet.snapshot().transactions == [bought])
            #expect(try await refusal { try await tablet.finish(failed.id) }?.code == .notFound)
            // M19: a finish on one device removes it for all.
            try await tablet.finish(bought.id)
            #expect(try await phone.snapshot().transactions == [failed])
        }
    }

    @Test(arguments: Engine.allCases)
    func `P11: no customer sees, finishes or lists another's transactions`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let (alice, bob) = (try await store.customerApp("alice"), try await store.customerApp("bob"))
            let bought = try await alice.add("coins", key: "k").transaction
            #expect(try await refusal { try await bob.get(bought.id) }?.code == .notFound)
            #expect(try await refusal { try await bob.finish(bought.id) }?.code == .notFound)
            #expect(try await bob.snapshot().transactions.isEmpty)
            #expect(try await bob.changes().changes.isEmpty)
            #expect(try await bob.history().transactions.isEmpty)
            #expect(try await refusal { try await bob.history(after: bought.id) }?.code == .notFound)
            #expect(try await refusal { try await bob.snapshot(after: bought.id) }?.code == .notFound)
            // Another app's customer with the same identifier is another customer.
            let elsewhere = OfferSummariesRequest(
                bundleId: "com.example.other", customerIdentifiers: [alice.customer])
            #expect(try await store.caller.call(PaymentEndpoints.offerSummaries, elsewhere).summaries == [nil])
            let many = OfferSummariesRequest(
                bundleId: Catalogue.bundleId, customerIdentifiers: [bob.customer, "nobody", alice.customer])
            let summaries = try await store.caller.call(PaymentEndpoints.offerSummaries, many).summaries
            #expect(summaries.map { $0 == nil } == [false, true, false])
        }
    }

    @Test(arguments: Engine.allCases)
    func `M23: history holds what was purchased, finished or not, and nothing that failed, page by page`(
        _ engine: Engine
    )
        async throws
    {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            var bought: [String] = []
            for number in 0..<5 { bought.append(try await alice.add("coins", key: "k\(number)").transaction.id) }
            _ = try await alice.add("nothing", key: "failed")
            try await alice.finish(bought[0])
            #expect(try await alice.history().transactions.map(\.id) == bought)
            var (seen, after): ([String], String?) = ([], nil)
            repeat {
                let page = try await alice.history(after: after, limit: 2)
                seen += page.transactions.map(\.id)
                after = page.after
            } while after != nil
            #expect(seen == bought)
            #expect(try await refusal { try await alice.history(limit: 0) }?.code == .requestInvalid)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a snapshot comes in pages, and what changed meanwhile is in the changes behind its seq`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            var bought: [String] = []
            for number in 0..<5 { bought.append(try await alice.add("coins", key: "k\(number)").transaction.id) }
            let first = try await alice.snapshot(limit: 2)
            try await alice.finish(bought[1])
            try await alice.finish(bought[4])
            let second = try await alice.snapshot(after: first.after, limit: 2)
            #expect(first.transactions.map(\.id) + second.transactions.map(\.id) == Array(bought[..<4]))
            #expect(first.after == bought[1])
            #expect(second.after == nil)
            let later = try await alice.changes(after: first.seq).changes
            #expect(later.map(\.transactionID) == [bought[1], bought[4]])
            #expect(later.map(\.kind) == [.removed, .removed])
        }
    }

    @Test(arguments: Engine.allCases)
    func `the operator's list spans customers, says whose, and filters`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let (alice, bob) = (try await store.customerApp("alice"), try await store.customerApp("bob"))
            let first = try await alice.add("coins", key: "k").transaction
            let second = try await bob.add("nothing", key: "k").transaction
            try await alice.finish(first.id)
            func list(_ request: TransactionListRequest) async throws -> TransactionsPage {
                try await store.caller.call(PaymentEndpoints.listTransactions, request)
            }
            let all = try await list(.init())
            #expect(Set(all.transactions.map(\.id)) == [first.id, second.id])
            #expect(all.records?.count == 2)
            #expect(try await list(.init(account: "bob")).transactions.map(\.id) == [second.id])
            #expect(try await list(.init(state: .purchased)).records?.map(\.account) == ["alice"])
            #expect(try await list(.init(isFinished: false)).transactions.map(\.id) == [second.id])
            #expect(try await list(.init(bundleId: "other")).transactions.isEmpty)
            let page = try await list(.init(limit: 1))
            #expect(
                try await list(.init(after: page.after, limit: 1)).transactions.map(\.id) == [all.transactions[1].id])
        }
    }

    @Test(arguments: Engine.allCases)
    func `replies stay below 512 KiB: a page ends early and the rest follows`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            // Control characters are written as six bytes in JSON, which makes the largest transaction there can be.
            let name = String(repeating: "\u{1}", count: 4096)
            for number in 0..<20 { _ = try await alice.add("coins", key: "k\(number)", username: name) }
            let page = try await alice.snapshot()
            #expect(page.transactions.count < 20)
            let rest = try await alice.snapshot(after: page.after)
            #expect(page.transactions.count + rest.transactions.count == 20)
            let changes = try await alice.changes()
            #expect(changes.changes.count < 40)
            #expect(changes.head == 40)
            #expect(try await alice.history().after != nil)
            #expect(
                try await store.caller.call(PaymentEndpoints.listTransactions, TransactionListRequest()).after != nil)
        }
    }
}
