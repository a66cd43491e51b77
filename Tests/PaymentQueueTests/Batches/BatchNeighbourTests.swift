import BusService
import Persistence
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a purchase that fails, or does not end in the commit, leaves the others of its batch alone (P2 to P5).
/// Method: batches that a test composes, with the test's processor, on both databases.
@Suite(.serialized) struct BatchNeighbourTests {
    /// Runs `body` with three customers.
    private static func withThree(
        _ engine: Engine, _ body: (TestStore, [CustomerApp], ComposedBatches) async throws -> Void
    ) async throws {
        try await TestStore.with(engine) { store in
            try await body(store, try await store.customerApps(3), try ComposedBatches(store))
        }
    }

    /// Expects that only the purchases of the first and the last customer have ended, with their captures.
    private static func expectOnlyOuter(
        _ results: [Result<PurchaseCommand.Outcome, any Error>], of customerApps: [CustomerApp],
        _ batches: ComposedBatches
    ) async throws {
        for place in [0, 2] {
            #expect(results[place].stored?.transaction.transactionState == .purchased)
            #expect(try await customerApps[place].wholeJournal().map(\.seq) == [1, 2])
        }
        #expect(results[1].stored == nil)
        _ = try await batches.captures.sweep()
        #expect(Set(batches.captured) == Set([results[0], results[2]].compactMap(\.stored?.chargeKey)))
        #expect(batches.captured.count == 2)
    }

    @Test(arguments: Engine.allCases)
    func `an unknown customer's purchase fails alone`(_ engine: Engine) async throws {
        try await Self.withThree(engine) { store, customerApps, batches in
            var orders = customerApps.map { batches.order($0.reference, key: "k") }
            orders[1].customer = CustomerReference(bundleId: Catalogue.bundleId, customerIdentifier: "c_nobody")
            let results = try await batches.buy(orders)
            #expect((results[1].error as? StoreError)?.code == .notFound)
            try await Self.expectOnlyOuter(results, of: customerApps, batches)
            // Also as the only one.
            let alone = try await batches.buy([orders[1]])
            #expect((alone[0].error as? StoreError)?.code == .notFound)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a customer who has moved buys nothing in the batch, and the charge is voided`(
        _ engine: Engine
    ) async throws {
        try await Self.withThree(engine) { store, customerApps, batches in
            try await store.set("shopper1", TesterSettings(storefront: "FRA"))
            let orders = customerApps.map { batches.order($0.reference, key: "k") }
            let results = try await batches.buy(orders)
            #expect(results[1].outcome?.storefront == "FRA")
            #expect(try await customerApps[1].changes().head == 0)
            try await Self.expectOnlyOuter(results, of: customerApps, batches)
            #expect(batches.voided.count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a shopper whose parent is asked has a deferred purchase in the batch, and the charge is voided`(
        _ engine: Engine
    ) async throws {
        try await Self.withThree(engine) { store, customerApps, batches in
            try await store.set("shopper1", TesterSettings(askToBuy: true))
            let results = try await batches.buy(customerApps.map { batches.order($0.reference, key: "k") })
            let deferred = try #require(results[1].begun)
            #expect(deferred.transaction.transactionState == .deferred && deferred.awaitsAnswer)
            #expect(try await store.prompt().transaction == deferred.transaction)
            #expect(try await customerApps[1].wholeJournal().map(\.seq) == [1, 2])
            try await Self.expectOnlyOuter(results, of: customerApps, batches)
            #expect(batches.voided.count == 1 && batches.voided != [deferred.chargeKey])
            let again = try await customerApps[1].add("coins", key: "k")
            #expect(again.status == 202 && again.transaction == deferred.transaction)
        }
    }

    @Test(arguments: Engine.allCases)
    func `P3: a charge that the processor refuses, or has not decided, is made after the commit`(
        _ engine: Engine
    ) async throws {
        for answer in [nil, .pending, .cancelled] as [Charge.Outcome?] {
            try await Self.withThree(engine) { store, customerApps, batches in
                var orders = customerApps.map { batches.order($0.reference, key: "k") }
                orders[1].answer = answer
                let results = try await batches.buy(orders)
                let begun = try #require(results[1].begun)
                #expect(begun.phase == .charging && begun.transaction.transactionState == .purchasing)
                #expect(try await customerApps[1].wholeJournal().map(\.seq) == [1])
                try await Self.expectOnlyOuter(results, of: customerApps, batches)
                #expect(batches.voided.isEmpty)
                try await store.settle()
                #expect(try await store.charges().map(\.chargeKey) == [begun.chargeKey])
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `P3: a reply that is lost leaves all of the batch in progress after one commit, and nothing is voided`(
        _ engine: Engine
    ) async throws {
        try await Self.withThree(engine) { store, customerApps, batches in
            batches.loseReplies()
            let before = batches.database.statistics
            let results = try await batches.buy(customerApps.map { batches.order($0.reference, key: "k") })
            #expect(results.allSatisfy { $0.begun?.phase == .charging })
            #expect(batches.database.statistics.writes == before.writes + 1)
            #expect(try await batches.captures.sweep() == 0)
            #expect(batches.captured.isEmpty && batches.voided.isEmpty)
            try await store.settle()
            #expect(Set(try await store.charges().map(\.chargeKey)) == Set(results.compactMap(\.begun?.chargeKey)))
        }
    }

    @Test(arguments: Engine.allCases)
    func `P2: a row that the schema refuses fails its purchase alone, which is half-done nowhere`(
        _ engine: Engine
    ) async throws {
        try await Self.withThree(engine) { store, customerApps, batches in
            let middle = customerApps[1]
            // A journal that does not agree with its customer's row.
            _ = try await batches.database.write { transaction in
                try await transaction.execute(
                    """
                    INSERT INTO journal (bundle_id, customer_identifier, seq, transaction_id, revision, kind, body,
                        happened_at, written_at)
                    VALUES (?, ?, 1, 't_', 1, 'updated', '{}', 0, 0)
                    """, Catalogue.bundleId, middle.customer)
            }
            let orders = customerApps.map { batches.order($0.reference, key: "k") }
            let results = try await batches.buy(orders)
            let error = try #require(results[1].error as? PersistenceError)
            #expect(error.code == .constraint(.unique))
            try await Self.expectOnlyOuter(results, of: customerApps, batches)
            #expect(batches.voided.count == 1)
            for table in ["payment_transaction", "server_event"] {
                #expect(try await batches.count(table) == 2, "\(table)")
            }
            _ = try await batches.database.write { transaction in
                try await transaction.execute("DELETE FROM journal WHERE body = '{}'")
            }
            let bought = try #require(try await batches.buy([orders[1]])[0].stored)
            #expect(try await middle.wholeJournal().map(\.seq) == [1, 2])
            #expect(try await middle.get(bought.id) == bought.transaction)
        }
    }

    @Test(arguments: Engine.allCases)
    func `settings that cannot be read fail their account's purchase alone`(_ engine: Engine) async throws {
        try await Self.withThree(engine) { store, customerApps, batches in
            _ = try await batches.database.write { transaction in
                try await transaction.execute(
                    "INSERT INTO tester (scope, account, settings, updated_at) VALUES ('', 'shopper1', '{', 0)")
            }
            let results = try await batches.buy(customerApps.map { batches.order($0.reference, key: "k") })
            #expect((results[1].error as? StoreError)?.code == .internal)
            try await Self.expectOnlyOuter(results, of: customerApps, batches)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an isolated store's numbers have no gap, whatever else its batches ask for`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let app = IsolatedApp(shownBundleId: Catalogue.bundleId, number: 7, seed: 42)
            let other = IsolatedApp(shownBundleId: Catalogue.bundleId, number: 8, seed: 42)
            let (alice, bob) = (try await store.customer(of: app), try await store.customerApp("bob"))
            let carol = try await store.customer(of: other)
            let batches = try ComposedBatches(store)
            var numbers: [Int64] = []
            for round in 0..<3 {
                var orders = [
                    batches.order(alice, key: "\(round) 1"), batches.order(carol, key: "\(round)"),
                    batches.order(alice, key: "\(round) 2", answer: .declined),
                    batches.order(alice, key: "\(round) 1"), batches.order(alice, key: "\(round) 3"),
                    batches.order(bob.reference, key: "\(round)"), batches.order(alice, key: "\(round) 4"),
                    batches.order(alice, key: "\(round) 5"),
                ]
                orders[6].storefront = "FRA"
                let results = try await batches.buy(orders)
                let expected: [PurchaseModel.Outcome?] = [
                    .purchased, .purchased, .failed, .existing, .purchased, .purchased, .moved, .purchased,
                ]
                #expect(results.map { $0.outcome.map(PurchaseModel.Outcome.init) } == expected)
                for (order, result) in zip(orders, results) where order.customer == alice {
                    let number = result.stored?.transaction.transactionIdentifier.flatMap(Int64.init)
                    if let number { numbers.append(number) }
                }
                // A store of the same seed counts alike.
                #expect(results[1].stored?.transaction.transactionIdentifier == "\(2_000_000_004_200_001 + round)")
            }
            #expect(numbers == [Int64](2_000_000_004_200_001...2_000_000_004_200_009))
            // Nothing but repeated keys.
            _ = try await batches.buy((1...3).map { batches.order(alice, key: "0 \($0)") })
            let next = try await batches.database.write { transaction in
                try await CounterRepository.next(.transaction, of: app.bundleId, in: transaction)
            }
            #expect(next == [2_000_000_004_200_010])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a purchase in a removed store fails alone, and leaves nothing of the store`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let app = IsolatedApp(shownBundleId: Catalogue.bundleId, number: 7, seed: 42)
            let (alice, bob) = (try await store.customer(of: app), try await store.customerApp("bob"))
            let batches = try ComposedBatches(store)
            #expect(try await batches.buy([batches.order(alice, key: "1")])[0].stored != nil)
            let removed = try await store.caller.call(
                PaymentEndpoints.removeApp, RemoveAppRequest(bundleId: app.bundleId))
            #expect(removed.isDone)
            let results = try await batches.buy([
                batches.order(alice, key: "2"), batches.order(bob.reference, key: "2"),
            ])
            #expect((results[0].error as? StoreError)?.code == .notFound)
            #expect(results[1].stored != nil)
            for table in ["customer", "payment_transaction", "isolated_counter"] {
                let rows = try await store.database.read { reader in
                    try await reader.query("SELECT 1 AS one FROM \(table) WHERE bundle_id = ?", app.bundleId).count
                }
                #expect(rows == 0, "\(table)")
            }
        }
    }
}
