import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: purchases that reach the payment queue at the same time are each one transaction and one captured
/// charge, in whatever batches they are written (P1 to P5).
/// Method: whole stores. A customer's first paid purchase takes two commits, and those after it are authorized first.
@Suite(.serialized) struct BatchServiceTests {
    /// Opens accounts, each with a purchase.
    private static func shoppers(_ count: Int, in store: TestStore) async throws -> [CustomerApp] {
        let customerApps = try await store.customerApps(count)
        for customerApp in customerApps { _ = try await customerApp.add("coins", key: "first", within: .seconds(60)) }
        return customerApps
    }

    /// Buys with many keys at the same time.
    private static func buy(
        _ orders: [(customerApp: CustomerApp, key: String)]
    ) async throws -> [AddPaymentReply] {
        try await withThrowingTaskGroup(of: AddPaymentReply.self) { group in
            for order in orders {
                let (customerApp, key) = order
                group.addTask { try await customerApp.add("coins", key: key, within: .seconds(60)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Expects that each transaction of the customers has both its states, and a captured charge if it was purchased.
    private static func check(_ customerApps: [CustomerApp], purchases: Int, in store: TestStore) async throws {
        var ids: [String] = []
        var numbers: [String] = []
        for customerApp in customerApps {
            let journal = try await customerApp.wholeJournal()
            #expect(journal.map(\.seq) == [Int64](1..<Int64(journal.count) + 1))
            for (id, path) in Dictionary(grouping: journal, by: \.transactionID) {
                #expect(path.map(\.transaction?.transactionState) == [.purchasing, .purchased])
                ids.append(id)
                numbers += path.compactMap(\.transaction?.transactionIdentifier)
            }
        }
        #expect(ids.count == purchases)
        #expect(Set(numbers).count == purchases && numbers.count == purchases)
        let charges = try await store.charges()
        #expect(charges.allSatisfy { $0.outcome == .approved })
        #expect(charges.map(\.chargeKey).sorted() == ids.map { "purchase:\($0)" }.sorted())
    }

    @Test(.slow, arguments: Engine.allCases)
    func `P1 to P3: many purchases of many customers at once are each a transaction with a captured charge`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let customerApps = try await Self.shoppers(24, in: store)
            let replies = try await Self.buy(
                (0..<4).flatMap { number in customerApps.map { (customerApp: $0, key: "\(number)") } })
            #expect(replies.allSatisfy { $0.status == 201 && $0.transaction.transactionState == .purchased })
            #expect(Set(replies.map(\.transaction.id)).count == 96)
            try await Self.check(customerApps, purchases: 120, in: store)
        }
    }

    @Test(.slow, arguments: Engine.allCases)
    func `P1 to P3: 64 purchases of one customer at once are each a transaction with a captured charge`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let customerApps = try await Self.shoppers(1, in: store)
            let replies = try await Self.buy((0..<64).map { (customerApp: customerApps[0], key: "\($0)") })
            #expect(replies.allSatisfy { $0.status == 201 && $0.transaction.transactionState == .purchased })
            try await Self.check(customerApps, purchases: 65, in: store)
        }
    }

    @Test(.slow, arguments: Engine.allCases)
    func `P3: keys sent several times at once, among others, are one transaction and one captured charge each`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let customerApps = try await Self.shoppers(6, in: store)
            let orders = (0..<4).flatMap { number in customerApps.map { (customerApp: $0, key: "\(number)") } }
            let replies = try await Self.buy(orders + orders + orders + orders)
            #expect(Set(replies.map(\.transaction)).count == 24)
            #expect(replies.allSatisfy { $0.status == 201 })
            try await Self.check(customerApps, purchases: 30, in: store)
        }
    }

    @Test(.slow)
    func `P3: keys sent several times at once to two replicas are one transaction and one captured charge each`()
        async throws
    {
        try await TestStore.with(.postgres) { store in
            try await store.startReplica()
            let customerApps = try await Self.shoppers(6, in: store)
            for round in 0..<4 {
                let orders = (0..<4).flatMap { number in
                    customerApps.map { (customerApp: $0, key: "\(round) \(number)") }
                }
                let replies = try await Self.buy(orders + orders)
                #expect(Set(replies.map(\.transaction)).count == 24)
            }
            try await Self.check(customerApps, purchases: 102, in: store)
        }
    }

    @Test(arguments: Engine.allCases)
    func `P5: a processor that declines all of several purchases at once leaves them failed, and nothing is paid`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let customerApps = try await Self.shoppers(4, in: store)
            store.processor.set(outcome: .declined)
            let replies = try await Self.buy(
                (0..<3).flatMap { number in customerApps.map { (customerApp: $0, key: "\(number)") } })
            #expect(replies.allSatisfy { $0.status == 201 && $0.transaction.transactionState == .failed })
            for customerApp in customerApps {
                #expect(try await customerApp.wholeJournal().map(\.seq) == [Int64](1...8))
            }
            let charges = try await store.charges()
            #expect(charges.count { $0.outcome == .approved } == 4)
            // One whose reply came too late was declined under another key before.
            let declined = Set(charges.filter { $0.outcome == .declined }.map(\.chargeKey))
            #expect(declined.isSuperset(of: replies.map { "purchase:\($0.transaction.id)" }))
        }
    }

    @Test(arguments: Engine.allCases)
    func `P3: several purchases whose authorizations are lost are charged after first commits`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let customerApps = try await Self.shoppers(5, in: store)
            store.processor.set(trouble: .held)
            let bought = Task { try await Self.buy(customerApps.map { (customerApp: $0, key: "k") }) }
            try await eventually("all have begun") {
                for customerApp in customerApps {
                    guard try await customerApp.changes().head == 3 else { return false }
                }
                return true
            }
            store.processor.release()
            let replies = try await bought.value
            #expect(replies.allSatisfy { $0.transaction.transactionState == .purchased })
            try await Self.check(customerApps, purchases: 10, in: store)
        }
    }
}
