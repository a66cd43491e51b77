import BusService
import Persistence
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: purchases of one batch are one commit, and each of them is what it would be alone (P2, P3, P5, M52).
/// Method: batches that a test composes, with the test's processor, on both databases.
@Suite(.serialized) struct BatchPurchaseTests {
    @Test(arguments: Engine.allCases)
    func `P2: purchases of many customers are one commit, and each has its rows and its capture`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let customerApps = try await store.customerApps(20)
            let batches = try ComposedBatches(store)
            let before = batches.database.statistics
            let results = try await batches.buy(customerApps.map { batches.order($0.reference, key: "k") })
            #expect(batches.authorized == [20])
            #expect(batches.database.statistics.commits == before.commits + 1)
            #expect(batches.database.statistics.writes == before.writes + 1)
            for (customerApp, result) in zip(customerApps, results) {
                let bought = try #require(result.stored).transaction
                #expect(bought.transactionState == .purchased && bought.price == .usd("0.99"))
                let journal = try await customerApp.wholeJournal()
                #expect(journal.map(\.seq) == [1, 2])
                #expect(journal.map(\.transaction?.transactionState) == [.purchasing, .purchased])
                #expect(journal.last?.transaction == bought)
                #expect(try await customerApp.get(bought.id) == bought)
                let again = try await customerApp.add("coins", key: "k")
                #expect(again.isReplayed && again.status == 201 && again.transaction == bought)
            }
            let numbers = results.compactMap(\.stored?.transaction.transactionIdentifier).compactMap(Int64.init)
            #expect(numbers.count == 20 && numbers == numbers.sorted() && Set(numbers).count == 20)
            #expect(try await batches.count("server_event") == 20)
            #expect(try await batches.count("capture") == 20)
            _ = try await batches.captures.sweep()
            #expect(batches.captured.sorted() == results.compactMap(\.stored?.chargeKey).sorted())
            #expect(batches.voided.isEmpty)
            #expect(try await batches.count("capture") == 0)
        }
    }

    @Test(arguments: Engine.allCases)
    func `P2: 64 purchases of one customer are one commit, in the order of their arrival`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let batches = try ComposedBatches(store)
            for round in 0..<2 {
                let commits = batches.database.statistics.commits
                let results = try await batches.buy(
                    (0..<64).map { batches.order(alice.reference, key: "\(round) \($0)") })
                #expect(batches.database.statistics.commits == commits + 1)
                let stored = results.compactMap(\.stored)
                #expect(stored.map(\.createdSeq) == (0..<64).map { Int64(128 * round + 2 * $0 + 1) })
                #expect(stored.map(\.modifiedSeq) == (0..<64).map { Int64(64 * round + $0 + 1) })
                #expect(stored.map(\.transaction.payment.requestIdentifier) == (0..<64).map { "\(round) \($0)" })
            }
            let journal = try await alice.wholeJournal()
            #expect(journal.map(\.seq) == [Int64](1...256))
            for path in Dictionary(grouping: journal, by: \.transactionID).values {
                #expect(path.map(\.transaction?.transactionState) == [.purchasing, .purchased])
                #expect(path.map(\.transaction?.revision) == [1, 2])
            }
            #expect(try await batches.captures.sweep() == 128)
        }
    }

    @Test(arguments: Engine.allCases)
    func `more purchases than one batch has are two commits`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let customerApps = try await store.customerApps(30)
            let batches = try ComposedBatches(store)
            let commits = batches.database.statistics.commits
            let orders = (0..<300).map { batches.order(customerApps[$0 % 30].reference, key: "\($0)") }
            let results = try await batches.buy(orders)
            #expect(batches.authorized == [256, 44])
            #expect(batches.database.statistics.commits == commits + 2)
            #expect(Set(results.compactMap(\.stored?.id)).count == 300)
            for customerApp in customerApps {
                #expect(try await customerApp.wholeJournal().map(\.seq) == [Int64](1...20))
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `P3: a key is one purchase, twice in a batch and in the next one, and other charges are voided`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let (alice, bob) = (try await store.customerApp("alice"), try await store.customerApp("bob"))
            let batches = try ComposedBatches(store)
            let orders = [
                batches.order(alice.reference, key: "k"), batches.order(bob.reference, key: "k"),
                batches.order(alice.reference, key: "k"),
                batches.order(alice.reference, key: "k", quantity: 2),
                batches.order(alice.reference, key: "k", answer: .declined),
            ]
            let results = try await batches.buy(orders)
            let bought = try #require(results[0].stored)
            let other = try #require(results[1].stored)
            #expect(bought.id != other.id)
            let again = try await batches.buy(orders)
            let repeated = Array(results[2...]) + [again[0]] + Array(again[2...])
            for known in repeated.map(\.outcome?.existing) {
                #expect(known?.transactionID == bought.id && known?.reply?.transaction == bought.transaction)
            }
            #expect(again[1].outcome?.existing?.transactionID == other.id)
            #expect(try await alice.wholeJournal().map(\.seq) == [1, 2])
            _ = try await batches.captures.sweep()
            #expect(Set(batches.captured) == [bought.chargeKey, other.chargeKey] && batches.captured.count == 2)
            // Two of the first batch, and four of the second. Declined ones hold nothing.
            #expect(batches.voided.count == 6 && Set(batches.voided).isDisjoint(with: batches.captured))
        }
    }

    @Test(arguments: Engine.allCases)
    func `P5: a declined purchase among others has failed, and only theirs are captured`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let customerApps = try await store.customerApps(4)
            let batches = try ComposedBatches(store)
            let answers: [Charge.Outcome] = [.authorized, .declined, .authorized, .declined]
            let results = try await batches.buy(
                zip(customerApps, answers).map { batches.order($0.reference, key: "k", answer: $1) })
            #expect(
                results.map(\.stored?.transaction.transactionState) == [.purchased, .failed, .purchased, .failed])
            for (customerApp, result) in zip(customerApps, results) {
                let journal = try await customerApp.wholeJournal()
                #expect(journal.map(\.seq) == [1, 2] && journal.last?.transaction == result.stored?.transaction)
            }
            #expect(results[1].stored?.transaction.error?.setting == "processor")
            _ = try await batches.captures.sweep()
            #expect(Set(batches.captured) == Set([results[0], results[2]].compactMap(\.stored?.chargeKey)))
            #expect(batches.voided.isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M52: the limit of unfinished transactions is reached inside a batch`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            store.catalogue.sell(.product("coins", .consumable, "0.99"), unfinishedLimit: 3)
            let (alice, bob) = (try await store.customerApp("alice"), try await store.customerApp("bob"))
            let batches = try ComposedBatches(store)
            let orders = (0..<5).flatMap { number in
                [alice, bob].map { batches.order($0.reference, key: "\(number)") }
            }
            let results = try await batches.buy(orders)
            let states = results.map { $0.outcome.map(PurchaseModel.Outcome.init) }
            #expect(states.prefix(6).allSatisfy { $0 == .purchased })
            #expect(states.suffix(4).allSatisfy { $0 == .failed })
            let reasons = Set(results.suffix(4).map(\.stored?.transaction.error?.reason))
            #expect(reasons == ["unfinishedTransactions"])
            try await alice.finish(try #require(results[0].stored).id)
            let next = try await batches.buy((5..<7).map { batches.order(alice.reference, key: "\($0)") })
            let outcomes = next.compactMap(\.outcome).map(PurchaseModel.Outcome.init)
            #expect(outcomes == [.purchased, .failed])
            let refused = try await alice.add("coins", key: "6")
            #expect(refused.isReplayed && refused.transaction == next[1].stored?.transaction)
            #expect(refused.transaction.error?.reason == "unfinishedTransactions")
            _ = try await batches.captures.sweep()
            #expect(batches.captured.count == 7 && batches.voided.count == 5)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M52: each purchase of a batch has the limit of its own quote`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let batches = try ComposedBatches(store)
            let bought = try await batches.buy((0..<4).map { batches.order(alice.reference, key: "\($0)") })
            #expect(bought.allSatisfy { $0.stored != nil })
            // An operator changes the limit while both are under way.
            for (round, limits) in [[4, 1], [1, 4]].enumerated() {
                let orders = limits.map { limit in
                    var order = batches.order(alice.reference, key: "\(round) at \(limit)")
                    order.quote.unfinishedLimit = limit
                    return order
                }
                let results = try await batches.buy(orders)
                let reasons = results.map(\.stored?.transaction.error?.reason)
                #expect(reasons == ["unfinishedTransactions", "unfinishedTransactions"])
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `P2: a process that dies inside a batch's commit has written none of it, and what it wrote before stays`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let customerApps = try await store.customerApps(5)
            let batches = try ComposedBatches(store)
            let first = try await batches.buy(customerApps.map { batches.order($0.reference, key: "1") })
            store.current.crash.arm(.insideFirstCommit)
            let second = try await batches.buy(customerApps.map { batches.order($0.reference, key: "2") })
            #expect(second.allSatisfy { $0.error != nil })
            try await store.restartQueue()
            for (customerApp, bought) in zip(customerApps, first) {
                #expect(try await customerApp.changes().head == 2)
                let again = try await customerApp.add("coins", key: "1")
                #expect(again.isReplayed && again.transaction == bought.stored?.transaction)
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `P8: of two purchases of a non-consumable in a batch one is paid, and the other is free`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let (alice, bob) = (try await store.customerApp("alice"), try await store.customerApp("bob"))
            let batches = try ComposedBatches(store)
            let results = try await batches.buy([
                batches.order(alice.reference, key: "1", product: "beaches"),
                batches.order(bob.reference, key: "1", product: "beaches"),
                batches.order(alice.reference, key: "2", product: "beaches"),
                batches.order(alice.reference, key: "1", product: "beaches"),
            ])
            let (first, second) = (try #require(results[0].stored), try #require(results[2].stored))
            #expect(first.transaction.price == .usd("1.99"))
            #expect(second.transaction.transactionState == .purchased && second.transaction.price == .usd("0.00"))
            #expect(
                second.transaction.originalTransactionIdentifier == first.transaction.transactionIdentifier)
            #expect(results[3].outcome?.existing?.transactionID == first.id)
            #expect(try await alice.wholeJournal().map(\.seq) == [1, 2, 3, 4])
            _ = try await batches.captures.sweep()
            let other = try #require(results[1].stored)
            #expect(Set(batches.captured) == [first.chargeKey, other.chargeKey] && batches.captured.count == 2)
            #expect(batches.voided.count == 2 && Set(batches.voided).isDisjoint(with: batches.captured))
        }
    }

    @Test(arguments: Engine.allCases)
    func `P8: behind a purchase that is being charged, an authorized one waits, and its charge is voided`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let batches = try ComposedBatches(store)
            let results = try await batches.buy([
                batches.order(alice.reference, key: "1", product: "beaches", answer: nil),
                batches.order(alice.reference, key: "2", product: "beaches"),
            ])
            #expect(results.map(\.begun?.phase) == [.charging, .waiting])
            _ = try await batches.captures.sweep()
            #expect(batches.captured.isEmpty && batches.voided.count == 1)
            // The store's own queue takes them to their ends.
            try await store.settle()
            #expect(try await alice.snapshot().transactions.map(\.price) == [.usd("1.99"), .usd("0.00")])
            #expect(try await store.charges().map(\.outcome) == [.approved])
        }
    }

    @Test(arguments: Engine.allCases)
    func `I3: an intent under two keys of a batch is paid once, and the other charge is voided`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let (alice, bob) = (try await store.customerApp("alice"), try await store.customerApp("bob"))
            let batches = try ComposedBatches(store)
            for customers in [[alice, alice], [alice, bob]] {
                let intent = "i_\(customers[1].customer)"
                let orders = customers.enumerated().map { number, customerApp -> ComposedBatches.Order in
                    var order = batches.order(customerApp.reference, key: "\(intent) \(number)")
                    order.payment.intentIdentifier = intent
                    return order
                }
                let voided = batches.voided.count
                let results = try await batches.buy(orders)
                let bought = results.compactMap(\.stored)
                #expect(bought.map(\.transaction.transactionState) == [.purchased])
                let codes = results.compactMap { ($0.error as? StoreError)?.code }
                #expect(codes == [.intentDecided])
                _ = try await batches.captures.sweep()
                #expect(batches.captured.last == bought.first?.chargeKey)
                #expect(batches.voided.count == voided + 1)
            }
            #expect(batches.captured.count == 2)
        }
    }

    @Test func `what is free, fails, asks a parent, is dated back or has too little time is not authorized`()
        async throws
    {
        try await TestStore.with { store in
            let customerApps = try await store.customerApps(6)
            let batches = try ComposedBatches(store)
            func begin(
                _ place: Int, product: String = "coins", past: PastPurchase? = nil,
                within time: Duration = .seconds(60), _ change: (inout ComposedBatches.Order) -> Void = { _ in }
            ) async throws -> StoredTransaction {
                var order = batches.order(customerApps[place].reference, key: "k", product: product)
                change(&order)
                let request = AddPaymentRequest(
                    bundleId: order.customer.bundleId, customerIdentifier: order.customer.customerIdentifier,
                    deviceId: "phone", payment: order.payment, past: past)
                let begun = try await batches.purchases.begin(
                    request, order.quote, in: "USA", "fingerprint",
                    authorizing: PurchaseAuthorization.amount(of: request, order.quote, hasSubscribed: false),
                    until: .now + time)
                return try #require(begun.output.begun)
            }
            for (place, product) in ["gift", "pro.monthly"].enumerated() {
                let free = try await begin(place, product: product)
                #expect(free.transaction.transactionState == .purchased && free.transaction.price == .usd("0.00"))
            }
            let asked = try await begin(2) { $0.payment.simulatesAskToBuyInSandbox = true }
            #expect(asked.transaction.transactionState == .deferred && asked.awaitsAnswer)
            let hidden = try await begin(3) { $0.quote.availability = .notForSale }
            #expect(hidden.transaction.error?.name == "storeProductNotAvailable")
            let past = try await begin(
                4, product: "news.weekly", past: PastPurchase(due: .periodEnd, at: store.now))
            #expect(past.phase == .charging && past.terms?.past != nil)
            // The reply takes 200 ms, and an authorization needs another 50. On a busy machine the commit is too late.
            try await eventually("it has begun in time") {
                do {
                    return try await begin(5, within: .milliseconds(249)).phase == .charging
                } catch let error as StoreError where error.code == .deadlineExceeded {
                    return false
                }
            }
            #expect(batches.authorized.isEmpty)
            for customerApp in customerApps {
                let journal = try await customerApp.wholeJournal()
                #expect(Set(journal.map(\.transactionID)).count == 1 && journal.count <= 2)
            }
        }
    }
}
